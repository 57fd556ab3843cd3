package bluegreen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// TestCrashPoints is T11.88 to T11.110: each story ends the same wherever the function dies, before or after any of its
// effects, and wherever another pass is made in between.
func TestCrashPoints(t *testing.T) {
	stories := map[string]struct {
		begin func(t *testing.T) *world
		act   func(w *world)
		// twice says that a savepoint may be taken twice: its path is not stored yet when the function dies.
		twice bool
	}{
		"a first start": {func(t *testing.T) *world { return newWorld(t) }, func(*world) {}, false},
		"a stateless transition": {
			func(t *testing.T) *world { return active(t) }, func(w *world) { w.edit(image("1.21")) }, false,
		},
		"T11.89 T11.90 T11.94 a stateful transition": {
			func(t *testing.T) *world { return active(t, stateful) }, func(w *world) { w.edit(image("1.21")) }, false,
		},
		"T11.99 a transition with a delay and an Ingress": {
			func(t *testing.T) *world {
				return active(t, stateful, delay("30 s"), set(map[string]any{"template": "x.example.com"}, "ingress"))
			},
			func(w *world) { w.edit(image("1.21")) }, false,
		},
		"a transition whose gates pass": {
			func(t *testing.T) *world { return active(t, stateful, option("gate.checkpoints", "2")) },
			func(w *world) {
				w.gates.Checkpoints = plan.Present[int64](2)
				w.edit(image("1.21"))
			}, false,
		},
		"a transition that a gate refuses": {
			func(t *testing.T) *world { return active(t, stateful, option("gate.max-restarts", "0")) },
			func(w *world) {
				w.gates.Restarts = plan.Present[int64](1)
				w.edit(image("1.21"))
			}, false,
		},
		"T11.104 T11.105 a transition that is aborted": {
			func(t *testing.T) *world { return active(t, stateful, grace("1 min")) },
			func(w *world) { w.broken["demo-green"] = true; w.edit(image("1.21")) }, false,
		},
		"a transition after one that was aborted": {
			func(t *testing.T) *world { return failedTransition(t, grace("1 min")) },
			func(w *world) { w.edit(image("1.22")) }, false,
		},
		"T11.93 a transition beside what is left of an old side": {
			func(t *testing.T) *world { return active(t, stateful) },
			func(w *world) {
				l := w.left["demo-green"]
				l.HAData = append(l.HAData, objectVersion("demo-green-cluster-config-map"))
				w.left["demo-green"] = l
				w.edit(image("1.21"))
			}, false,
		},
		"a transition that is taken back": {
			func(t *testing.T) *world { return active(t, stateful) },
			func(w *world) {
				w.broken["demo-green"] = true
				w.edit(image("1.21"))
				w.until("created", func() bool { return w.side("green") != nil })
				w.edit(image("1.20"))
			}, false,
		},
		"T11.108 a change in place": {
			func(t *testing.T) *world { return active(t, stateful) },
			func(w *world) { w.edit(flink("kubernetes.operator.periodic.savepoint.interval", "1 h")) }, false,
		},
		"a suspension and a resumption": {
			func(t *testing.T) *world { return active(t, stateful) },
			func(w *world) {
				w.edit(suspended)
				w.until("SUSPENDED", func() bool { return w.bg.Status.JobStatus.State == "SUSPENDED" })
				w.edit(running)
			}, false,
		},
		"a savepoint redeploy": {
			func(t *testing.T) *world { return active(t, stateful) },
			func(w *world) {
				w.edit(job("savepointRedeployNonce", 1), job("initialSavepointPath", "s3://s/mine"))
			}, false,
		},
		"a savepoint that fails once": {
			func(t *testing.T) *world { return active(t, stateful) },
			func(w *world) {
				w.savepointState = snapshots.OperationFailed
				w.edit(image("1.21"))
				w.until("FAILING", func() bool { return w.bg.Status.JobStatus.State == "FAILING" })
				w.savepointState = ""
			}, true,
		},
	}
	for name, story := range stories {
		t.Run(name, func(t *testing.T) {
			plain := story.begin(t)
			story.act(plain)
			plain.rests()
			want, n := plain.end(), len(plain.effects)
			points := 0
			for i := 1; i <= n; i++ {
				for _, when := range []string{"before", "after"} {
					points++
					t.Run(fmt.Sprintf("%s effect %d", when, i), func(t *testing.T) {
						w := story.begin(t)
						if when == "before" {
							w.dies = i
						} else {
							w.dead = i
						}
						story.act(w)
						w.rests()
						if got := w.end(); got != want {
							t.Errorf("it ends as\n%s\nwant\n%s\neffects %s", got, want, strings.Join(w.effects, "\n  "))
						}
						if len(w.savepoints) > len(plain.savepoints) && !story.twice {
							t.Errorf("%d savepoints, want %d", len(w.savepoints), len(plain.savepoints))
						}
					})
				}
			}
			t.Logf("%d effects, %d crash points", n, points)
		})
	}
}

// end is what a user sees in the end, without names that differ from run to run.
func (w *world) end() string {
	s := w.bg.Status
	backend := "no Ingress"
	if w.ingress != nil {
		backend = w.ingress.Spec.Rules[0].HTTP.Paths[0].Backend.Service.Name
	}
	return fmt.Sprintf(
		"%s %s %q abort %s trigger %q transition %t; %s; %s; starts %s", s.BlueGreenState, s.JobStatus.State, s.Error,
		s.AbortTimestamp, s.SavepointTriggerID, s.Transition != nil, w.shown(), backend, strings.Join(w.starts, ", "),
	)
}
