package job

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
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
func (v Conclusion) autoscaling() (metav1.Condition, bool) {
	a := autoscaling(v)
	if v.Problem != "" || v.Last == nil || v.Last.Spec.Job == nil || v.Resource().DeletionTimestamp != nil ||
		!(a.on() || v.KeepsAutoscaled) {
		return metav1.Condition{}, false
	}
	c := a.condition()
	if c.Status != metav1.ConditionTrue && !v.said(c) {
		v.Tell(plan.Event{
			Warning: true, Reason: plan.Reason(c.Reason), Component: plan.ComponentOperator, Message: c.Message,
		})
	}
	return c, true
}

// said reports whether the stored condition says the same.
func (v Conclusion) said(wanted metav1.Condition) bool {
	for _, c := range v.Resource().Status.Conditions {
		if c.Type == wanted.Type {
			return c.Reason == wanted.Reason && c.Message == wanted.Message
		}
	}
	return false
}

func (v autoscaling) condition() metav1.Condition {
	is := func(holds bool, reason plan.Reason, message string) metav1.Condition {
		return status.Condition(summary.Autoscaling, holds, reason, message)
	}
	if !v.on() {
		return is(false, plan.ReasonAutoscalerOff, "what an autoscaler had set stays as it is, in each upgrade, too;"+
			" with job.autoscaler.enabled false the job gets the size of its spec")
	}
	if v.Want.ReconciliationStatus.State == v1beta1.ReconciliationRolledBack {
		return is(false, plan.ReasonAutoscalerPaused, "the job was rolled back, and runs another spec than this one:"+
			" it is not scaled before the spec changes")
	}
	if why := v.Seen.Autoscaled.Why(); why != "" {
		c := is(false, plan.ReasonAutoscalerStoreUnreadable, "what is known of the job cannot be read, and its size stays"+
			" as it is: "+why)
		c.Status = metav1.ConditionUnknown
		return c
	}
	stored, err := v.stored()
	if err == nil && stored.Kept.Problem != "" {
		err = fmt.Errorf("%s", stored.Kept.Problem)
	}
	if err != nil {
		return is(false, plan.ReasonAutoscalerError, err.Error())
	}
	options, err := model.ReadOptions(stored.Config)
	if err != nil {
		return is(false, plan.ReasonAutoscalerError, err.Error())
	}
	if v.autoscaler.lacksRoom {
		return is(false, plan.ReasonAutoscalerLacksRoom, "the job is not scaled: the nodes have no room for the TaskManagers"+
			" that it would need")
	}
	advises := ""
	if !options.ScalingEnabled {
		advises = "; job.autoscaler.scaling.enabled is false, so it reports and does not scale"
	}
	if stored.Full(options) {
		return is(true, plan.ReasonAutoscalerActive, fmt.Sprintf("the vertices are scaled by their metrics of the last %s%s",
			options.Window, advises))
	}
	return is(true, plan.ReasonAutoscalerCollecting, fmt.Sprintf(
		"metrics are collected: nothing is scaled before the job has run for %s and been measured for %s%s",
		options.Stabilization, options.Window, advises))
}
