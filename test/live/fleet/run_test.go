package fleet

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/local/processes"
	"github.com/kn-flink/kn-flink/local/testsuite"
	"github.com/kn-flink/kn-flink/pkg/clock"
)

func TestASteadyScheduleIsOneThatTheClockWasGiven(t *testing.T) {
	for schedule, want := range map[string]bool{
		"":                          false, // a new installation, before its first tick
		clock.Transition.Schedule(): false,
		clock.Steady.Schedule():     true,
		clock.Asleep.Schedule():     true,
		"*/5 * * * * *":             true,
	} {
		if got := isSteady(schedule); got != want {
			t.Errorf("%q: %t, want %t", schedule, got, want)
		}
	}
}

// enough is within what a busy machine has done what the test waits for, looks is how often each resource has to be
// looked at, and everyFive is the schedule of the interval that is set.
const (
	enough    = 10 * time.Minute
	looksEach = 3
	everyFive = "*/5 * * * * *"
)

// TestASmallFleetIsLookedAt: a small fleet at rest gets its steady pace and keeps it, each resource is looked at again and
// again, and nothing but the clock's schedule is written. How long that takes is what `make fleet` measures.
func TestASmallFleetIsLookedAt(t *testing.T) {
	checkout, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), enough)
	defer cancel()
	dir := testsuite.Dir(t)
	r := newRun(Options{
		Dir: dir, Checkout: checkout, N: 60, For: 5 * time.Second,
		Settings: "kubernetes.operator.reconcile.interval: 5 s", Progress: func(what string) { t.Log(what) },
	})
	err = r.with(ctx, func(ctx context.Context) error { return observed(ctx, r) })
	if err != nil {
		t.Error(err)
	}
	if left := processes.Of(dir); len(left) != 0 {
		t.Errorf("processes are left: %v", left)
	}
	all, seen := maps.Clone(r.result.Settling), Usage{}
	for _, p := range r.result.Parts {
		for what, n := range p.By {
			all[what] += n
		}
		seen.RSS = max(seen.RSS, p.Usage[observes].RSS)
	}
	for what, n := range all {
		if isForbidden(what) {
			t.Errorf("%d times %s: the fleet is at rest", n, what)
		}
	}
	if len(all) == 0 || seen.RSS == 0 {
		t.Errorf("requests %v, %d bytes resident: want some", all, seen.RSS)
	}
	t.Logf("requests: %v\n%s", all, Table([]Result{r.result}))
}

// installing are the writes of the first minute: the clock gets its schedule, admit makes its certificate, and reconcile
// says which settings it has accepted.
var installing = []string{
	"observe PATCH pingsources", "reconcile POST configmaps", "admit POST secrets",
	"admit PATCH mutatingwebhookconfigurations", "admit PATCH validatingwebhookconfigurations",
}

// isForbidden reports whether a request is a write that a fleet at rest does not need.
func isForbidden(what string) bool {
	verb := strings.Fields(what)[1]
	return verb != "GET" && verb != "LIST" && !slices.Contains(installing, what)
}

func TestAFleetAtRestIsNotWritten(t *testing.T) {
	for what, want := range map[string]bool{
		"observe LIST flinkdeployments":     false,
		"reconcile GET flinkdeployments":    false,
		"observe PATCH pingsources":         false,
		"reconcile PATCH pingsources":       true, // a pass has begun a transition
		"reconcile PUT flinkstatesnapshots": true,
		"observe PATCH flinkdeployments":    true,
		"reconcile DELETE flinksessionjobs": true,
		"admit POST secrets":                false,
		"reconcile POST deployments":        true,
	} {
		if got := isForbidden(what); got != want {
			t.Errorf("%s: %t, want %t", what, got, want)
		}
	}
}

// observed waits until each resource was looked at often enough at the steady pace, which has to stay.
func observed(ctx context.Context, r *run) error {
	for r.result.Settled == 0 {
		if err := r.settle(ctx); err != nil {
			return fmt.Errorf("wait for the steady pace: %w", err)
		}
	}
	begun := time.Now()
	_, r.result.Settling = r.requests.take()
	for {
		if err := r.part(ctx, "", nil); err != nil {
			name, n := r.looks.least(begun)
			return fmt.Errorf("%s was looked at %d times in %s: %w", name, n, time.Since(begun), err)
		}
		schedule, err := r.schedule(ctx)
		if err != nil {
			return err
		}
		if schedule != everyFive {
			return fmt.Errorf("the clock's schedule is %q, and nothing is in transition: want %q", schedule, everyFive)
		}
		if _, n := r.looks.least(begun); n >= looksEach {
			return nil
		}
	}
}

// least is the resource that was looked at least often since a moment, and how often.
func (l *looks) least(since time.Time) (resource string, times int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	times = math.MaxInt
	for name, seen := range l.at {
		n := 0
		for _, at := range seen {
			if at.After(since) {
				n++
			}
		}
		if n < times {
			resource, times = name, n
		}
	}
	return resource, times
}
