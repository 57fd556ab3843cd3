package bluegreen

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// steps are how the steps of a change are carried on.
var steps = map[v1beta1.BlueGreenStep]func(v view, t v1beta1.BlueGreenTransition) Decision{
	v1beta1.BlueGreenSavepoint: awaitSavepoint,
	v1beta1.BlueGreenClear:     clear,
	v1beta1.BlueGreenCreate:    create,
	v1beta1.BlueGreenAwait:     await,
	v1beta1.BlueGreenRetire:    retire,
	v1beta1.BlueGreenRetired:   retired,
	v1beta1.BlueGreenAbort:     abort,
	v1beta1.BlueGreenWithdraw:  withdraw,
	v1beta1.BlueGreenPatch:     patch,
	v1beta1.BlueGreenSettle:    settle,
	v1beta1.BlueGreenWarm:      hand,
	v1beta1.BlueGreenStop:      hand,
	v1beta1.BlueGreenRelease:   hand,
	v1beta1.BlueGreenFence:     hand,
	v1beta1.BlueGreenReturn:    hand,
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
