//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// timeline is what the API server sent from its start on, with the time at which it arrived.
type timeline struct {
	mu   sync.Mutex
	seen []watch.Object
	stop context.CancelFunc
	wait sync.WaitGroup
}

// selection is which objects of each kind are followed.
type selection map[schema.GroupVersionResource]metav1.ListOptions

// application are the resource, its JobManager Deployment and its pods.
func application(name string) selection {
	return selection{
		life.Resources: {FieldSelector: "metadata.name=" + name},
		deployments:    {FieldSelector: "metadata.name=" + name},
		pods:           {LabelSelector: "app=" + name},
	}
}

// record follows what a selection names in a namespace until close.
func (c *cluster) record(t *testing.T, namespace string, s selection) *timeline {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	l := &timeline{stop: stop}
	for gvr, options := range s {
		list, err := c.in(gvr, namespace).List(ctx, options)
		if err != nil {
			t.Fatal(err)
		}
		options.ResourceVersion = list.GetResourceVersion()
		w, err := c.in(gvr, namespace).Watch(ctx, options)
		if err != nil {
			t.Fatal(err)
		}
		l.wait.Go(func() {
			defer w.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case e, open := <-w.ResultChan():
					u, is := e.Object.(*unstructured.Unstructured)
					if !open || !is {
						return
					}
					l.add(watch.Object{Unstructured: u, At: time.Now()})
				}
			}
		})
	}
	return l
}

func (l *timeline) add(o watch.Object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = append(l.seen, o)
}

// shows reports whether the resource has come to a lifecycle state, as far as it is recorded: a watch of its own may be
// ahead.
func (l *timeline) shows(lifecycle string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := len(l.seen) - 1; i >= 0; i-- {
		if u := l.seen[i].Unstructured; u.GetKind() == "FlinkDeployment" {
			seen, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
			return watch.Text(u, "status", "lifecycleState") == lifecycle && seen == u.GetGeneration()
		}
	}
	return false
}

// close ends the recording.
func (l *timeline) close() {
	l.stop()
	l.wait.Wait()
}

// first is when the first thing arrived that satisfies ok, last when the last one did; the zero time when none did.
func (l *timeline) first(ok func(*unstructured.Unstructured) bool) time.Time {
	for _, o := range l.seen {
		if ok(o.Unstructured) {
			return o.At
		}
	}
	return time.Time{}
}

// after is what arrived after a moment.
func (l *timeline) after(at time.Time) *timeline {
	return &timeline{seen: slices.DeleteFunc(slices.Clone(l.seen), func(o watch.Object) bool { return o.At.Before(at) })}
}

func (l *timeline) last(ok func(*unstructured.Unstructured) bool) (at time.Time) {
	for _, o := range l.seen {
		if ok(o.Unstructured) {
			at = o.At
		}
	}
	return at
}

// moment is one second of a change that somebody may want to shorten.
type moment struct {
	name string
	at   time.Time
}

// moments are those of a change, in their usual order. old are the objects that were there before it, by UID.
func (l *timeline) moments(old map[string]bool) []moment {
	isPod := func(component string, isOld bool) func(*unstructured.Unstructured) bool {
		return func(u *unstructured.Unstructured) bool {
			return u.GetKind() == "Pod" && u.GetLabels()["component"] == component && old[string(u.GetUID())] == isOld
		}
	}
	and := func(a, b func(*unstructured.Unstructured) bool) func(*unstructured.Unstructured) bool {
		return func(u *unstructured.Unstructured) bool { return a(u) && b(u) }
	}
	isNewDeployment := func(u *unstructured.Unstructured) bool {
		return u.GetKind() == "Deployment" && !old[string(u.GetUID())]
	}
	status := func(path ...string) func(want string) func(*unstructured.Unstructured) bool {
		return func(want string) func(*unstructured.Unstructured) bool {
			return func(u *unstructured.Unstructured) bool {
				return u.GetKind() == "FlinkDeployment" && watch.Text(u, append([]string{"status"}, path...)...) == want
			}
		}
	}
	isReleased := and(isNewDeployment, func(u *unstructured.Unstructured) bool {
		ok, _ := life.Released(watch.Object{Unstructured: u})
		return ok
	})
	released := l.first(isReleased)
	return []moment{
		{"the stop is stored", l.first(status("intent", "step")("Stopping"))},
		{"the end of the job is stored", l.first(func(u *unstructured.Unstructured) bool {
			ended, _, _ := unstructured.NestedBool(u.Object, "status", "intent", "ended")
			return u.GetKind() == "FlinkDeployment" && ended
		})},
		{"the JobManager is told to end", l.first(and(isPod("jobmanager", true), isLeaving))},
		{"the JobManager has ended", l.first(and(isPod("jobmanager", true), hasEnded))},
		{"the last TaskManager has ended", l.last(and(isPod("taskmanager", true), isLeaving))},
		{"the new Deployment is prepared", l.first(isNewDeployment)},
		{"the new Deployment is released", released},
		{"the new JobManager's container runs", l.first(and(isPod("jobmanager", false), runs))},
		{"the first new TaskManager's container runs", l.first(and(isPod("taskmanager", false), runs))},
		{"the status says RUNNING", l.after(released).first(status("jobStatus", "state")("RUNNING"))},
	}
}

func isLeaving(u *unstructured.Unstructured) bool { return u.GetDeletionTimestamp() != nil }

func hasEnded(u *unstructured.Unstructured) bool {
	phase := watch.Text(u, "status", "phase")
	return phase == "Succeeded" || phase == "Failed"
}

func runs(u *unstructured.Unstructured) bool {
	statuses, _, _ := unstructured.NestedSlice(u.Object, "status", "containerStatuses")
	return len(statuses) > 0 && !slices.ContainsFunc(statuses, func(s any) bool {
		state, is := s.(map[string]any)["state"].(map[string]any)
		return !is || state["running"] == nil
	})
}

// waking are the moments of the first pod of a function that comes.
func (l *timeline) waking(function string) []moment {
	is := func(ok func(*unstructured.Unstructured) bool) func(*unstructured.Unstructured) bool {
		return func(u *unstructured.Unstructured) bool {
			return u.GetLabels()["serving.knative.dev/service"] == function && ok(u)
		}
	}
	made := func(*unstructured.Unstructured) bool { return true }
	scheduled := func(u *unstructured.Unstructured) bool { return watch.Text(u, "spec", "nodeName") != "" }
	return []moment{
		{function + ": its pod is made", l.first(is(made))},
		{function + ": its pod has a node", l.first(is(scheduled))},
		{function + ": its containers run", l.first(is(runs))},
		{function + ": its pod is ready", l.first(is(isReady))},
	}
}

// printMoments writes the moments after the patch, each with what it took from the one before.
func printMoments(t *testing.T, title string, patched time.Time, all []moment) {
	t.Helper()
	var b strings.Builder
	before := patched
	for _, m := range all {
		if m.at.IsZero() {
			fmt.Fprintf(&b, "%-46s      -\n", m.name)
			continue
		}
		fmt.Fprintf(&b, "%-46s %6.2f s  %+6.2f s\n", m.name, m.at.Sub(patched).Seconds(), m.at.Sub(before).Seconds())
		before = m.at
	}
	t.Logf("%s\n%s", title, b.String())
}
