package cluster

import (
	"strconv"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster/evidence"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
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
func TakeOver(v Cluster) {
	r := &v.Want.ReconciliationStatus
	if v.Last == nil || v.Intent() != nil || (r.State != v1beta1.ReconciliationUpgrading && r.State != "") {
		return
	}
	jm, present := v.Seen.JobManager.Get()
	switch {
	case (!v.LastRunning() || v.IsSession()) && v.IsFirst() && v.Seen.JobManager.IsAbsent():
		v.Note("the first start by another operator did not complete: it is repeated")
		job.Record(v.Life).NeverDeployed()
	case present && takeover(v).madeForRecord(jm):
		v.Note("the recorded spec is deployed already: an upgrade by another operator is taken over")
		v.SetJobState(takeover(v).startedAs())
		takeover(v).recordDeployed()
	case !v.LastRunning() && !v.WantsRunning() && v.Want.JobStatus.State.IsTerminal():
		v.Note("the suspension by another operator has ended")
		r.State = v1beta1.ReconciliationDeployed
		r.LastStableSpec = r.LastReconciledSpec
	case v.LastRunning() && present && takeover(v).runsRecorded() &&
		!v.Changed().Kind.Effective():
		v.Note("the operation of another operator did not complete: the recorded spec runs")
		r.State = v1beta1.ReconciliationDeployed
	}
}

// takeover compares what is recorded with what is there, after another operator was at work.
type takeover Cluster

// madeForRecord reports whether the Deployment was made for the recorded spec, and not scaled down since, which is how
// a cluster is taken down.
func (v takeover) madeForRecord(jm *appsv1.Deployment) bool {
	scaledDown := evidence.Replicas(jm) == 0
	return v.Owned(jm) && jm.DeletionTimestamp == nil && !scaledDown &&
		v.Want.JobManagerDeploymentStatus != v1beta1.JobManagerReady && v.ofGeneration(jm)
}

// ofGeneration compares the generations. Older operators wrote neither; then a JobManager that was recorded as gone and
// is there was made after that record.
func (v takeover) ofGeneration(jm *appsv1.Deployment) bool {
	made := jm.Annotations[v1beta1.AnnotationGeneration]
	if made == "" && v.Deployed == 0 {
		return v.Want.JobManagerDeploymentStatus == v1beta1.JobManagerMissing
	}
	return made == strconv.FormatInt(v.Deployed, 10)
}

// startedAs is the state of a job that was just started; a session cluster has none.
func (v takeover) startedAs() v1beta1.FlinkJobState {
	if v.Last.Spec.Job == nil {
		return v.Want.JobStatus.State
	}
	return v1beta1.FlinkJobReconciling
}

// recordDeployed records the recorded spec as running.
func (v takeover) recordDeployed() {
	v.Want.ReconciliationStatus.State = v1beta1.ReconciliationDeployed
	record := v1beta1.ReconciledDeployment{Spec: *v.Last.Spec.DeepCopy()}
	if record.Spec.Job != nil {
		record.Spec.Job.State = v1beta1.JobStateRunning
	}
	job.Record(v.Life).Store(record, v.IsFirst())
}

// runsRecorded reports whether Flink lists the job as one that is neither ended nor being cancelled; for a session
// cluster, whether Flink answers.
func (v takeover) runsRecorded() bool {
	jobs, answered := v.Seen.Flink.Jobs.Get()
	if v.Last.Spec.Job == nil {
		return answered
	}
	j, listed := job.FindJob(jobs, v.Want.JobStatus.JobID)
	return listed && !j.State.IsTerminal() && j.State != v1beta1.FlinkJobCancelling
}
