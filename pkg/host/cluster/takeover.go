package cluster

import (
	"strconv"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/evidence"
)

// TakeOver takes over a state of UPGRADING, or none, that no intent of ours accounts for. First match wins:
//
//	recorded job      Deployment                   and                            then
//	first, suspended  Absent                                                      never deployed: the first start is
//	                                                                              made
//	or a session
//	any               made for the generation      JobManager not READY           deployed: the record was not written
//	                                                                              any more
//	                  recorded, has replicas
//	suspended         -                            it is to stay suspended, and   suspended: the cancellation has ended
//	                                               the job has ended
//	running           answers, and the job runs    the spec asks for nothing else  deployed: the operation did not come
//	                                                                               through
//	otherwise                                                                     as it is: the rules go on from the
//	                                                                              record
func TakeOver(v *Cluster) {
	r := &v.Look.Want.ReconciliationStatus
	if v.Look.Last == nil || v.Look.Intent() != nil || (r.State != v1beta1.ReconciliationUpgrading && r.State != "") {
		return
	}
	jm, present := v.Seen.JobManager.Get()
	switch {
	case (!v.Look.LastRunning() || v.Look.IsSession()) && v.Look.IsFirst() && v.Seen.JobManager.IsAbsent():
		v.Look.Note("the first start by another operator did not complete: it is repeated")
		record.NeverDeployed(v.Look)
	case present && madeForRecord(v, jm):
		v.Look.Note("the recorded spec is deployed already: an upgrade by another operator is taken over")
		v.Look.SetJobState(startedAs(v))
		recordDeployed(v)
	case !v.Look.LastRunning() && !v.Look.WantsRunning() && v.Look.Want.JobStatus.State.IsTerminal():
		v.Look.Note("the suspension by another operator has ended")
		r.State = v1beta1.ReconciliationDeployed
		r.LastStableSpec = r.LastReconciledSpec
	case v.Look.LastRunning() && present && runsRecorded(v) &&
		!v.Look.Changed().Kind.Effective():
		v.Look.Note("the operation of another operator did not complete: the recorded spec runs")
		r.State = v1beta1.ReconciliationDeployed
	}
}

// madeForRecord reports whether the Deployment was made for the recorded spec, and not scaled down since, which is how
// a cluster is taken down.
func madeForRecord(v *Cluster, jm *appsv1.Deployment) bool {
	scaledDown := evidence.Replicas(jm) == 0
	return v.Owned(jm) && jm.DeletionTimestamp == nil && !scaledDown &&
		v.Look.Want.JobManagerDeploymentStatus != v1beta1.JobManagerReady && ofGeneration(v, jm)
}

// ofGeneration compares the generations. Older operators wrote neither; then a JobManager that was recorded as gone and
// is there was made after that record.
func ofGeneration(v *Cluster, jm *appsv1.Deployment) bool {
	made := jm.Annotations[v1beta1.AnnotationGeneration]
	if made == "" && v.Look.Deployed == 0 {
		return v.Look.Want.JobManagerDeploymentStatus == v1beta1.JobManagerMissing
	}
	return made == strconv.FormatInt(v.Look.Deployed, 10)
}

// startedAs is the state of a job that was just started; a session cluster has none.
func startedAs(v *Cluster) v1beta1.FlinkJobState {
	if v.Look.Last.Spec.Job == nil {
		return v.Look.Want.JobStatus.State
	}
	return v1beta1.FlinkJobReconciling
}

// recordDeployed records the recorded spec as running.
func recordDeployed(v *Cluster) {
	v.Look.Want.ReconciliationStatus.State = v1beta1.ReconciliationDeployed
	reconciled := v1beta1.ReconciledDeployment{Spec: *v.Look.Last.Spec.DeepCopy()}
	if reconciled.Spec.Job != nil {
		reconciled.Spec.Job.State = v1beta1.JobStateRunning
	}
	record.Store(v.Look, reconciled, v.Look.IsFirst())
}

// runsRecorded reports whether Flink lists the job as one that is neither ended nor being cancelled; for a session
// cluster, whether Flink answers.
func runsRecorded(v *Cluster) bool {
	jobs, answered := v.Seen.Flink.Jobs.Get()
	if v.Look.Last.Spec.Job == nil {
		return answered
	}
	j, listed := world.FindJob(jobs, v.Look.Want.JobStatus.JobID)
	return listed && !j.State.IsTerminal() && j.State != v1beta1.FlinkJobCancelling
}
