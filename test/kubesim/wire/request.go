package wire

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// Request is one recorded request.
type Request struct {
	// Seq counts all requests of the Tap from 1.
	Seq int
	// System is the name of the model that was asked, such as "kube" or "flink".
	System string
	// Agent is the User-Agent header: which client asked.
	Agent string
	// Method is the HTTP method.
	Method string
	// Path is the URL's path and query; for Flink with the host in front.
	Path string
	// Verb is get, list, create, update, patch, apply or delete; try is a create as a dry run.
	Verb string
	// Resource is the plural of a Kubernetes resource, or the Flink endpoint's last fixed path part.
	Resource string
	// Subresource is "status" or empty.
	Subresource string
	// Namespace is empty for cluster-scoped objects and for lists over all namespaces.
	Namespace string
	// Name is empty for lists and creates.
	Name string
	// Status is the HTTP code that the model answered, 0 when the request did not reach it.
	Status int
	// Effect says what changed; empty when nothing did.
	Effect string
	// Broken says that the caller did not get the model's answer.
	Broken bool
}

// IsWrite says whether the request could change something.
func (r Request) IsWrite() bool { return r.Verb != "get" && r.Verb != "list" && r.Verb != "try" }

// String is one line for a test's log.
func (r Request) String() string {
	line := fmt.Sprintf("%d %s %s %s -> %d", r.Seq, r.Agent, r.Method, r.Path, r.Status)
	if r.Effect != "" {
		line += " [" + r.Effect + "]"
	}
	if r.Broken {
		line += " broken"
	}
	return line
}

// Effect is one entry of the ordered log: a request that changed something.
type Effect struct {
	// Seq counts effects from 1.
	Seq int
	// Request is the Seq of the request.
	Request int
	// System is the model that changed.
	System string
	// Agent is who asked.
	Agent string
	// Text says what changed, such as "create deployments flink/a".
	Text string
}

// String is one line for a test's log.
func (e Effect) String() string { return fmt.Sprintf("%d %s: %s", e.Seq, e.Agent, e.Text) }

type noteKey struct{}

// Note tells the Tap that the request of this context changed something. Without a Tap it does nothing.
func Note(ctx context.Context, text string) {
	if notes, ok := ctx.Value(noteKey{}).(*[]string); ok {
		*notes = append(*notes, text)
	}
}

func withNotes(r *http.Request) (*http.Request, func() string) {
	notes := &[]string{}
	r = r.WithContext(context.WithValue(r.Context(), noteKey{}, notes))
	return r, func() string { return strings.Join(*notes, "; ") }
}

// System is a model behind a Tap.
type System struct {
	// Name is written into each Request.
	Name string
	// Handler is the model.
	Handler http.Handler
	// Classify fills the fields from Verb to Name, and Path.
	Classify func(*http.Request) Request
	// Refuse answers in the system's own shape of an error.
	Refuse func(w http.ResponseWriter, status int)
}
