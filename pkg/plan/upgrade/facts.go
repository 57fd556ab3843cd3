package upgrade

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Facts is everything that the decision depends on.
type Facts struct {
	// Now is the time of the look.
	Now time.Time
	// Application is true for a FlinkDeployment with a job, false for a session job.
	Application bool
	// Wanted is spec.job.upgradeMode of the spec to be deployed.
	Wanted v1beta1.UpgradeMode
	// State is the job's state as last observed; empty before the first look.
	State v1beta1.FlinkJobState
	// JobManager is status.jobManagerDeploymentStatus; READY for a session job, whose cluster is ready or its pass does
	// not run.
	JobManager v1beta1.JobManagerDeploymentStatus
	// VersionChanged is true when spec.flinkVersion differs from the one that runs.
	VersionChanged bool
	// HighAvailability is what is known of the cluster's high-availability data. Absent means that there is none, or that
	// high availability is not active in both the configuration that runs and the wanted one.
	HighAvailability plan.Observed[HAData]
	// Recorded is the state that status names for the next start: a path, v1beta1.LastStatePlaceholder, or empty.
	Recorded string
	// Unread is true while the job has ended and Recorded may not name its newest state yet.
	Unread bool
	// Vanished is true when the JobManager has answered for long, and does not know a job that ran.
	Vanished bool
	// RecordedMode is the upgradeMode of lastReconciledSpec: how the running job was started.
	RecordedMode v1beta1.UpgradeMode
	// NeverStarted is true when no container of the JobManager ever ran. Any doubt is a no.
	NeverStarted bool
	// SilentNode is a node that does not answer, so that NeverStarted cannot be told; empty when it can.
	SilentNode string
	// Unanswered is true while the JobManager's pod is ready, nobody answers, and that has not lasted for a minute yet:
	// what the job does is not known.
	Unanswered bool
	// SavepointPending is true while a savepoint that somebody asked for is being written and the option
	// job.upgrade.ignore-pending-savepoint is off.
	SavepointPending bool
	// Retention says what a cancellation leaves of the job's checkpoints. Absent: the job makes none, as in batch mode.
	Retention plan.Observed[Retention]
	// Forgets is true for a job that waits for resources and whose checkpoints Flink does not tell then, nor after its
	// end.
	Forgets bool
	// GraphUnread is why it is not known whether the job waits for resources; empty when it is.
	GraphUnread string
	// OutOfSight is true while what runs keeps its high-availability data in a ZooKeeper where only Flink can look.
	OutOfSight bool
	// Options are the ones that count here.
	Options Options
	// Checkpoints are the job's own; only asked for when MaxCheckpointAge is set.
	Checkpoints plan.Observed[Checkpoints]
}

// Options are the configuration that the decision depends on.
type Options struct {
	// LastStateFallback is kubernetes.operator.job.upgrade.last-state-fallback.enabled.
	LastStateFallback bool
	// JobCancel is kubernetes.operator.job.upgrade.last-state.job-cancel.enabled.
	JobCancel bool
	// MaxCheckpointAge is kubernetes.operator.job.upgrade.last-state.max.allowed.checkpoint.age; zero means unset.
	MaxCheckpointAge time.Duration
	// SavepointDir is true when execution.checkpointing.savepoint-dir is set in the configuration that runs or in the
	// wanted one.
	SavepointDir bool
}

// Retention is which of a job's checkpoints outlive it (GET /jobs/:jobid/checkpoints/config). Savepoints always do.
type Retention struct {
	// Cancelled is true when the newest outlives a cancellation.
	Cancelled bool
	// Failed is true when the newest outlives a failure for good.
	Failed bool
	// Periodic is true when the job makes checkpoints by itself.
	Periodic bool
}

// HAData is what the high-availability data says.
type HAData struct {
	// Checkpoint is true when it names a completed checkpoint.
	Checkpoint bool
}

// Checkpoints are the times that the age rule needs. A zero time means none.
type Checkpoints struct {
	// JobStart is when this incarnation of the job began.
	JobStart time.Time
	// Completed is when the newest completed checkpoint, savepoint or restored state was triggered.
	Completed time.Time
	// Pending is when the newest checkpoint was triggered, if it is still in progress.
	Pending time.Time
}
