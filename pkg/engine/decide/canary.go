package decide

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Canary leaves a resource alone that somebody made to test an operator: it is not deployed, and not held when it is
// deleted. One that was deployed is none, and noEffect says so.
func Canary(v *world.Look) decision.Decision {
	r := v.Seen.Resource
	if !v1beta1.OnlyCanary(r.Labels, r.Status.ReconciliationStatus, r.Status.Intent) {
		return decision.Pass()
	}
	result := decision.Result{Situation: plan.Canary}
	if _, missing := MissingFinalizer(v); r.DeletionTimestamp != nil && !missing {
		result.Finish = []plan.Action{plan.RemoveFinalizer{Finalizer: v.Host.Finalizer()}}
	}
	return decision.Settle(result, decision.Untouched)
}
