package handover_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/bluegreen/handover"
)

// story is a row of the behaviour: what goes wrong, and how it ends.
type story struct {
	begin func(w *world)
	end   handover.End
	// runs is the side that runs at the end. A new side that serves is the serving one.
	runs string
	// why is a part of what was given up; empty for nothing.
	why string
	// never is what must not be among what happened.
	never []string
}

func stories() map[string]story {
	released := func(w *world) { w.until(func() bool { return w.state.Step == handover.Release }) }
	return map[string]story{
		"T12.1 the target is warm before the job is stopped": {
			func(*world) {}, handover.Done, "serving", "", nil,
		},
		"T12.3 an image that does not exist": {
			func(w *world) { w.clusterNever = true }, handover.GivenUp, "serving", "did not become ready in time",
			[]string{"stop serving", "run serving"},
		},
		"T12.4 main throws": {
			func(w *world) { w.mainFails = true }, handover.GivenUp, "serving", "main of the new job failed: main threw",
			[]string{"stop serving"},
		},
		"T12.4 main throws, without preflight": {
			func(w *world) { w.mainFails, w.options.Preflight = true, false }, handover.GivenUp, "serving",
			"the job failed on the new side: main threw", nil,
		},
		"T12.5 the tasks of the target fail at once": {
			func(w *world) { w.tasksFail = true }, handover.GivenUp, "serving",
			"the job failed on the new side: tasks throw", nil,
		},
		"T12.5 the target completes no checkpoint": {
			func(w *world) { w.noCheckpoint = true }, handover.GivenUp, "serving", "completed no checkpoint", nil,
		},
		"T12.7 the target fails after its first checkpoint": {
			func(w *world) {
				w.until(func() bool { return w.jobs[handover.Target].completed })
				w.jobs[handover.Target].failed = "tasks throw"
			}, handover.Done, "serving", "", []string{"run serving"},
		},
		"T12.8 the stop fails once": {
			func(w *world) { w.stopFails = 1 }, handover.Done, "serving", "", nil,
		},
		"T12.8 the stop fails each time": {
			func(w *world) { w.stopFails = 1000 }, handover.GivenUp, "serving", "the directory is read-only",
			[]string{"run target"},
		},
		"T12.8 the stop never ends": {
			func(w *world) { w.slowStop = true }, handover.GivenUp, "serving", "was not stopped with a savepoint in time",
			[]string{"run target"},
		},
		"T12.8 the job is lost while it is stopped": {
			func(w *world) { w.stopLoses = true }, handover.GivenUp, "serving", "ended without a savepoint",
			[]string{"run target"},
		},
		"T12.12 it is not known whether the target has a checkpoint": {
			func(w *world) {
				released(w)
				w.unlisted, w.noCheckpoint = true, true
			}, handover.Goes, "target", "", []string{"end target", "run serving"},
		},
		"T12.12 the target fails, and it is not known whether it has a checkpoint": {
			func(w *world) {
				w.tasksFail = true
				w.until(func() bool { return w.jobs[handover.Target].process })
				w.unlisted = true
			}, handover.Goes, "target", "", []string{"end target", "run serving"},
		},
		"T12.16 there is no room": {
			func(w *world) { w.noRoom = true }, handover.GivenUp, "serving", "did not become ready in time",
			[]string{"stop serving"},
		},
		"T12.16 there is no room, and an upgrade may follow": {
			func(w *world) { w.noRoom, w.options.Upgrade = true, true }, handover.Upgraded, "serving",
			"no room for a second cluster", []string{"stop serving"},
		},
		"T12.17 an edit while the target is warmed": {
			func(w *world) { w.wish = handover.Another }, handover.Redirected, "serving", "", []string{"stop serving"},
		},
		"T12.17 an edit after the release": {
			func(w *world) { released(w); w.wish = handover.Another }, handover.Done, "serving", "", nil,
		},
		"T12.18 suspended while the target is warmed": {
			func(w *world) { w.wish = handover.Suspend }, handover.Withdrawn, "serving", "", []string{"stop serving"},
		},
		"T12.18 suspended while the job is stopped": {
			func(w *world) {
				w.slowStop = true
				w.until(func() bool { return w.state.Step == handover.Stop })
				w.slowStop, w.wish = false, handover.Suspend
			}, handover.Withdrawn, "nobody", "", []string{"run target"},
		},
		"T12.18 suspended after the release": {
			func(w *world) { w.noCheckpoint = true; released(w); w.wish = handover.Suspend }, handover.Withdrawn,
			"nobody", "", []string{"run serving"},
		},
		"T12.18 taken back while the job is stopped": {
			func(w *world) {
				w.slowStop = true
				w.until(func() bool { return w.state.Step == handover.Stop })
				w.slowStop, w.wish = false, handover.Back
			}, handover.Withdrawn, "serving", "", []string{"run target"},
		},
		"T12.18 the job of the target is deleted after the release": {
			func(w *world) {
				w.noCheckpoint = true
				released(w)
				target := w.jobs[handover.Target]
				target.gone, target.process, target.wanted = true, false, false
			}, handover.Goes, "nobody", "", []string{"run serving"},
		},
		"T12.18 the job that serves is deleted": {
			func(w *world) {
				serving := w.jobs[handover.Serving]
				serving.gone, serving.process, serving.wanted = true, false, false
			}, handover.Goes, "nobody", "", []string{"run target"},
		},
	}
}

