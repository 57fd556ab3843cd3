package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/redact"
)

// problem is a page that says what is wrong and what to do.
type problem struct {
	status int
	title  string
	// text says what to do.
	text string
}

func (p *problem) Error() string { return p.title + ": " + p.text }

// problemOf is what an error means for the reader of a page.
//
//	error                             page
//	a problem                         itself
//	401 of the API server             log in again
//	403                               the right that is missing
//	404                               there is nothing of the name
//	400, 410                          the address is of an earlier page
//	too slow                          the API server is slow
//	any other                         the API server is not reached
func problemOf(err error) *problem {
	var is *problem
	text := redact.Text(err.Error())
	switch {
	case errors.As(err, &is):
		return is
	case apierrors.IsUnauthorized(err):
		return &problem{http.StatusUnauthorized, "The API server does not know you", "Log in again: " + text}
	case apierrors.IsForbidden(err):
		return &problem{http.StatusForbidden, "You may not see this", text}
	case apierrors.IsNotFound(err):
		return &problem{http.StatusNotFound, "There is nothing here", text}
	case apierrors.IsBadRequest(err), apierrors.IsResourceExpired(err), apierrors.IsGone(err):
		return &problem{http.StatusBadRequest, "This address does not work any more", "Begin at the first page: " + text}
	case errors.Is(err, context.DeadlineExceeded), apierrors.IsTimeout(err):
		return &problem{http.StatusGatewayTimeout, "The API server is slow", "The page is asked for again: " + text}
	}
	return &problem{http.StatusBadGateway, "The API server is not reached", "The page is asked for again: " + text}
}

// podName is what a name in a path has to be.
var podName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$`)

// checkNames refuses parts of a path that are no names, before they become a request to the API server.
func checkNames(r *http.Request) error {
	refuse := func(what, value string) error {
		return &problem{http.StatusNotFound, "There is no such page", fmt.Sprintf("%q is no %s.", value, what)}
	}
	if ns := r.PathValue("namespace"); ns != "" && len(validation.IsDNS1123Label(ns)) > 0 {
		return refuse("namespace", ns)
	}
	if name := r.PathValue("name"); name != "" && (!podName.MatchString(name) || strings.Contains(name, "..")) {
		return refuse("name", name)
	}
	if kind := r.PathValue("kind"); kind != "" {
		if _, known := kindOf(kind); !known {
			return refuse("kind", kind)
		}
	}
	return nil
}

// kindOf is the kind of a plural.
func kindOf(plural string) (kinds.Kind, bool) {
	for _, k := range kinds.All {
		if k.Resource.Resource == plural {
			return k, true
		}
	}
	return kinds.Kind{}, false
}
