package bluegreen_test

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

func TestMoreRows(t *testing.T) {
	for name, row := range map[string]func(t *testing.T){
		"T11.2 the first side has the colour and one owner": func(t *testing.T) {
			w := newWorld(t)
			w.rests()
			d := w.side("blue")
			if colour := d.Labels[v1beta1.LabelBlueGreenType]; colour != "BLUE" || len(d.OwnerReferences) != 1 {
				t.Fatalf("colour %q, owners %v", colour, d.OwnerReferences)
			}
			owner := d.OwnerReferences[0]
			if owner.UID != w.bg.UID || owner.Controller == nil || *owner.Controller ||
				owner.BlockOwnerDeletion == nil || !*owner.BlockOwnerDeletion {
				t.Errorf("owner %+v, want the resource, no controller, that waits", owner)
			}
			if d.Spec.Image != w.bg.Spec.Template.Spec.Image || d.Spec.Job.Parallelism != 2 {
				t.Errorf("spec %+v, want the template's", d.Spec)
			}
		},
		"T11.16 file: is cut from the path of a savepoint": func(t *testing.T) {
			for location, want := range map[string]string{
				"file:/a/sp-1": "/a/sp-1", "s3://b/sp": "s3://b/sp", "s3://b/file:x": "s3://b/file:x",
			} {
				w := active(t, stateful)
				w.savepointState = snapshots.OperationInProgress
				w.edit(image("1.21"))
				w.until("asked", func() bool { return len(w.savepoints) > 0 })
				for id := range w.savepoints {
					w.savepoints[id] = snapshots.Operation{State: snapshots.OperationCompleted, Location: location}
				}
				w.rests()
				w.started("green from " + want)
			}
		},
		"T11.123 a transition tells each of its steps once": func(t *testing.T) {
			w := active(t, stateful)
			w.edit(image("1.21"))
			w.rests()
			for _, reason := range []string{"TransitionStarted", "TransitionSavepoint", "TransitionCompleted"} {
				if n := w.told(reason); n != 1 {
					t.Errorf("%s was told %d times: %q", reason, n, w.events)
				}
			}
		},
		"T11.124 the generation is judged, also of a suspended job": func(t *testing.T) {
			w := active(t, stateful)
			for _, change := range []func(map[string]any){suspended, image("1.21"), running} {
				w.edit(change)
				w.rests()
				if w.bg.Status.ObservedGeneration != w.bg.Generation {
					t.Errorf("generation %d of %d", w.bg.Status.ObservedGeneration, w.bg.Generation)
				}
			}
		},
		"T11.96 a side that came up while nobody could look is taken": func(t *testing.T) {
			w := active(t, stateful)
			w.edit(image("1.21"))
			w.until("created", func() bool { return w.side("green") != nil })
			w.now = w.now.AddDate(0, 0, 1)
			w.rests()
			w.sees("ACTIVE_GREEN", "RUNNING", "green")
			w.started("green from s3://s/sp-1")
		},
		"T11.106 an abort that is stored is carried to its end": func(t *testing.T) {
			w := active(t, stateful, grace("1 min"))
			w.broken["demo-green"] = true
			w.edit(image("1.21"))
			w.until("the abort is stored", func() bool {
				s := w.bg.Status.Transition
				return s != nil && s.Step == v1beta1.BlueGreenAbort
			})
			w.broken["demo-green"] = false
			w.until("it has ended", func() bool { return w.bg.Status.Transition == nil })
			w.sees("ACTIVE_BLUE", "FAILING", "blue, green suspended")
		},
		"T11.107 a corrected spec waits for the end of an abort": func(t *testing.T) {
			w := active(t, stateful, grace("1 min"))
			w.broken["demo-green"] = true
			w.edit(image("1.21"))
			w.until("the abort is stored", func() bool {
				s := w.bg.Status.Transition
				return s != nil && s.Step == v1beta1.BlueGreenAbort
			})
			w.edit(image("1.22"))
			w.broken["demo-green"] = false
			w.rests()
			w.sees("ACTIVE_GREEN", "RUNNING", "green")
			w.started("green from s3://s/sp-1", "green from s3://s/sp-2")
		},
		"T11.114 another image of the function goes on": func(t *testing.T) {
			w := active(t, stateful)
			w.edit(image("1.21"))
			for i := range 40 {
				w.tick()
				s := w.look()
				if first, again := bluegreen.Make(s).String(), bluegreen.Make(w.look()).String(); first != again {
					t.Fatalf("look %d: what is decided follows from more than what is stored: %s, %s", i, first, again)
				}
			}
			w.sees("ACTIVE_GREEN", "RUNNING", "green")
		},
		"T11.95 a foreign object of the name of the new side": func(t *testing.T) {
			w := active(t, stateful)
			w.refuses = func(a plan.Action) error {
				if c, creates := a.(plan.CreateSide); creates && w.sides[c.Name] == nil {
					w.stranger(c.Name)
				}
				return nil
			}
			w.edit(image("1.21"))
			for range 40 {
				w.tick()
			}
			if c := w.condition("Stalled"); c.Status != "True" || !strings.Contains(c.Message, "demo-green") {
				t.Errorf("Stalled is %s: %s", c.Status, c.Message)
			}
			if d := w.side("blue"); d == nil || d.DeletionTimestamp != nil || !strings.Contains(w.shown(), "blue") {
				t.Errorf("sides: %s", w.shown())
			}
		},
	} {
		t.Run(name, row)
	}
}
