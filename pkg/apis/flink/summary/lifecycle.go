package summary

import (
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// Phrases in status.error that mean that a deployment cannot go on by itself.
// The Java operator's errors contain them too.
const (
	// PhraseManualRestore: a person has to say which state to start from.
	PhraseManualRestore = "Manual restore required."
	// PhraseJobGone: the high-availability data does not name a job any more.
	PhraseJobGone = "or the configmaps have been deleted"
	// PhraseNoHAMetadata: there is no high-availability data.
	PhraseNoHAMetadata = "HA metadata is not available"
)

// lifecycleFacts is what the lifecycle state is derived from.
type lifecycleFacts struct {
	stored         v1beta1.LifecycleState
	wanted         v1beta1.JobState // empty for a session cluster
	reconciliation v1beta1.ReconciliationStatus
	job            v1beta1.FlinkJobState
	err            string
	hasJobManager  bool // a FlinkDeployment
	jobManager     v1beta1.JobManagerDeploymentStatus
}

// DeploymentLifecycle derives status.lifecycleState of a deployment from its
// spec and the rest of its status. First match wins:
//
//	stored DELETING or DELETED                              | as stored
//	nothing reconciled yet, error set                       | FAILED
//	nothing reconciled yet, job wanted suspended            | SUSPENDED
//	nothing reconciled yet                                  | CREATED
//	state UPGRADING or unknown                              | UPGRADING
//	state ROLLING_BACK                                      | ROLLING_BACK
//	the reconciled job is suspended                         | SUSPENDED
//	job FAILED                                              | FAILED
//	JobManager MISSING or ERROR and a phrase above in error | FAILED
//	state ROLLED_BACK                                       | ROLLED_BACK
//	reconciled and stable spec differ                       | DEPLOYED
//	JobManager not READY and the job has not ended          | DEPLOYED
//	job neither RUNNING nor FINISHED                        | DEPLOYED
//	else                                                    | STABLE
//
// The rows for a suspended first spec, for a JobManager that is not READY and
// for a job that does not run are ours: the Java operator leaves the field
// empty there, or says STABLE while the JobManager is dead or the job is being
// recovered.
func DeploymentLifecycle(d *v1beta1.FlinkDeployment) v1beta1.LifecycleState {
	facts := lifecycleFacts{
		stored:         d.Status.LifecycleState,
		reconciliation: d.Status.ReconciliationStatus,
		job:            d.Status.JobStatus.State,
		err:            d.Status.Error,
		hasJobManager:  true,
		jobManager:     d.Status.JobManagerDeploymentStatus,
	}
	if d.Spec.Job != nil {
		facts.wanted = d.Spec.Job.DesiredState()
	}
	return facts.derive()
}

// SessionJobLifecycle derives status.lifecycleState of a session job: the table
// of DeploymentLifecycle without the rows about the JobManager.
func SessionJobLifecycle(j *v1beta1.FlinkSessionJob) v1beta1.LifecycleState {
	return lifecycleFacts{
		stored:         j.Status.LifecycleState,
		wanted:         j.Spec.Job.DesiredState(),
		reconciliation: j.Status.ReconciliationStatus,
		job:            j.Status.JobStatus.State,
		err:            j.Status.Error,
	}.derive()
}

func (f lifecycleFacts) derive() v1beta1.LifecycleState {
	switch {
	case f.stored == v1beta1.LifecycleDeleting || f.stored == v1beta1.LifecycleDeleted:
		return f.stored
	case f.reconciliation.IsBeforeFirstDeployment():
		return f.beforeFirstDeployment()
	case f.reconciliation.State == v1beta1.ReconciliationRollingBack:
		return v1beta1.LifecycleRollingBack
	case f.reconciliation.State != v1beta1.ReconciliationDeployed &&
		f.reconciliation.State != v1beta1.ReconciliationRolledBack:
		return v1beta1.LifecycleUpgrading
	case v1beta1.ReconciledJobState(f.reconciliation.LastReconciledSpec) == v1beta1.JobStateSuspended:
		return v1beta1.LifecycleSuspended
	case f.job == v1beta1.FlinkJobFailed || f.cannotGoOn():
		return v1beta1.LifecycleFailed
	case f.reconciliation.State == v1beta1.ReconciliationRolledBack:
		return v1beta1.LifecycleRolledBack
	case f.reconciliation.LastReconciledSpec != f.reconciliation.LastStableSpec || f.jobManagerDown() || f.jobDown():
		return v1beta1.LifecycleDeployed
	default:
		return v1beta1.LifecycleStable
	}
}

func (f lifecycleFacts) beforeFirstDeployment() v1beta1.LifecycleState {
	switch {
	case f.err != "":
		return v1beta1.LifecycleFailed
	case f.wanted == v1beta1.JobStateSuspended:
		return v1beta1.LifecycleSuspended
	default:
		return v1beta1.LifecycleCreated
	}
}

func (f lifecycleFacts) cannotGoOn() bool {
	if !f.hasJobManager || (f.jobManager != v1beta1.JobManagerMissing && f.jobManager != v1beta1.JobManagerError) {
		return false
	}
	return strings.Contains(f.err, PhraseManualRestore) ||
		strings.Contains(f.err, PhraseJobGone) ||
		strings.Contains(f.err, PhraseNoHAMetadata)
}

func (f lifecycleFacts) jobManagerDown() bool {
	return f.hasJobManager && f.jobManager != v1beta1.JobManagerReady && !f.job.IsTerminal()
}

// jobDown reports whether there should be a job and its tasks do not run. One that has finished is not missed.
func (f lifecycleFacts) jobDown() bool {
	return f.job != v1beta1.FlinkJobRunning && f.job != v1beta1.FlinkJobFinished &&
		v1beta1.ReconciledJobState(f.reconciliation.LastReconciledSpec) != ""
}
