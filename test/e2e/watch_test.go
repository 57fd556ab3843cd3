//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// watcher follows the objects of one kind that a selector names, from its start on.
type watcher struct {
	t       *testing.T
	c       *cluster
	ctx     context.Context
	what    string
	options metav1.ListOptions
	gvr     schema.GroupVersionResource
	ns      string
	seen    map[string]object
	events  watch.Interface
}

// watch lists and starts to watch at once; what happens after its return is not missed. An empty selector means any.
func (c *cluster) watch(ctx context.Context, t *testing.T, gvr schema.GroupVersionResource, ns, fields, labels string) *watcher {
	t.Helper()
	w := &watcher{t: t, c: c, ctx: ctx, gvr: gvr, ns: ns, what: fmt.Sprintf("%s %s%s", gvr.Resource, fields, labels),
		options: metav1.ListOptions{FieldSelector: fields, LabelSelector: labels}}
	w.start()
	t.Cleanup(func() { w.events.Stop() })
	return w
}

func (w *watcher) start() {
	w.t.Helper()
	list, err := w.c.in(w.gvr, w.ns).List(w.ctx, w.options)
	if err != nil {
		w.t.Fatalf("list %s: %v", w.what, err)
	}
	w.seen = map[string]object{}
	for i := range list.Items {
		w.seen[list.Items[i].GetName()] = object{&list.Items[i], time.Now()}
	}
	options := w.options
	options.ResourceVersion = list.GetResourceVersion()
	if w.events, err = w.c.in(w.gvr, w.ns).Watch(w.ctx, options); err != nil {
		w.t.Fatalf("watch %s: %v", w.what, err)
	}
}

// next takes one event into account and returns the object, without content when it was deleted. ok is false at the deadline.
func (w *watcher) next() (o object, ok bool) {
	w.t.Helper()
	for {
		select {
		case <-w.ctx.Done():
			return object{}, false
		case e, open := <-w.events.ResultChan():
			if !open || e.Type == watch.Error {
				if e.Type == watch.Error && !apierrors.IsResourceExpired(apierrors.FromObject(e.Object)) {
					w.t.Logf("watch %s: %v", w.what, apierrors.FromObject(e.Object))
				}
				w.start()
				return object{nil, time.Now()}, true
			}
			u := e.Object.(*unstructured.Unstructured)
			if e.Type == watch.Deleted {
				delete(w.seen, u.GetName())
				return object{nil, time.Now()}, true
			}
			o = object{u, time.Now()}
			w.seen[u.GetName()] = o
			return o, true
		}
	}
}

// until waits for the one object that this watch is about. ok gets an object without content while there is none, and says what is
// missing; that is the message at the deadline.
func (w *watcher) until(what string, ok func(object) (bool, string)) object {
	w.t.Helper()
	missing := ""
	for {
		current := object{nil, time.Now()}
		for _, o := range w.seen {
			current = o
		}
		var done bool
		if done, missing = ok(current); done {
			return current
		}
		if _, open := w.next(); !open {
			w.c.diagnose(w.t)
			w.t.Fatalf("%s: not in time: %s: %s", w.what, what, missing)
		}
	}
}

// all waits until count objects satisfy ok, and says when the last one did.
func (w *watcher) all(what string, count int, ok func(object) bool) time.Time {
	w.t.Helper()
	for {
		n, last := 0, time.Time{}
		for _, o := range w.seen {
			if ok(o) {
				n++
				if o.at.After(last) {
					last = o.at
				}
			}
		}
		if n >= count {
			return last
		}
		if _, open := w.next(); !open {
			w.c.diagnose(w.t)
			w.t.Fatalf("%s: not in time: %s: %d of %d", w.what, what, n, count)
		}
	}
}

// none waits until no object is left.
func (w *watcher) none(what string) time.Time {
	w.t.Helper()
	for len(w.seen) > 0 {
		if _, open := w.next(); !open {
			w.c.diagnose(w.t)
			w.t.Fatalf("%s: not in time: %s: %d left", w.what, what, len(w.seen))
		}
	}
	return time.Now()
}

// poll asks again each quarter of a second: for what has no watch, such as Flink's REST API.
func poll(t *testing.T, limit time.Duration, what string, ok func(context.Context) (bool, error)) time.Time {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		done, err := ok(ctx)
		if done {
			return time.Now()
		}
		select {
		case <-ctx.Done():
			t.Fatalf("not in time: %s: %v", what, err)
		case <-tick.C:
		}
	}
}
