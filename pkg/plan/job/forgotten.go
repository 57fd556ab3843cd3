package job

import (
	"github.com/kn-flink/kn-flink/pkg/autoscaler/samples"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/store"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
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
func Forgotten(v Life) (Result, bool) {
	if v.Seen.Autoscaled.IsUnknown() || !v.AtRest() || v.Problem != "" || !forgets(v) {
		return Result{}, false
	}
	if !keepsSomething(v.Seen.Autoscaled) {
		if autoscaled.Resets(&v.Spec, &v.Last.Spec) && v.WantsRunning() == v.LastRunning() && !v.asksForMore() {
			Record(v).reset()
		}
		return Result{}, false
	}
	s, _ := v.Seen.Autoscaled.Get()
	return Result{
		Situation: plan.Waiting, Again: true, Actions: []plan.Action{plan.KeepAutoscaled{
			Namespace: v.Seen.Resource.Namespace, Store: s.Version, Keys: store.Keys(), Binary: []string{samples.Key},
		}},
	}, true
}

// keepsSomething reports whether the autoscaler keeps anything, or may.
func keepsSomething(seen plan.Observed[autoscaled.Store]) bool {
	s, known := seen.Get()
	return seen.IsUnknown() || known && !s.IsEmpty()
}

// forgets reports whether the spec gives up what the autoscaler keeps: it turns it off, or has a new nonce.
func forgets(v Life) bool {
	c, readable := autoscalerDefaults(v)
	off := readable && c.Has(key.AutoscalerEnabled) && !asksAutoscaler(c)
	return off || readable && autoscaled.Resets(&v.Spec, &v.Last.Spec)
}

// unforgotten is why the spec is not acted on yet: it gives up what the autoscaler keeps, and that could not be looked
// at. A change would record the nonce, or no longer ask, and what is kept would come back. Nil when it is not so.
func unforgotten(v Life) *plan.Cause {
	if !v.Seen.Autoscaled.IsUnknown() || !Autoscaled(v) || !forgets(v) {
		return nil
	}
	return &plan.Cause{Reason: plan.ReasonAutoscalerStoreUnreadable, Message: "the spec gives up what the autoscaler has" +
		" set, and what it keeps cannot be read: " + v.Seen.Autoscaled.Why() + "; the change is made when it can"}
}

// AwaitsStore reports whether a change waits until what the autoscaler keeps can be read.
func AwaitsStore(v Life) bool { return unforgotten(v) != nil }
