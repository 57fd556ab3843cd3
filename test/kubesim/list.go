package kubesim

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// page is what a LIST asks for.
type page struct {
	labels labels.Selector
	fields fields.Selector
	limit  int
	after  *token
}

// token is what a continue token holds.
type token struct {
	// Version is that of the first page: the whole list has it.
	Version int64 `json:"rv"`
	// Namespace and Name are those of the last object given.
	Namespace string `json:"ns"`
	Name      string `json:"name"`
}

// list answers a LIST. Called with the lock. Unlike the real server a later page shows the present, not the version of
// the first page: tests that change objects between pages see what an inconsistent continue would show.
func (s *Server) list(r Resource, namespace string, query url.Values) (map[string]any, error) {
	p, err := s.parsePage(r, query)
	if err != nil {
		return nil, err
	}
	version := s.version
	if p.after != nil {
		version = p.after.Version
	}
	items, last, rest := []any{}, key{}, 0
	for _, k := range s.keys(r.GVR, namespace) {
		if p.after != nil && !before(key{namespace: p.after.Namespace, name: p.after.Name}, k) {
			continue
		}
		u := s.objects[k]
		if !p.labels.Matches(labels.Set(u.GetLabels())) || !p.fields.Matches(selectable{u}) {
			continue
		}
		if p.limit > 0 && len(items) == p.limit {
			rest++
			continue
		}
		items, last = append(items, u.Object), k
	}
	meta := map[string]any{"resourceVersion": strconv.FormatInt(version, 10)}
	if rest > 0 {
		meta["continue"] = token{version, last.namespace, last.name}.encode()
		if p.labels.Empty() && p.fields.Empty() {
			meta["remainingItemCount"] = int64(rest)
		}
	}
	return map[string]any{
		"apiVersion": r.GVR.GroupVersion().String(), "kind": r.Kind + "List", "metadata": meta, "items": items,
	}, nil
}

func (s *Server) parsePage(r Resource, query url.Values) (page, error) {
	var p page
	var err error
	if p.labels, err = labels.Parse(query.Get("labelSelector")); err != nil {
		return p, apierrors.NewBadRequest(err.Error())
	}
	if p.fields, err = fields.ParseSelector(query.Get("fieldSelector")); err != nil {
		return p, apierrors.NewBadRequest(err.Error())
	}
	known := append([]string{"metadata.name", "metadata.namespace"}, r.Fields...)
	for _, requirement := range p.fields.Requirements() {
		if !slices.Contains(known, requirement.Field) {
			return p, apierrors.NewBadRequest("field label not supported: " + requirement.Field)
		}
	}
	if text := query.Get("limit"); text != "" {
		if p.limit, err = strconv.Atoi(text); err != nil {
			return p, apierrors.NewBadRequest(err.Error())
		}
	}
	if text := query.Get("continue"); text != "" {
		p.after, err = s.decode(text)
	}
	return p, err
}

func (t token) encode() string {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

func (s *Server) decode(text string) (*token, error) {
	t := &token{}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(raw, t)
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("continue key is not valid: %v", err))
	}
	if t.Version <= s.expired {
		return nil, apierrors.NewResourceExpired(
			"The provided continue parameter is too old to display a consistent list result.",
		)
	}
	return t, nil
}

// selectable reads the fields of an object as the API server does: absent is empty.
type selectable struct{ u *unstructured.Unstructured }

// Has says that every field is there, if only empty.
func (selectable) Has(string) bool { return true }

// Get returns the field as text.
func (f selectable) Get(path string) string {
	value, found, err := unstructured.NestedFieldNoCopy(f.u.Object, strings.Split(path, ".")...)
	if err != nil || !found || value == nil {
		return ""
	}
	return fmt.Sprint(value)
}
