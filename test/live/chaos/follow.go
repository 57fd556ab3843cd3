package chaos

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
)

// seen is what a user sees of a resource at one moment.
type seen struct {
	at                   time.Time
	there                bool
	generation, observed int64
	lifecycle, job       string
	pace, situation      string
	unsafe, stalled      string // reason and message of StateSafe=False and Stalled=True
	failure              string
}

// String leaves out when.
func (s seen) String() string {
	if !s.there {
		return "not there"
	}
	text := fmt.Sprintf("%s/%s %s %s generation %d of %d",
		s.lifecycle, s.job, s.situation, s.pace, s.observed, s.generation)
	more := []struct{ what, is string }{{"unsafe", s.unsafe}, {"stalled", s.stalled}, {"error", s.failure}}
	for _, more := range more {
		if more.is != "" {
			text += fmt.Sprintf("\n      %s %.400s", more.what, more.is)
		}
	}
	return text
}

// brief is what a table has room for: no message, for messages have paths in them.
func (s seen) brief() string {
	text := s.lifecycle
	if s.job != "" && s.job != "RUNNING" {
		text += ", job " + s.job
	}
	for _, more := range []struct{ what, is string }{{"StateSafe=False", s.unsafe}, {"Stalled", s.stalled}} {
		if reason, _, _ := strings.Cut(more.is, ":"); reason != "" {
			text += ", " + more.what + " " + reason
		}
	}
	if s.failure != "" && s.stalled == "" {
		text += ", `status.error`"
	}
	return text
}

// atRest says that nothing is under way.
func (s seen) atRest() bool {
	if !s.there || s.observed != s.generation || s.pace == "fast" {
		return false
	}
	switch s.lifecycle {
	case "STABLE", "ROLLED_BACK", "SUSPENDED", "FAILED":
		return true
	}
	return s.stalled != ""
}

// running says that it is called well, with a job that runs.
func (s seen) running() bool {
	well := s.lifecycle == "STABLE" || s.lifecycle == "ROLLED_BACK"
	return s.there && well && s.job == "RUNNING" && s.observed == s.generation
}

// follower knows everything that status said.
type follower struct {
	mu  sync.Mutex
	all []seen
	log func(format string, args ...any)
}

// follow watches a resource until ctx ends.
func (a *Arena) follow(
	ctx context.Context, of schema.GroupVersionResource, name string, log func(string, ...any),
) *follower {
	f := &follower{all: []seen{{at: time.Now()}}, log: log}
	go func() {
		for ctx.Err() == nil {
			f.watch(ctx, a.objects.Resource(of).Namespace(namespace), name)
			pause(ctx, 100*time.Millisecond)
		}
	}()
	return f
}

// watch reads until the API server ends it.
func (f *follower) watch(ctx context.Context, client dynamic.ResourceInterface, name string) {
	options := metav1.ListOptions{FieldSelector: "metadata.name=" + name}
	list, err := client.List(ctx, options)
	if err != nil {
		return
	}
	if len(list.Items) == 0 {
		f.add(seen{at: time.Now()})
	}
	for i := range list.Items {
		f.add(look(&list.Items[i]))
	}
	options.ResourceVersion = list.GetResourceVersion()
	events, err := client.Watch(ctx, options)
	if err != nil {
		return
	}
	defer events.Stop()
	for e := range events.ResultChan() {
		u, ok := e.Object.(*unstructured.Unstructured)
		switch {
		case e.Type == watch.Deleted:
			f.add(seen{at: time.Now()})
		case ok && (e.Type == watch.Added || e.Type == watch.Modified):
			f.add(look(u))
		default:
			return
		}
	}
}

func (f *follower) add(s seen) {
	f.mu.Lock()
	last := f.all[len(f.all)-1]
	f.all = append(f.all, s)
	f.mu.Unlock()
	if last.String() != s.String() {
		f.log("    %s", s)
	}
}

// now is what was seen last.
func (f *follower) now() seen {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.all[len(f.all)-1]
}

// told returns what was said of an unsafe state at or after a moment. Empty: nothing.
func (f *follower) told(since time.Time) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, s := range f.all {
		last := i == len(f.all)-1 || f.all[i+1].at.After(since) // it still held then
		if s.unsafe != "" && last {
			return s.unsafe
		}
	}
	return ""
}

func look(u *unstructured.Unstructured) seen {
	text := func(path ...string) string {
		s, _, _ := unstructured.NestedString(u.Object, append([]string{"status"}, path...)...)
		return s
	}
	s := seen{
		at: time.Now(), there: true, generation: u.GetGeneration(),
		lifecycle: text("lifecycleState"), job: text("jobStatus", "state"),
		pace: text("pace"), situation: text("situation"), failure: text("error"),
	}
	if of := text("blueGreenState"); of != "" {
		s.lifecycle = lifecycleOf(u, of, s.job)
	}
	s.observed, _, _ = unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, one := range conditions {
		c, _ := one.(map[string]any)
		says := fmt.Sprintf("%v: %v", c["reason"], c["message"])
		switch {
		case c["type"] == "StateSafe" && c["status"] == "False":
			s.unsafe = says
		case c["type"] == "Stalled" && c["status"] == "True":
			s.stalled = says
		}
	}
	return s
}

// lifecycleOf says of a blue/green deployment what lifecycleState says of the other kinds.
func lifecycleOf(u *unstructured.Unstructured, state, job string) string {
	_, moves, _ := unstructured.NestedMap(u.Object, "status", "transition")
	switch {
	case moves || !strings.HasPrefix(state, "ACTIVE_"):
		return state
	case job == "RUNNING":
		return "STABLE"
	case job == "SUSPENDED":
		return "SUSPENDED"
	}
	return state
}

// pause waits, or less if ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
