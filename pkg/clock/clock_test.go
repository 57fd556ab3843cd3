package clock

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// source is a PingSource in memory.
type source struct {
	object  *unstructured.Unstructured
	reads   int
	patches []map[string]any
	err     error
}

func newSource(schedule string, stamp time.Time) *source {
	u := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"resourceVersion": "7"},
		"spec":     map[string]any{"schedule": schedule},
	}}
	if !stamp.IsZero() {
		u.SetAnnotations(map[string]string{AnnotationStamp: stamp.Format(time.RFC3339)})
	}
	return &source{object: u}
}

func (s *source) Get(context.Context, kube.Object) (*unstructured.Unstructured, bool, error) {
	s.reads++
	return s.object, s.object != nil, s.err
}

func (s *source) MergePatch(
	_ context.Context, _ kube.Object, patch map[string]any,
) (*unstructured.Unstructured, error) {
	s.patches = append(s.patches, patch)
	return s.object, s.err
}

func at(s *source, now time.Time) *Clock {
	return New(s, "flink-system", "flink-clock", func() time.Time { return now })
}

func TestWake(t *testing.T) {
	rows := map[string]struct {
		schedule string
		stamp    time.Time
		patches  int
		reason   string
	}{
		"asleep": {Asleep.Schedule(), time.Time{}, 1, "a slow clock must be woken"},
		"steady, with a fresh stamp": {
			Steady.Schedule(), noon.Add(-time.Second), 1, "the stamp alone does not make it tick",
		},
		"awake, fresh stamp": {
			Transition.Schedule(), noon.Add(-29 * time.Second), 0, "a stamp holds a minute and is refreshed after half of it",
		},
		"awake, old stamp": {
			Transition.Schedule(), noon.Add(-31 * time.Second), 1, "an old stamp may run out before the intent is stored",
		},
		"awake, never stamped":         {Transition.Schedule(), time.Time{}, 1, "as installed"},
		"a schedule edited by a human": {"0 0 * * *", noon, 1, "an unknown schedule is no pace"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			s := newSource(row.schedule, row.stamp)
			if err := at(s, noon).Wake(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(s.patches) != row.patches {
				t.Errorf("%d patches, want %d: %s", len(s.patches), row.patches, row.reason)
			}
		})
	}
}

func TestWakeRemembersItsStamp(t *testing.T) {
	s := newSource(Asleep.Schedule(), time.Time{})
	c := at(s, noon)
	for range 3 {
		if err := c.Wake(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if s.reads != 1 || len(s.patches) != 1 {
		t.Errorf("three wakes made %d reads and %d patches, want one of each", s.reads, len(s.patches))
	}
}

func TestAMissingClockIsSaid(t *testing.T) {
	if err := at(&source{}, noon).Wake(t.Context()); !fail.Is(err, fail.Invalid) {
		t.Errorf("got %v, want an error that says how to install the clock", err)
	}
}

func TestAFailureToWakeIsToldOnce(t *testing.T) {
	s, now := &source{err: errors.New("failed calling webhook")}, noon
	c := New(s, "flink-system", "flink-clock", func() time.Time { return now })
	var told int
	for range 20 { // a second apart
		if c.Wake(t.Context()) != nil {
			told++
		}
		now = now.Add(time.Second)
	}
	if told != 2 || s.reads != 2 {
		t.Errorf("in 20 s %d errors after %d attempts, want two of each: each may cost %s", told, s.reads, wakeFor)
	}
}

func TestSettle(t *testing.T) {
	rows := map[string]struct {
		pace    Pace
		stamp   time.Duration
		wanted  Pace
		changes bool
		reason  string
	}{
		"as it is":          {Steady, time.Hour, Steady, false, "a converged clock is not written"},
		"slower, old stamp": {Transition, 3 * time.Minute, Steady, true, "nobody needs it any more"},
		"slower, fresh stamp": {
			Transition, 59 * time.Second, Asleep, false, "somebody may be about to store an intent",
		},
		"faster":                      {Asleep, time.Hour, Transition, true, "a stamp was lost; the fleet shows it"},
		"faster beside a fresh stamp": {Steady, time.Second, Transition, true, "fast is always safe"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			s := newSource(row.pace.Schedule(), noon.Add(-row.stamp))
			c := at(s, noon)
			state, err := c.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			changed, err := c.Settle(t.Context(), state, row.wanted)
			if err != nil || changed != row.changes {
				t.Fatalf("changed %t, %v; want %t: %s", changed, err, row.changes, row.reason)
			}
			if changed && s.patches[0]["metadata"].(map[string]any)["resourceVersion"] != "7" {
				t.Errorf("patch %v lacks the version that was read before the fleet", s.patches[0])
			}
		})
	}
}

func TestTheUserSetsTheSteadyPace(t *testing.T) {
	rows := map[string]struct {
		set      time.Duration
		schedule string
		reason   string
	}{
		"not set":      {0, "* * * * *", "a minute"},
		"a minute":     {time.Minute, "* * * * *", "the same"},
		"15 s":         {15 * time.Second, "*/15 * * * * *", "as set"},
		"2 min":        {2 * time.Minute, "*/2 * * * *", "as set"},
		"7 s and more": {7400 * time.Millisecond, "*/6 * * * * *", "no cron line can say 7 s: a bit more often"},
		"90 s":         {90 * time.Second, "* * * * *", "no cron line can say it"},
		"a second":     {time.Second, "*/5 * * * * *", "faster is a transition's"},
		"an hour":      {time.Hour, "*/5 * * * *", "the safety sweep's"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			s := newSource(Transition.Schedule(), noon.Add(-time.Hour))
			c := at(s, noon)
			c.Interval = row.set
			state, err := c.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Settle(t.Context(), state, Steady); err != nil {
				t.Fatal(err)
			}
			schedule := s.patches[0]["spec"].(map[string]any)["schedule"]
			if schedule != row.schedule {
				t.Errorf("%q, want %q: %s", schedule, row.schedule, row.reason)
			}
			s.object.Object["spec"] = map[string]any{"schedule": row.schedule}
			if state, err = c.Read(t.Context()); err != nil || state.Pace != Steady {
				t.Errorf("it is read back as %s, %v", state.Pace, err)
			}
			c.Interval = 20 * time.Second
			if state, err = c.Read(t.Context()); err != nil || state.Pace == Steady {
				t.Errorf("with another interval it must be set anew, and is %s, %v", state.Pace, err)
			}
		})
	}
}

// TestKnativeTakesEachSchedule: six fields or five, and no "@every", which its webhook refuses.
func TestKnativeTakesEachSchedule(t *testing.T) {
	for _, every := range intervals {
		if n := len(strings.Fields(cronLine(every))); (n != 5 && n != 6) || strings.Contains(cronLine(every), "@") {
			t.Errorf("%s is %q", every, cronLine(every))
		}
		if time.Hour%every != 0 {
			t.Errorf("%s: its ticks are not equally far apart", every)
		}
	}
}

// TestAPaceOfTheSameScheduleIsNoChange: at an interval of five minutes a fleet that falls asleep changes nothing.
func TestAPaceOfTheSameScheduleIsNoChange(t *testing.T) {
	s := newSource(Asleep.Schedule(), noon.Add(-time.Hour))
	c := at(s, noon)
	c.Interval = 5 * time.Minute
	state, err := c.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, wanted := range []Pace{Asleep, Steady} {
		if changed, err := c.Settle(t.Context(), state, wanted); changed || err != nil {
			t.Errorf("%s: changed %t, %v", wanted, changed, err)
		}
	}
}
