package cluster

import (
	"fmt"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster/evidence"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
	"github.com/kn-flink/kn-flink/pkg/plan/storedspec"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// The TaskManagers of a standalone cluster are a Deployment of their own. It is prepared with the JobManager's, which
// owns it, so that both go together, and has no replicas until the start is released: a start that is given up leaves
// no TaskManager that the next JobManager would take for its own.

// Scaled takes over a spec that asks for another number of TaskManagers and for nothing else, where the job can go on:
// in reactive mode it uses what TaskManagers there are. The spec is recorded as what runs, and TaskManagers makes it
// so. All must hold:
//
//	the spec is valid, and differs from what was acted on last by what scales a standalone cluster, see specdiff.Scale
//	the cluster runs, in the state DEPLOYED, with scheduler-mode: reactive, and its TaskManagers' Deployment is there
//	what the autoscaler keeps can be read, where it is given up
//
// Without reactive mode such a change is an upgrade.
func Scaled(v Cluster) (job.Result, bool) {
	if !keepsTaskManagers(v) || v.Problem != "" || !v.WantsRunning() || !reactive(v) ||
		v.Want.ReconciliationStatus.State != v1beta1.ReconciliationDeployed || job.AwaitsStore(v.Life) {
		return job.Result{}, false
	}
	diff := v.Changed()
	switch seen := v.Seen.TaskManagerDeployment; {
	case diff.Kind != specdiff.Scale || seen.IsAbsent():
		return job.Result{}, false
	case seen.IsUnknown():
		return job.Unobservable("the Deployment of the TaskManagers", seen.Why()), true
	}
	job.Record(v.Life).Scaled(v.Spec)
	v.Tell(plan.Event{
		Reason: plan.ReasonSpecChanged, Component: plan.ComponentJobManager, Once: true,
		Key: fmt.Sprintf("SpecChange: %d", v.Generation), Message: diff.EventMessage(),
	})
	return job.Result{Situation: plan.Waiting, Record: "scale", Again: true, Wait: plan.Cause{
		Reason: plan.ReasonScaling, Message: "the TaskManagers are being scaled",
	}}, true
}

// TaskManagers keeps the TaskManagers of a standalone cluster that runs as its spec has them. First match wins:
//
//	#   their Deployment    then
//	W1  not known           as the rules that follow decide
//	W2  is not there        make it again, as its start did; one of another operator's is left away
//	W3  has other replicas  scale it
//	W4  is there            as the rules that follow decide
func TaskManagers(v Cluster) (job.Result, bool) {
	if !keepsTaskManagers(v) || v.Seen.TaskManagerDeployment.IsUnknown() {
		return job.Result{}, false
	}
	jm, _ := v.Seen.JobManager.Get()
	there, present := v.Seen.TaskManagerDeployment.Get()
	operation := OwnOperation(jm)
	if !present && operation == "" {
		return job.Result{}, false
	}
	made, err := renderRunning(v, operation)
	if err != nil || made.TaskManager == nil {
		return job.Result{}, false
	}
	wanted := evidence.Replicas(made.TaskManager)
	r := job.Result{Situation: plan.Waiting, Again: true, Wait: plan.Cause{
		Reason: plan.ReasonScaling, Message: "the TaskManagers are being scaled",
	}}
	switch {
	case !present:
		r.Actions = []plan.Action{plan.MakeTaskManagers{Operation: operation, Cluster: made}}
		r.Tells = []plan.Event{{
			Warning: true, Reason: plan.ReasonTaskManagersMissing, Component: plan.ComponentJobManager,
			Message: "The Deployment of the TaskManagers is gone; it is made again",
		}}
	case there.Replicas != wanted:
		r.Actions = []plan.Action{scale(v, there, wanted)}
	default:
		return job.Result{}, false
	}
	return r, true
}

func scale(v Cluster, tm TaskManagerDeployment, to int32) plan.Action {
	return plan.ScaleTaskManagers{Namespace: v.Seen.Resource.Namespace, Name: tm.Name, UID: tm.UID, Replicas: to}
}

// keepsTaskManagers reports whether the cluster is a standalone one that runs and is to go on.
func keepsTaskManagers(v Cluster) bool {
	jm, present := v.Seen.JobManager.Get()
	return AsksTaskManagerDeployment(v) && v.AtRest() && v.LastRunning() && present && jm.DeletionTimestamp == nil &&
		v.Owned(jm) && !Retired(jm) && !v.Want.JobStatus.State.IsTerminal()
}

// AsksTaskManagerDeployment reports whether the TaskManagers' Deployment is looked at: that of a standalone cluster,
// but while it has nothing to do with what is decided. A job whose tasks run has its TaskManagers, and uses more of
// them in reactive mode alone.
func AsksTaskManagerDeployment(v Cluster) bool {
	runs := v.Seen.Resource.Status.JobStatus.State == v1beta1.FlinkJobRunning
	return v.IsStandalone() && (!runs || !v.AtRest() || !v.Seen.JobManager.IsPresent() || reactive(v))
}

// reactive reports whether what runs uses all TaskManagers that there are.
func reactive(v Cluster) bool {
	return v.Last != nil && strings.EqualFold(options.Read(v.Compose(v.Running()).Enum, key.SchedulerMode, ""), "reactive")
}

// renderRunning makes the objects of what runs, as its start made them; only those that are not there count.
func renderRunning(v Cluster, operation string) (render.Cluster, error) {
	text, err := storedspec.Text(*v.Running())
	if err != nil {
		return render.Cluster{}, err
	}
	made, _, err := RenderStart(v, &v1beta1.Intent{
		OperationID: operation, Generation: v.Deployed, JobID: v.Want.JobStatus.JobID, Spec: text,
		From: v.Want.JobStatus.StartedFrom,
	})
	return made, err
}
