package cluster

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster/podfailure"
)

// AwaitsTasks reports whether status has a job whose tasks do not run: its TaskManagers are looked at.
func AwaitsTasks(v Cluster) bool {
	state := v.Seen.Resource.Status.JobStatus.State
	jm, present := v.Seen.JobManager.Get()
	return (state == v1beta1.FlinkJobCreated || state == v1beta1.FlinkJobRestarting) && v.AtRest() &&
		present && jm.DeletionTimestamp == nil && jm.Status.AvailableReplicas > 0
}

// TaskManagerFailure is why the TaskManagers do not start that the job's tasks wait for, in the words of status where
// it tells the same problem.
func (v *Round) TaskManagerFailure() (why *plan.Cause, fatal bool) {
	pods, known := v.Seen.TaskManagers.Get()
	if !known || !AwaitsTasks(Cluster{v}) {
		return nil, false
	}
	b := podfailure.Find(podfailure.Seen{Deployment: &appsv1.Deployment{}, Pods: pods})
	if b == nil {
		return nil, false
	}
	if b.Message = "TaskManagers: " + b.Message; b.Reason == podfailure.ReasonCrashed {
		b.Reason = plan.ReasonTaskManagerCrashed
	}
	for _, c := range v.Seen.Resource.Status.Conditions {
		if (c.Type == summary.Stalled || c.Type == summary.Reconciling) && strings.HasPrefix(c.Message, "TaskManagers: ") {
			b = b.Kept(c.Reason, c.Message)
		}
	}
	return &plan.Cause{Reason: b.Reason, Message: b.Message}, b.Fatal
}