func TestRows(t *testing.T) {
	for name, row := range stories() {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			row.begin(w)
			if got := w.rests(); got != row.end {
				t.Errorf("it ends %q, want %q", got, row.end)
			}
			if got := w.runningOn(); got != row.runs {
				t.Errorf("%s runs, want %s", got, row.runs)
			}
			if got := w.state.Why; !strings.Contains(got, row.why) || row.why == "" && row.end != handover.Done && got != "" {
				t.Errorf("it says %q, want %q", got, row.why)
			}
			for _, bad := range row.never {
				if w.has(bad) {
					t.Errorf("%q happened", bad)
				}
			}
			if t.Failed() {
				t.Logf("what happened:\n  %s", strings.Join(w.log, "\n  "))
			}
		})
	}
}

// TestTheJobIsStoppedLast is T12.1 and T12.19: the target was planned, has its slots, and ran a job before.
func TestTheJobIsStoppedLast(t *testing.T) {
	w := newWorld(t)
	w.until(func() bool { return w.state.Step == handover.Stop })
	if c := w.cluster; c.Ready != handover.Yes || c.Planned != handover.Yes || c.Ran != handover.Yes {
		t.Errorf("the job is stopped beside a cluster that is %+v", c)
	}
}

// TestHandoversFollowEachOther is T12.2: ten moves to and fro.
func TestHandoversFollowEachOther(t *testing.T) {
	w := newWorld(t)
	for n := range 10 {
		if got := w.rests(); got != handover.Done {
			t.Fatalf("move %d ends %q:\n  %s", n, got, strings.Join(w.log, "\n  "))
		}
		w.begin()
	}
}

// TestADoubtHasAnEnd is T12.12: what was not known is known later.
func TestADoubtHasAnEnd(t *testing.T) {
	for _, completed := range []bool{true, false} {
		t.Run(fmt.Sprint("completed ", completed), func(t *testing.T) {
			w := newWorld(t)
			w.noCheckpoint = !completed
			w.until(func() bool { return w.state.Step == handover.Release })
			w.unlisted = true
			w.tick(time.Hour)
			p := w.pass()
			for p.step() {
			}
			if !p.decision.Stalled || !strings.Contains(p.decision.Wait, "not known whether") {
				t.Errorf("it waits for %q, stalled %t", p.decision.Wait, p.decision.Stalled)
			}
			w.unlisted = false
			want := map[bool]handover.End{true: handover.Done, false: handover.GivenUp}[completed]
			if got := w.rests(); got != want {
				t.Errorf("it ends %q, want %q:\n  %s", got, want, strings.Join(w.log, "\n  "))
			}
		})
	}
}

// TestOneSideMayRun: each step names at most one.
func TestOneSideMayRun(t *testing.T) {
	for step, want := range map[handover.Step]handover.Side{
		handover.Warm: handover.Serving, handover.Stop: handover.Nobody, handover.Release: handover.Target,
		handover.Fence: handover.Nobody, handover.Return: handover.Serving,
	} {
		if got := (handover.State{Step: step}).May(); got != want {
			t.Errorf("%s: %q may run, want %q", step, got, want)
		}
	}
}
