package tell

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/engine/decide"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// autoscaling says how far the autoscaler is with a job whose spec asks for it, and tells once what keeps it from it.
// First match wins.
//
//	the spec    the store        what is kept        the condition is
//	is silent   has a size       -                   False    AutoscalerOff: what was set stays
//	asks, and   -                -                   False    AutoscalerPaused: a change of the spec goes on
//	the job was
//	rolled back
//	asks        cannot be read   -                   Unknown  AutoscalerStoreUnreadable, and why
//	asks        is not readable  -                   False    AutoscalerError, and what it says
//	asks        -                a problem           False    AutoscalerError, and what it is
//	asks        -                no room for what    False    AutoscalerLacksRoom
//	                             was decided
//	asks        -                a full window, of   True     AutoscalerActive
//	                             which nothing was
//	                             decided yet
//	asks        -                none, or less       True     AutoscalerCollecting
func autoscaling(v *world.Look) (metav1.Condition, bool) {
	a := v
	if v.Problem != "" || v.Last == nil || v.Last.Spec.Job == nil || v.Resource().DeletionTimestamp != nil ||
		!(decide.AutoscalerOn(a) || v.KeepsAutoscaled) {
		return metav1.Condition{}, false
	}
	c := decide.AutoscalerCondition(a)
	if c.Status != metav1.ConditionTrue && !said(v, c) {
		v.Tell(plan.Event{
			Warning: true, Reason: plan.Reason(c.Reason), Component: plan.ComponentOperator, Message: c.Message,
		})
	}
	return c, true
}

// said reports whether the stored condition says the same.
func said(v *world.Look, wanted metav1.Condition) bool {
	for _, c := range v.Resource().Status.Conditions {
		if c.Type == wanted.Type {
			return c.Reason == wanted.Reason && c.Message == wanted.Message
		}
	}
	return false
}
