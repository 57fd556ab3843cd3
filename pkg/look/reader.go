package look

import (
	"context"
	"fmt"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/kube"
)

// pageSize is how many objects one request brings.
const pageSize = 500

// Reader reads for one answer to one user. The zero value has no client.
type Reader struct {
	*kube.Client
	// Verbose adds to a missing right the command that makes a role with it.
	Verbose bool

	mu         sync.Mutex
	unreadable []string
}

// Unreadable says what could not be read so far, each once.
func (r *Reader) Unreadable() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.unreadable)
}

// Cannot notes what could not be read, with the right that is missing.
func (r *Reader) Cannot(verb string, q kube.Query, err error) {
	text := fmt.Sprintf("%s: %v", q.Resource.Resource, err)
	if apierrors.IsForbidden(err) {
		text = r.Missing(verb, q)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.unreadable, text) {
		r.unreadable = append(r.unreadable, text)
	}
}

// Missing names a right that is missing, and the role that would give it.
func (r *Reader) Missing(verb string, q kube.Query) string {
	resource, where, in := q.Resource.GroupResource().String(), "in all namespaces", "clusterrole look"
	if q.Namespace != "" {
		where, in = "in namespace "+q.Namespace, "role look -n "+q.Namespace
	}
	text := fmt.Sprintf("the right to %s %s %s is missing", verb, resource, where)
	if r.Verbose {
		text += fmt.Sprintf(" (kubectl create %s --verb=%s --resource=%s)", in, verb, resource)
	}
	return text
}

// Each reads all pages of a list and hands each object on.
func (r *Reader) Each(ctx context.Context, q kube.Query, see func(content map[string]any) error) error {
	for q.Limit = pageSize; ; {
		page, err := r.ListEach(ctx, q, see)
		if err != nil {
			return err
		}
		if q.Continue = page.Continue; q.Continue == "" {
			return nil
		}
	}
}

// Optional reads all objects of a list that are wanted. What cannot be read is noted.
func (r *Reader) Optional(
	ctx context.Context, q kube.Query, wanted func(*unstructured.Unstructured) bool,
) (found []*unstructured.Unstructured) {
	err := r.Each(ctx, q, func(content map[string]any) error {
		if u := (&unstructured.Unstructured{Object: content}); wanted(u) {
			found = append(found, u)
		}
		return nil
	})
	if err != nil && !apierrors.IsNotFound(err) { // a kind that an older installation does not have
		r.Cannot("list", q, err)
	}
	return found
}
