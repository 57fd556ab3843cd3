package clock

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

// AnnotationStamp on the PingSource is when somebody last needed the transition pace, RFC 3339.
const AnnotationStamp = "flink.apache.org/clock-stamp"

// Client is the part of kube.Client that the clock needs.
type Client interface {
	Get(ctx context.Context, o kube.Object) (*unstructured.Unstructured, bool, error)
	MergePatch(ctx context.Context, o kube.Object, patch map[string]any) (*unstructured.Unstructured, error)
}

// Clock is the PingSource of an installation. Safe for concurrent use. It remembers its own last stamp, which saves a
// burst of passes in one pod a request each, and its last failure, which saves them the wait; a lost memory costs one
// request.
type Clock struct {
	// Kube reads and patches the PingSource.
	Kube Client
	// Object names it.
	Object kube.Object
	// Now is the clock of the machine.
	Now func() time.Time
	// Interval is that of the steady pace as the user set it; zero means that it is not set. See Every.
	Interval time.Duration

	mu      sync.Mutex
	stamped time.Time
	failed  time.Time
}

// New is the clock of the given name.
func New(client Client, namespace, name string, now func() time.Time) *Clock {
	return &Clock{
		Kube: client, Object: kube.Object{Resource: kube.PingSources, Namespace: namespace, Name: name}, Now: now,
	}
}

// Every is the interval of the steady pace: 1 min unless another one is set, of 5 s at the least and 5 min at the most,
// and no longer than what is set.
func (c *Clock) Every() time.Duration { return interval(c.Interval) }

// schedule is the PingSource schedule of a pace.
func (c *Clock) schedule(p Pace) string {
	if p == Steady {
		return cronLine(c.Every())
	}
	return p.Schedule()
}

// paceOf is the pace of a schedule; Unknown for the steady one of another interval.
func (c *Clock) paceOf(schedule string) Pace {
	pace := Of(schedule)
	switch {
	case schedule == c.schedule(Steady):
		return Steady
	case pace == Steady:
		return Unknown
	}
	return pace
}

// State is the PingSource as read.
type State struct {
	// Pace is that of its schedule.
	Pace Pace
	// Stamp is the last stamp; zero means none.
	Stamp time.Time
	// ResourceVersion is the precondition of Slow.
	ResourceVersion string
}

// Read reads the clock. A missing PingSource is Invalid: the installation is not complete.
func (c *Clock) Read(ctx context.Context) (State, error) {
	u, found, err := c.Kube.Get(ctx, c.Object)
	if err != nil {
		return State{}, err
	}
	if !found {
		return State{}, fail.Invalidf("read the clock", "ClockMissing",
			"there is no PingSource %s/%s; install it again with: make deploy",
			c.Object.Namespace, c.Object.Name)
	}
	schedule, _, _ := unstructured.NestedString(u.Object, "spec", "schedule")
	state := State{Pace: c.paceOf(schedule), ResourceVersion: u.GetResourceVersion()}
	if stamp, err := time.Parse(time.RFC3339, u.GetAnnotations()[AnnotationStamp]); err == nil {
		state.Stamp = stamp
	}
	return state, nil
}

// Held reports whether the stamp still keeps the clock from being slowed down.
func (s State) Held(now time.Time) bool { return now.Sub(s.Stamp) < stampHolds }

// Wake has two bounds: wakeFor, which is how long it may take, and failedFor, for which nobody tries again after it
// failed.
const (
	wakeFor   = 2 * time.Second
	failedFor = 10 * time.Second
)

// Wake makes the clock tick at the transition pace and stamps it, unless it does and the stamp is fresh. An error costs
// time only: the sweep finds what it would have found. It is returned once for all that fail with it.
func (c *Clock) Wake(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Now()
	if now.Sub(c.stamped) < stampAge || now.Sub(c.failed) < failedFor {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, wakeFor)
	defer cancel()
	stamped, err := c.stamp(ctx, now)
	if err != nil {
		c.failed = c.Now()
		return fmt.Errorf("set the clock to its fast schedule: %w", err)
	}
	c.stamped = stamped
	return nil
}

// stamp sets pace and stamp where that is needed, and answers of what time the stamp is.
func (c *Clock) stamp(ctx context.Context, now time.Time) (time.Time, error) {
	state, err := c.Read(ctx)
	if err != nil {
		return time.Time{}, err
	}
	if state.Pace == Transition && now.Sub(state.Stamp) < stampAge {
		return state.Stamp, nil
	}
	_, err = c.Kube.MergePatch(ctx, c.Object, map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{AnnotationStamp: now.UTC().Format(time.RFC3339)}},
		"spec":     map[string]any{"schedule": Transition.Schedule()},
	})
	return now, err
}

// Settle gives the clock the pace that the fleet needs, if the state, read before the fleet was, still holds. A slower
// pace waits for the stamp to grow old; somebody else's write since then is a Conflict, which the next sweep fixes.
func (c *Clock) Settle(ctx context.Context, state State, wanted Pace) (changed bool, err error) {
	same := state.Pace == wanted || c.schedule(state.Pace) == c.schedule(wanted)
	if same || (wanted != Transition && state.Held(c.Now())) {
		return false, nil
	}
	_, err = c.Kube.MergePatch(ctx, c.Object, map[string]any{
		"metadata": map[string]any{"resourceVersion": state.ResourceVersion},
		"spec":     map[string]any{"schedule": c.schedule(wanted)},
	})
	if err != nil {
		return false, fmt.Errorf("set the clock to %s: %w", wanted, err)
	}
	return true, nil
}
