package bluegreen_test

import (
	"strings"

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
