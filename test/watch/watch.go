package watch

import (
	"context"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
)

// Object is a Kubernetes object as the API server sent it.
type Object struct {
	// Unstructured is nil when there is no such object.
	*unstructured.Unstructured
	// At is when it arrived here.
	At time.Time
}

// Query says what is followed.
type Query struct {
	// Client reads it.
	Client dynamic.Interface
	// Resource is the kind.
	Resource schema.GroupVersionResource
	// Namespace is where; empty: everywhere.
	Namespace string
	// Fields and Labels are selectors; empty ones mean any.
	Fields, Labels string
	// Diagnose is called before a wait fails for its deadline. Nil: nothing is.
	Diagnose func(*testing.T)
}

func (q Query) client() dynamic.ResourceInterface {
	if q.Namespace == "" {
		return q.Client.Resource(q.Resource)
	}
	return q.Client.Resource(q.Resource).Namespace(q.Namespace)
}

func (q Query) String() string { return q.Resource.Resource + " " + q.Fields + q.Labels }

// Watcher follows the objects of one kind that a selector names, from its start on.
type Watcher struct {
	// Seen are the objects that are there, by name.
	Seen   map[string]Object
	t      *testing.T
	ctx    context.Context
	query  Query
	events apiwatch.Interface
}

// Start lists and starts to watch at once; what happens after its return is not missed. The context is the deadline of
// every wait.
func Start(ctx context.Context, t *testing.T, query Query) *Watcher {
	t.Helper()
	w := &Watcher{t: t, ctx: ctx, query: query}
	w.start()
	t.Cleanup(func() { w.events.Stop() })
	return w
}

// Deadline is a context that ends d from now.
func Deadline(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func (w *Watcher) start() {
	w.t.Helper()
	options := metav1.ListOptions{FieldSelector: w.query.Fields, LabelSelector: w.query.Labels}
	list, err := w.query.client().List(w.ctx, options)
	if err != nil {
		w.t.Fatalf("list %s: %v", w.query, err)
	}
	w.Seen = map[string]Object{}
	for i := range list.Items {
		w.Seen[list.Items[i].GetName()] = Object{&list.Items[i], time.Now()}
	}
	options.ResourceVersion = list.GetResourceVersion()
	if w.events, err = w.query.client().Watch(w.ctx, options); err != nil {
		w.t.Fatalf("watch %s: %v", w.query, err)
	}
}

// Next takes one event into account and returns the object, without content when it was deleted. ok is false at the
// deadline.
func (w *Watcher) Next() (o Object, ok bool) {
	w.t.Helper()
	for {
		select {
		case <-w.ctx.Done():
			return Object{}, false
		case e, open := <-w.events.ResultChan():
			if !open || e.Type == apiwatch.Error {
				if e.Type == apiwatch.Error && !apierrors.IsResourceExpired(apierrors.FromObject(e.Object)) {
					w.t.Logf("watch %s: %v", w.query, apierrors.FromObject(e.Object))
				}
				w.start()
				return Object{nil, time.Now()}, true
			}
			u := e.Object.(*unstructured.Unstructured)
			if e.Type == apiwatch.Deleted {
				delete(w.Seen, u.GetName())
				return Object{nil, time.Now()}, true
			}
			o = Object{u, time.Now()}
			w.Seen[u.GetName()] = o
			return o, true
		}
	}
}

// Until waits for the one object that this watch is about. ok gets an object without content while there is none, and
// says what is missing; that is the message at the deadline.
func (w *Watcher) Until(what string, ok func(Object) (bool, string)) Object {
	w.t.Helper()
	missing := ""
	for {
		current := Object{nil, time.Now()}
		for _, o := range w.Seen {
			current = o
		}
		var done bool
		if done, missing = ok(current); done {
			return current
		}
		if _, open := w.Next(); !open {
			w.late(what, missing)
		}
	}
}

// All waits until count objects satisfy ok, and says when the last one did.
func (w *Watcher) All(what string, count int, ok func(Object) bool) time.Time {
	w.t.Helper()
	for {
		n, last := 0, time.Time{}
		for _, o := range w.Seen {
			if ok(o) {
				n++
				if o.At.After(last) {
					last = o.At
				}
			}
		}
		if n >= count {
			return last
		}
		if _, open := w.Next(); !open {
			w.late(what, fmt.Sprintf("%d of %d", n, count))
		}
	}
}

// None waits until no object is left.
func (w *Watcher) None(what string) time.Time {
	w.t.Helper()
	for len(w.Seen) > 0 {
		if _, open := w.Next(); !open {
			w.late(what, fmt.Sprintf("%d left", len(w.Seen)))
		}
	}
	return time.Now()
}

// late fails the test.
func (w *Watcher) late(what, missing string) {
	w.t.Helper()
	if w.query.Diagnose != nil {
		w.query.Diagnose(w.t)
	}
	w.t.Fatalf("%s: not in time: %s: %s", w.query, what, missing)
}

// Text reads a string at a path of an object; empty when it is not there.
func Text(u *unstructured.Unstructured, path ...string) string {
	s, _, _ := unstructured.NestedString(u.Object, path...)
	return s
}
