package bluegreen_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// refusesCreation has the API server refuse each side, and counts how often it is asked.
func (w *world) refusesCreation(why string) *int {
	n := new(int)
	w.refuses = func(a plan.Action) error {
		if _, creates := a.(plan.CreateSide); !creates {
			return nil
		}
		*n++
		return fail.Invalidf(a.String(), "Invalid", "%s", why)
	}
	return n
}

// stranger puts a FlinkDeployment of another owner there.
func (w *world) stranger(name string) {
	w.sides[name] = &v1beta1.FlinkDeployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "flink", Name: name, UID: "stranger", Generation: 1},
		Spec:       v1beta1.FlinkDeploymentSpec{Job: &v1beta1.JobSpec{}},
	}
	w.slow[name] = true
}

// says reports whether an event of a reason has a text in it.
func (w *world) says(reason, text string) bool {
	for _, e := range w.events {
		if strings.HasPrefix(e, reason+": ") && strings.Contains(e, text) {
			return true
		}
	}
	return false
}

// completeSavepoints ends those that Flink takes.
func (w *world) completeSavepoints() {
	for id, o := range w.savepoints {
		o.State = snapshots.OperationCompleted
		w.savepoints[id] = o
	}
}

func objectVersion(name string) plan.ObjectVersion {
	return plan.ObjectVersion{Name: name, UID: "left", ResourceVersion: "1"}
}

// The label of a canary makes none of a pair that was deployed: its edits count, and its failures are told.
func TestAPairThatWasDeployedIsNoCanary(t *testing.T) {
	w := active(t)
	w.bg.Labels = map[string]string{v1beta1.LabelCanary: "true"}
	w.edit(image("1.21"))
	w.rests()
	w.sees("ACTIVE_GREEN", "RUNNING", "green")
	w = newWorld(t)
	w.bg.Labels = map[string]string{v1beta1.LabelCanary: "true"}
	w.tick()
	if len(w.effects) > 0 || len(w.starts) > 0 {
		t.Errorf("effects of a canary: %v", w.effects)
	}
}
