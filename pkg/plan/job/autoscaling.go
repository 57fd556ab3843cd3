package job

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// autoscaling says of a job whose spec asks for the autoscaler, or that was autoscaled, that this does not run yet,
// and tells it once.
//
//	the recorded spec has                     the condition says
//	something that an autoscaler had set      that it stays, and how to give it up
//	nothing of it                             that the parallelism is the spec's
func (v Conclusion) autoscaling() (metav1.Condition, bool) {
	if v.Problem != "" || v.Last == nil || v.Last.Spec.Job == nil || v.Resource().DeletionTimestamp != nil ||
		!(v.AsksAutoscaler() || v.KeepsAutoscaled) {
		return metav1.Condition{}, false
	}
	message := "job.autoscaler.enabled is true, and this version does not run the autoscaler yet:" +
		" the parallelism is that of the spec"
	if v.KeepsAutoscaled {
		message = "this version does not run the autoscaler yet: what an autoscaler had set stays as it is," +
			" in each upgrade, too; with job.autoscaler.enabled false the job gets the size of its spec"
	}
	for _, c := range v.Resource().Status.Conditions {
		if c.Type == summary.Autoscaling {
			return status.Condition(summary.Autoscaling, false, plan.ReasonAutoscalerNotRun, message), true
		}
	}
	v.Tell(plan.Event{
		Warning: true, Reason: plan.ReasonAutoscalerNotRun, Component: plan.ComponentOperator, Message: message,
	})
	return status.Condition(summary.Autoscaling, false, plan.ReasonAutoscalerNotRun, message), true
}
