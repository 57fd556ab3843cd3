package bluegreen_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen"
)

// life is a pair that has had three changes, one of which was given up, and serves with the side of a colour.
func life(t *testing.T, colour string, changes ...func(map[string]any)) *world {
	t.Helper()
	w := newWorld(t, append(changes, grace("2 min"))...)
	w.rests()
	for i, serves := range []string{"green", "blue", "green", "blue"} {
		if i == 2 {
			w.broken["demo-"+serves] = true
			w.edit(image("broken"))
			w.until("given up", func() bool { return w.bg.Status.FailedAttempt != nil && w.bg.Status.Transition == nil })
			w.rests()
			w.broken["demo-"+serves] = false
		}
		w.edit(image(fmt.Sprint("1.", i)))
		w.rests()
		w.sees("ACTIVE_"+strings.ToUpper(serves), "RUNNING", serves)
		if i >= 2 && serves == colour {
			break
		}
	}
	return w
}

// running are the UIDs of the sides that may run.
func (w *world) running() (all []types.UID) {
	for _, d := range w.sides {
		if d.DeletionTimestamp == nil && d.Spec.Job.DesiredState() == v1beta1.JobStateRunning {
			all = append(all, d.UID)
		}
	}
	return all
}

// clone is the same world once more.
func (w *world) clone() *world {
	c := *w
	c.bg, c.sides, c.savepoints = w.bg.DeepCopy(), map[string]*v1beta1.FlinkDeployment{}, maps.Clone(w.savepoints)
	for name, d := range w.sides {
		c.sides[name] = d.DeepCopy()
	}
	c.left, c.broken, c.slow, c.stuck = maps.Clone(w.left), maps.Clone(w.broken), maps.Clone(w.slow), maps.Clone(w.stuck)
	c.starts, c.effects, c.events, c.stored = nil, nil, nil, nil
	return &c
}

// Whichever earlier status is put back: the side that serves goes only for one that started from a savepoint which was
// taken of it since, and no second side runs untold.
func TestAnOldStatusThatIsPutBackLosesNothing(t *testing.T) {
	for _, colour := range []string{"blue", "green"} {
		for mode, change := range map[string]func(map[string]any){
			"savepoint": stateful, "stateless": job("state", "running"),
		} {
			t.Run(mode+" "+colour, func(t *testing.T) {
				now := life(t, colour, change)
				seen := map[string]bool{}
				for _, old := range now.stored {
					what := string(old.BlueGreenState)
					if c := old.Transition; c != nil {
						what += fmt.Sprint(" ", c.Step, " ", c.OperationID, " ", c.ChildUID, " ", c.RetiredUID)
					}
					if what += fmt.Sprint(" ", old.FailedAttempt != nil, len(old.LastReconciledSpec)); !seen[what] {
						now.clone().putsBack(old, colour, mode, what)
					}
					seen[what] = true
				}
			})
		}
	}
}

// putsBack is what becomes of an old status.
func (w *world) putsBack(old v1beta1.FlinkBlueGreenDeploymentStatus, colour, mode, what string) {
	w.t.Helper()
	before, taken := w.running(), len(w.savepoints)
	w.putBack, w.bg.Status = true, *old.DeepCopy()
	w.version()
	for i, quiet := 0, 0; i < 90 && quiet < 3; i++ {
		w.tick()
		quiet++
		if p := bluegreen.Make(w.look()); !p.IsQuiet() || p.Status != nil || w.condition("Reconciling").Status == "True" {
			quiet = 0
		}
	}
	stall := w.condition("Stalled").Reason
	told := stall == "Unaccounted"
	newest := fmt.Sprintf("%s from s3://s/sp-%d", other(colour), taken+1)
	fresh := mode == "stateless" || slices.Equal(w.starts, []string{newest})
	switch now := w.running(); {
	case !slices.Contains(now, before[0]) && !(fresh && len(now) == 1):
		w.t.Errorf("%s: the side that served is gone for %q", what, w.starts)
	case len(now) > 1 && !told:
		w.t.Errorf("%s: %d sides run: %s", what, len(now), w.why())
	case !told && w.bg.Status.JobStatus.State != "RUNNING":
		w.t.Errorf("%s: it is not told why it is %s: %s", what, w.bg.Status.JobStatus.State, w.why())
	}
}

// What a user says of a side that status does not account for.
func TestASideThatStatusDoesNotAccountFor(t *testing.T) {
	old := func(t *testing.T) *world {
		w := active(t, stateful)
		old := w.bg.Status.DeepCopy()
		w.edit(image("1.21"))
		w.rests()
		w.bg.Status, w.putBack = *old, true
		w.version()
		w.tick()
		command := "kubectl annotate flinkbluegreendeployment demo -n flink " + v1beta1.AnnotationAdopt
		w.stalls("Unaccounted", "demo-green", command)
		w.effects, w.starts = nil, nil
		return w
	}
	t.Run("it is taken over", func(t *testing.T) {
		w := old(t)
		w.bg.Annotations = map[string]string{v1beta1.AnnotationAdopt: "true"}
		w.version()
		w.rests()
		w.sees("ACTIVE_GREEN", "RUNNING", "green")
		w.edit(image("1.22"))
		w.rests()
		w.sees("ACTIVE_BLUE", "RUNNING", "blue")
		w.started("blue from s3://s/sp-2")
	})
	t.Run("with another spec than the one that runs", func(t *testing.T) {
		w := old(t)
		w.edit(image("1.22"))
		w.bg.Annotations = map[string]string{v1beta1.AnnotationAdopt: "true"}
		w.rests()
		w.sees("ACTIVE_BLUE", "RUNNING", "blue")
		w.started("blue from s3://s/sp-2")
	})
	t.Run("it is deleted", func(t *testing.T) {
		w := old(t)
		w.delete(w.side("green"))
		for range 5 {
			w.tick()
		}
		w.stalls("SideMissing")
		w.started()
	})
	t.Run("both run", func(t *testing.T) {
		w := old(t)
		blue := w.side("green").DeepCopy()
		blue.Name, blue.UID = "demo-blue", "by hand"
		w.sides["demo-blue"] = blue
		w.bg.Annotations = map[string]string{v1beta1.AnnotationAdopt: "true"}
		w.tick()
		w.stalls("Unaccounted", "demo-blue and demo-green", "delete the other one")
		w.started()
		w.delete(w.side("blue"))
		w.rests()
		w.sees("ACTIVE_GREEN", "RUNNING", "green")
	})
}

func other(colour string) string {
	if colour == "blue" {
		return "green"
	}
	return "blue"
}
