package bluegreen

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// steps are how the steps of a change are carried on.
var steps = map[v1beta1.BlueGreenStep]func(v view, t v1beta1.BlueGreenTransition) Decision{
	v1beta1.BlueGreenSavepoint: savepoint,
	v1beta1.BlueGreenClear:     clear,
	v1beta1.BlueGreenCreate:    create,
	v1beta1.BlueGreenAwait:     await,
	v1beta1.BlueGreenRetire:    retire,
	v1beta1.BlueGreenRetired:   retired,
	v1beta1.BlueGreenAbort:     abort,
	v1beta1.BlueGreenWithdraw:  withdraw,
	v1beta1.BlueGreenPatch:     patch,
	v1beta1.BlueGreenSettle:    settle,
}

// carried carries the change under way on.
func carried(v view) (Decision, bool) {
	t := v.transition()
	if t == nil {
		return Decision{}, false
	}
	step, known := steps[t.Step]
	if !known {
		return Decision{Situation: plan.Unobservable, Stall: plan.Cause{
			Reason: plan.ReasonUnknownIntent,
			Message: "status.transition is at step " + string(
				t.Step,
			) + ", which this version does not know; install a newer one",
		}}, true
	}
	return step(v, *t.DeepCopy()), true
}

// at is a decision that leaves a change at a step. A step that changes is stored ahead of its actions, and looked at at
// once.
func (v *view) at(t v1beta1.BlueGreenTransition, situation plan.Situation, wait plan.Cause) Decision {
	next := v.next()
	d := Decision{Situation: situation, Status: next, Wait: wait}
	if stored := v.transition(); stored.Step != t.Step || stored.OperationID != t.OperationID {
		t.Since = metav1.NewTime(v.now())
		d.Ahead, d.Again = true, true
	}
	next.Transition = &t
	next.JobStatus.State, next.Error = v1beta1.FlinkJobReconciling, ""
	next.BlueGreenState = transitioningState(t.Target)
	return d
}

// takesBack reports whether the spec is again that of the side that serves, or asks for what is done in place: a new
// side of which nothing is there yet is not wanted any more.
func (v *view) takesBack() bool {
	switch v.change {
	case specdiff.BlueGreenTransition, specdiff.BlueGreenSavepointRedeploy, specdiff.BlueGreenIncomplete:
		return false
	}
	return true
}
