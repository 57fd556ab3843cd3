package cluster

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// Standing is how far the JobManager's Deployment is there, and why that is not known.
func (v *Cluster) Standing() (job.Standing, string) {
	jm, present := v.Seen.JobManager.Get()
	switch {
	case v.Seen.JobManager.IsUnknown():
		return job.StandingUnknown, v.Seen.JobManager.Why()
	case !present:
		return job.Gone, ""
	case jm.DeletionTimestamp != nil:
		return job.Going, ""
	case jm.Spec.Replicas != nil && *jm.Spec.Replicas == 0:
		return job.Standby, ""
	}
	return job.There, ""
}

// Incarnation is the UID of the JobManager's Deployment; empty when there is none.
func (v *Cluster) Incarnation() types.UID {
	if jm, present := v.Seen.JobManager.Get(); present {
		return jm.UID
	}
	return ""
}

// What names what Standing looks at.
func (v *Cluster) What() string { return "the JobManager Deployment" }

// Trim leaves a FlinkDeployment's status as it is.
func (v *Cluster) Trim(*v1beta1.FlinkDeploymentStatus) {}

// Finalizer is the one that holds the resource while its cluster may run.
func (v *Cluster) Finalizer() string { return v1beta1.FinalizerFlinkDeployment }

// Prepare makes the objects of the start of an intent.
func (v *Cluster) Prepare(intent *v1beta1.Intent) (action plan.Action, jobID string, err error) {
	made, jobID, err := v.RenderStart(intent)
	return plan.PrepareStart{Operation: intent.OperationID, Cluster: made}, jobID, err
}

// Rest takes the JobManager of a suspended job to no replicas: it would run the job again when its pod is replaced.
// With high availability it does not, and stays for its time to live, so that people can read its logs.
func (v *Cluster) Rest() []plan.Action {
	jm, present := v.Seen.JobManager.Get()
	if job.HAData(v.Life).Usable() || !present {
		return nil
	}
	return []plan.Action{plan.Retire{Namespace: jm.Namespace, Name: jm.Name, UID: jm.UID}}
}

// Unsettled says why the pods of the JobManager are not known.
func (v *Cluster) Unsettled() (why string, unknown bool) {
	return v.Seen.Pods.Why(), v.Seen.Pods.IsUnknown()
}

// PodFailure is why the JobManager does not start; nil when nothing says so.
func (v *Cluster) PodFailure() *plan.Cause {
	if v.Failure == nil {
		return nil
	}
	return &plan.Cause{Reason: v.Failure.Reason, Message: v.Failure.Message}
}
