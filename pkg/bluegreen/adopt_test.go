package bluegreen_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// javas is a status as the Java operator leaves it: without what is ours.
func (w *world) javas(change func(s *v1beta1.FlinkBlueGreenDeploymentStatus)) {
	s := &w.bg.Status
	s.Transition, s.FailedAttempt, s.Retry, s.Conditions, s.ObservedGeneration = nil, nil, nil, nil, 0
	s.Situation, s.Pace, s.PaceSince = "", "", nil
	change(s)
	w.starts, w.effects, w.events = nil, nil, nil
}

// record is lastReconciledSpec of the present spec, which the Java operator writes when a transition begins.
func (w *world) record() string {
	w.t.Helper()
	text, err := v1beta1.ReconciledBlueGreenText(&w.bg.Spec)
	if err != nil {
		w.t.Fatal(err)
	}
	return text
}

// half is a world in which green exists beside blue, which serves.
func half(t *testing.T) *world {
	t.Helper()
	w := active(t, stateful)
	w.slow["demo-green"] = true
	w.edit(image("1.21"))
	w.until("created", func() bool { return w.side("green") != nil })
	return w
}

func TestTakeover(t *testing.T) {
	for name, row := range map[string]func(t *testing.T){
		"T11.120 T11.121 at rest": func(t *testing.T) {
			w := active(t, stateful)
			before := w.bg.Status.LastReconciledSpec
			w.javas(func(*v1beta1.FlinkBlueGreenDeploymentStatus) {})
			w.rests()
			for _, e := range w.effects {
				if e != "status" {
					t.Errorf("effect %s", e)
				}
			}
			if w.bg.Status.LastReconciledSpec != before {
				t.Error("the record was changed")
			}
		},
		"T11.119 a stale trigger ID": func(t *testing.T) {
			w := active(t, stateful)
			w.javas(func(s *v1beta1.FlinkBlueGreenDeploymentStatus) { s.SavepointTriggerID = strings.Repeat("a", 32) })
			w.rests()
			if w.bg.Status.SavepointTriggerID != "" {
				t.Errorf("it is %s", w.bg.Status.SavepointTriggerID)
			}
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
		},
		"T11.119 a transition that was aborted": func(t *testing.T) {
			w := failedTransition(t)
			text := w.bg.Status.Error
			w.javas(func(s *v1beta1.FlinkBlueGreenDeploymentStatus) { s.LastReconciledSpec = w.record() })
			w.rests()
			w.sees("ACTIVE_BLUE", "FAILING", "blue, green suspended")
			if w.bg.Status.Error != text {
				t.Errorf("error %q", w.bg.Status.Error)
			}
			w.started()
			w.edit(image("1.20"))
			w.rests()
			w.tick()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
			w.started()
		},
		"T11.119 a savepoint that Flink knows": func(t *testing.T) {
			w := active(t, stateful)
			id := strings.Repeat("b", 32)
			w.savepoints[id] = snapshots.Operation{State: snapshots.OperationCompleted, Location: "s3://s/java"}
			w.edit(image("1.21"))
			w.javas(func(s *v1beta1.FlinkBlueGreenDeploymentStatus) {
				s.BlueGreenState, s.SavepointTriggerID = v1beta1.BlueGreenSavepointingBlue, id
			})
			w.rests()
			w.sees("ACTIVE_GREEN", "RUNNING", "green")
			w.started("green from s3://s/java")
		},
		"T11.119 a savepoint without an ID": func(t *testing.T) {
			w := active(t, stateful)
			w.edit(image("1.21"))
			w.javas(func(s *v1beta1.FlinkBlueGreenDeploymentStatus) {
				s.BlueGreenState = v1beta1.BlueGreenSavepointingBlue
			})
			w.rests()
			w.started("green from s3://s/sp-1")
		},
		"T11.119 a transition with both sides": func(t *testing.T) {
			w := half(t)
			uid := w.side("green").UID
			w.javas(func(s *v1beta1.FlinkBlueGreenDeploymentStatus) { s.LastReconciledSpec = w.record() })
			w.slow["demo-green"] = false
			w.rests()
			w.sees("ACTIVE_GREEN", "RUNNING", "green")
			w.started()
			if w.side("green").UID != uid {
				t.Error("green was created again")
			}
		},
		"T11.119 a transition with both sides that is aborted": func(t *testing.T) {
			w := half(t)
			w.javas(func(s *v1beta1.FlinkBlueGreenDeploymentStatus) { s.LastReconciledSpec = w.record() })
			w.slow["demo-green"], w.broken["demo-green"] = false, true
			w.until("given up", func() bool { return w.bg.Status.FailedAttempt != nil })
			w.rests()
			w.sees("ACTIVE_BLUE", "FAILING", "blue, green suspended")
			w.edit(image("1.20"))
			w.rests()
			w.tick()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
			w.started()
		},
		"T11.119 a transition with one side": func(t *testing.T) {
			w := active(t, stateful)
			w.javas(func(s *v1beta1.FlinkBlueGreenDeploymentStatus) {
				s.BlueGreenState = v1beta1.BlueGreenTransitioningToBlue
			})
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
			w.started()
		},
		"T11.119 the first side never came up": func(t *testing.T) {
			w := failedFirst(t)
			w.javas(func(s *v1beta1.FlinkBlueGreenDeploymentStatus) { s.LastReconciledSpec = w.record() })
			w.rests()
			w.sees("INITIALIZING_BLUE", "FAILING", "blue suspended")
			w.broken["demo-blue"] = false
			w.edit(image("1.21"))
			w.rests()
			w.sees("ACTIVE_BLUE", "RUNNING", "blue")
			w.started()
		},
		"T11.119 an unknown state": func(t *testing.T) {
			w := active(t, stateful)
			w.javas(func(s *v1beta1.FlinkBlueGreenDeploymentStatus) { s.BlueGreenState = "PURPLE" })
			w.tick()
			w.stalls("BlueGreenStateUnknown", "PURPLE")
			w.started()
		},
	} {
		t.Run(name, row)
	}
}

