package cluster

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/podfailure"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
)

// AwaitsTasks reports whether status has a job whose tasks do not run: its TaskManagers are looked at.
func AwaitsTasks(v *Cluster) bool {
	state := v.Seen.Resource.Status.JobStatus.State
	jm, present := v.Seen.JobManager.Get()
	return (state == v1beta1.FlinkJobCreated || state == v1beta1.FlinkJobRestarting) && v.Look.AtRest() &&
		present && jm.DeletionTimestamp == nil && jm.Status.AvailableReplicas > 0
}

// TaskManagerFailure is why the TaskManagers do not start that the job's tasks wait for, in the words of status where
// it tells the same problem.
func (v *Cluster) TaskManagerFailure() (why *plan.Cause, fatal bool) {
	pods, known := v.Seen.TaskManagers.Get()
	if !known || !AwaitsTasks(v) {
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
		if (c.Type == summary.Stalled || c.Type == summary.Reconciling) &&
			strings.HasPrefix(c.Message, "TaskManagers: ") {
			b = b.Kept(c.Reason, c.Message)
		}
	}
	return &plan.Cause{Reason: b.Reason, Message: b.Message}, b.Fatal
}

// KeepsTaskManagers reports whether the cluster is a standalone one that runs and is to go on.
func KeepsTaskManagers(v *Cluster) bool {
	jm, present := v.Seen.JobManager.Get()
	return AsksTaskManagerDeployment(v) && v.Look.AtRest() && v.Look.LastRunning() && present &&
		jm.DeletionTimestamp == nil &&
		v.Owned(jm) && !Retired(jm) &&
		!v.Look.Want.JobStatus.State.IsTerminal()
}

// AsksTaskManagerDeployment reports whether the TaskManagers' Deployment is looked at: that of a standalone cluster,
// but while it has nothing to do with what is decided. A job whose tasks run has its TaskManagers, and uses more of
// them in reactive mode alone.
func AsksTaskManagerDeployment(v *Cluster) bool {
	runs := v.Seen.Resource.Status.JobStatus.State == v1beta1.FlinkJobRunning
	return v.IsStandalone() && (!runs || !v.Look.AtRest() || !v.Seen.JobManager.IsPresent() || Reactive(v))
}

// Reactive reports whether what runs uses all TaskManagers that there are.
func Reactive(v *Cluster) bool {
	return v.Look.Last != nil &&
		strings.EqualFold(options.Read(v.Look.Config().Enum, key.SchedulerMode, ""), "reactive")
}
