package facts

import (
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
)

// KeepsSomething reports whether the autoscaler keeps anything, or may.
func KeepsSomething(seen plan.Observed[autoscaled.Store]) bool {
	s, known := seen.Get()
	return seen.IsUnknown() || known && !s.IsEmpty()
}

// Forgets reports whether the spec gives up what the autoscaler keeps: it turns it off, or has a new nonce.
func Forgets(v *world.Look) bool {
	c, readable := world.AutoscalerDefaults(v)
	off := readable && c.Has(key.AutoscalerEnabled) && !world.AsksAutoscaler(c)
	return off || readable && autoscaled.Resets(&v.Spec, &v.Last.Spec)
}

// Unforgotten is why the spec is not acted on yet: it gives up what the autoscaler keeps, and that could not be looked
// at. A change would record the nonce, or no longer ask, and what is kept would come back. Nil when it is not so.
func Unforgotten(v *world.Look) *plan.Cause {
	if !v.Seen.Autoscaled.IsUnknown() || !world.KeepsAutoscaled(v) || !Forgets(v) {
		return nil
	}
	return &plan.Cause{Reason: plan.ReasonAutoscalerStoreUnreadable, Message: "the spec gives up what the autoscaler has" +
		" set, and what it keeps cannot be read: " + v.Seen.Autoscaled.Why() + "; the change is made when it can"}
}

// AwaitsStore reports whether a change waits until what the autoscaler keeps can be read.
func AwaitsStore(v *world.Look) bool { return Unforgotten(v) != nil }