// TestTwoPasses is T11.109 to T11.111: a whole pass of another pod runs before each effect.
func TestTwoPasses(t *testing.T) {
	for name, story := range map[string]func(w *world){
		"a transition": func(w *world) { w.edit(image("1.21")) },
		"an abort":     func(w *world) { w.broken["demo-green"] = true; w.edit(image("1.21"), grace("1 min")) },
		"in place":     func(w *world) { w.edit(suspended) },
	} {
		t.Run(name, func(t *testing.T) {
			plain := active(t, stateful)
			story(plain)
			plain.rests()
			for i := 1; i <= len(plain.effects); i++ {
				w := active(t, stateful)
				w.between = i
				story(w)
				w.rests()
				if got, want := w.end(), plain.end(); got != want {
					t.Errorf("a pass before effect %d: it ends as\n%s\nwant\n%s", i, got, want)
				}
			}
		})
	}
}

// TestRandomWalk is T11.116: whatever users do and whatever breaks, the invariants hold after each step, and what is
// asked for at last comes about. KNFLINK_BLUEGREEN_WALKS is how many walks of 60 commands are made.
func TestRandomWalk(t *testing.T) {
	walks := 8
	if n, err := strconv.Atoi(os.Getenv("KNFLINK_BLUEGREEN_WALKS")); err == nil {
		walks = n
	}
	for seed := range uint64(walks) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 7))
			w := active(t, stateful, grace("2 min"))
			for step := range 60 {
				command := w.command(random, step)
				for range random.IntN(20) {
					w.tick()
				}
				if t.Failed() {
					t.Fatalf("after step %d, %s: %s", step, command, w.bg.Status.BlueGreenState)
				}
			}
			clear(w.broken)
			clear(w.slow)
			clear(w.stuck)
			w.savepointState, w.unreachable = "", false
			w.completeSavepoints()
			w.edit(job("state", "running"), image("9.9"), job("savepointRedeployNonce", int(seed)+1000),
				job("initialSavepointPath", "s3://s/last"))
			w.until("the last spec serves", func() bool {
				s := w.bg.Status
				d := w.side(strings.ToLower(strings.TrimPrefix(string(s.BlueGreenState), "ACTIVE_")))
				return s.JobStatus.State == "RUNNING" && s.Transition == nil && d != nil && d.Spec.Image == "flink:9.9"
			})
		})
	}
}

// command is one thing that happens.
func (w *world) command(random *rand.Rand, step int) string {
	colour := []string{"blue", "green"}[random.IntN(2)]
	commands := map[string]func(){
		"another image":   func() { w.edit(image(fmt.Sprintf("1.%d", random.IntN(4)))) },
		"suspend":         func() { w.edit(suspended) },
		"resume":          func() { w.edit(running) },
		"in place":        func() { w.edit(flink("kubernetes.operator.x", fmt.Sprint(step))) },
		"break a side":    func() { w.broken["demo-"+colour] = true },
		"mend a side":     func() { w.broken["demo-"+colour] = false },
		"hold a side":     func() { w.slow["demo-"+colour] = true },
		"let a side go":   func() { w.slow["demo-"+colour], w.stuck["demo-"+colour] = false, false },
		"hold a deletion": func() { w.stuck["demo-"+colour] = true },
		"die before":      func() { w.dies = len(w.effects) + 1 + random.IntN(4) },
		"die after":       func() { w.dead = len(w.effects) + 1 + random.IntN(4) },
		"Flink is silent": func() { w.unreachable = !w.unreachable },
		"savepoints fail": func() { w.savepointState = snapshots.OperationFailed },
		"savepoints work": func() { w.savepointState = ""; w.completeSavepoints() },
		"time passes":     func() { w.now = w.now.Add(time.Duration(random.IntN(600)) * time.Second) },
		"blue restarts": func() {
			if d := w.side("blue"); d != nil {
				d.Status.JobStatus.StartTime = fmt.Sprint(step)
			}
		},
		"the new side is deleted": func() {
			if t := w.bg.Status.Transition; t != nil && t.From != "" && t.Step == v1beta1.BlueGreenAwait {
				if d := w.side(strings.ToLower(string(t.Target))); d != nil {
					w.delete(d)
				}
			}
		},
	}
	names := make([]string, 0, len(commands))
	for name := range commands {
		names = append(names, name)
	}
	slices.Sort(names)
	name := names[random.IntN(len(names))]
	commands[name]()
	return name
}
