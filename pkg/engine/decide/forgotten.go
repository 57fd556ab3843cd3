package decide

import (
	"github.com/kn-flink/kn-flink/pkg/autoscaler/samples"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/store"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
)

// Forgotten empties what the autoscaler keeps of a job that is not to be autoscaled any more, or that is to be measured
// anew: before the size that it had set is given up, so that nothing brings that back.
//
//	the user's spec                          what is kept       then
//	neither turns it off nor has a new nonce -                  not its business
//	turns it off, or has a new nonce         unknown            not its business: a change waits, see unforgotten
//	turns it off, or has a new nonce         nothing            not its business
//	turns it off, or has a new nonce         something          emptied, and another round
//	has a new nonce, and asks for no other   nothing            the nonce is recorded, which ends the reset
//	change
func Forgotten(v *world.Look) decision.Decision {
	if v.Seen.Autoscaled.IsUnknown() || !v.AtRest() || v.Problem != "" || !facts.Forgets(v) {
		return decision.Pass()
	}
	if !facts.KeepsSomething(v.Seen.Autoscaled) {
		if autoscaled.Resets(&v.Spec, &v.Last.Spec) && v.WantsRunning() == v.LastRunning() && !v.AsksForMore() {
			return decision.Pass(decision.Reset)
		}
		return decision.Pass()
	}
	s, _ := v.Seen.Autoscaled.Get()
	return decision.Settle(decision.Result{
		Situation: plan.Waiting, Again: true, Actions: []plan.Action{plan.KeepAutoscaled{
			Namespace: v.Seen.Resource.Namespace, Store: s.Version, Keys: store.Keys(), Binary: []string{samples.Key},
		}},
	})
}
