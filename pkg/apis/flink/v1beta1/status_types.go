package v1beta1

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FlinkJobState is the state of a job as Flink reports it (JobStatus of flink-core, GET /jobs/:jobid, state).
//
// +kubebuilder:validation:Enum=INITIALIZING;CREATED;RUNNING;FAILING;FAILED;CANCELLING;CANCELED;FINISHED;RESTARTING;SUSPENDED;RECONCILING
type FlinkJobState string

// The states of Flink 1.15 to 2.x. RECONCILING also stands for "not known
// while deploying or out of reach".
const (
	FlinkJobInitializing FlinkJobState = "INITIALIZING"
	FlinkJobCreated      FlinkJobState = "CREATED"
	FlinkJobRunning      FlinkJobState = "RUNNING"
	FlinkJobFailing      FlinkJobState = "FAILING"
	FlinkJobFailed       FlinkJobState = "FAILED"
	FlinkJobCancelling   FlinkJobState = "CANCELLING"
	FlinkJobCanceled     FlinkJobState = "CANCELED"
	FlinkJobFinished     FlinkJobState = "FINISHED"
	FlinkJobRestarting   FlinkJobState = "RESTARTING"
	FlinkJobSuspended    FlinkJobState = "SUSPENDED"
	FlinkJobReconciling  FlinkJobState = "RECONCILING"
)

// Known tells whether the text is one of the enumeration.
func (s FlinkJobState) Known() bool {
	return s.IsTerminal() || slices.Contains([]FlinkJobState{
		FlinkJobInitializing, FlinkJobCreated, FlinkJobRunning, FlinkJobFailing, FlinkJobCancelling,
		FlinkJobRestarting, FlinkJobSuspended, FlinkJobReconciling,
	}, s)
}

// IsTerminal tells whether the job has ended for good: FAILED, CANCELED or
// FINISHED (isGloballyTerminalState of Flink). SUSPENDED is not: high
// availability may bring the job back.
func (s FlinkJobState) IsTerminal() bool {
	return s == FlinkJobFailed || s == FlinkJobCanceled || s == FlinkJobFinished
}

// LifecycleState is the summary of a resource in one word.
//
// +kubebuilder:validation:Enum=CREATED;SUSPENDED;UPGRADING;DEPLOYED;STABLE;ROLLING_BACK;ROLLED_BACK;FAILED;DELETING;DELETED
type LifecycleState string

const (
	// LifecycleCreated: not deployed yet.
	LifecycleCreated LifecycleState = "CREATED"
	// LifecycleSuspended: the job is suspended.
	LifecycleSuspended LifecycleState = "SUSPENDED"
	// LifecycleUpgrading: the old job is being stopped for a new one.
	LifecycleUpgrading LifecycleState = "UPGRADING"
	// LifecycleDeployed: started, not yet known to be stable.
	LifecycleDeployed LifecycleState = "DEPLOYED"
	// LifecycleStable: runs, and would be rolled back to.
	LifecycleStable LifecycleState = "STABLE"
	// LifecycleRollingBack: on the way back to the last stable spec.
	LifecycleRollingBack LifecycleState = "ROLLING_BACK"
	// LifecycleRolledBack: runs with the last stable spec.
	LifecycleRolledBack LifecycleState = "ROLLED_BACK"
	// LifecycleFailed: the job failed for good.
	LifecycleFailed LifecycleState = "FAILED"
	// LifecycleDeleting: the resource is being deleted.
	LifecycleDeleting LifecycleState = "DELETING"
	// LifecycleDeleted: nothing is left of it.
	LifecycleDeleted LifecycleState = "DELETED"
)

// Known tells whether the text is one of the enumeration.
func (s LifecycleState) Known() bool {
	return s.IsTerminal() || slices.Contains([]LifecycleState{
		LifecycleCreated, LifecycleUpgrading, LifecycleDeployed, LifecycleRollingBack, LifecycleDeleting,
	}, s)
}

// IsTerminal tells whether the resource stays there until someone changes it:
// SUSPENDED, STABLE, ROLLED_BACK, FAILED and DELETED.
func (s LifecycleState) IsTerminal() bool {
	return slices.Contains([]LifecycleState{
		LifecycleSuspended, LifecycleStable, LifecycleRolledBack, LifecycleFailed, LifecycleDeleted,
	}, s)
}

// ReconciliationState says whether the reconciled spec is deployed.
//
// +kubebuilder:validation:Enum=DEPLOYED;UPGRADING;ROLLING_BACK;ROLLED_BACK
type ReconciliationState string

const (
	// ReconciliationDeployed: lastReconciledSpec is what runs.
	ReconciliationDeployed ReconciliationState = "DEPLOYED"
	// ReconciliationUpgrading: the old job is stopped or being stopped. The
	// initial state.
	ReconciliationUpgrading ReconciliationState = "UPGRADING"
	// ReconciliationRollingBack: on the way back to lastStableSpec.
	ReconciliationRollingBack ReconciliationState = "ROLLING_BACK"
	// ReconciliationRolledBack: lastStableSpec is what runs.
	ReconciliationRolledBack ReconciliationState = "ROLLED_BACK"
)

// Known tells whether the text is one of the enumeration.
func (s ReconciliationState) Known() bool {
	return slices.Contains([]ReconciliationState{
		ReconciliationDeployed, ReconciliationUpgrading, ReconciliationRollingBack, ReconciliationRolledBack,
	}, s)
}

// JobManagerDeploymentStatus says how the JobManager is doing.
//
// +kubebuilder:validation:Enum=READY;DEPLOYED_NOT_READY;DEPLOYING;MISSING;ERROR
type JobManagerDeploymentStatus string

const (
	// JobManagerReady: its REST interface answers.
	JobManagerReady JobManagerDeploymentStatus = "READY"
	// JobManagerDeployedNotReady: its port is open, it does not answer yet.
	JobManagerDeployedNotReady JobManagerDeploymentStatus = "DEPLOYED_NOT_READY"
	// JobManagerDeploying: its pod is coming up.
	JobManagerDeploying JobManagerDeploymentStatus = "DEPLOYING"
	// JobManagerMissing: no Deployment of that name. The initial state.
	JobManagerMissing JobManagerDeploymentStatus = "MISSING"
	// JobManagerError: its pod cannot start.
	JobManagerError JobManagerDeploymentStatus = "ERROR"
)

// Known tells whether the text is one of the enumeration.
func (s JobManagerDeploymentStatus) Known() bool {
	return slices.Contains([]JobManagerDeploymentStatus{
		JobManagerReady, JobManagerDeployedNotReady, JobManagerDeploying, JobManagerMissing, JobManagerError,
	}, s)
}

// LastStatePlaceholder in upgradeSavepointPath means: start from the checkpoint
// that the high-availability data names.
const LastStatePlaceholder = "KUBERNETES_OPERATOR_LAST_STATE"

// JobStatus is what was last observed of a job.
type JobStatus struct {
	// JobName at Flink; empty when not known.
	JobName string `json:"jobName,omitempty"`
	// JobID at Flink, 32 hexadecimal digits; empty when there is no job.
	JobID string `json:"jobId,omitempty"`
	// State last observed; empty when there is no job.
	State FlinkJobState `json:"state,omitempty"`
	// StartTime of the job, epoch milliseconds as decimal text.
	StartTime string `json:"startTime,omitempty"`
	// UpdateTime is when State was last updated, epoch milliseconds as decimal
	// text.
	UpdateTime string `json:"updateTime,omitempty"`
	// UpgradeSavepointPath is the state of the next start; empty means none,
	// LastStatePlaceholder the latest of the high-availability data.
	UpgradeSavepointPath string `json:"upgradeSavepointPath,omitempty"`
	// StateTaken is when the state of UpgradeSavepointPath was taken or, while a
	// job is stopped to continue from its high-availability data, its newest
	// checkpoint known then; absent means not known.
	StateTaken *metav1.Time `json:"stateTaken,omitempty"`
	// StartedFrom is the state that the newest start began from, and why that
	// one; kept until the next start. Absent means that nothing was started, or
	// by another operator.
	StartedFrom *StartPoint `json:"startedFrom,omitempty"`
	// BasedOn is where the state lies that the high-availability data of the
	// newest start may still go back to: what the job was first started from.
	// Absent means that startedFrom says it, or that there is none.
	BasedOn string `json:"basedOn,omitempty"`
	// SupersededSavepoint is the location of the last savepoint in savepointInfo
	// that an empty start gave up: nothing is started from it unless
	// a user chooses it.
	SupersededSavepoint string `json:"supersededSavepoint,omitempty"`
	// LastStateUnread is true while the job has ended and upgradeSavepointPath
	// may not name its newest state yet: Flink's statistics show it some seconds
	// later. Nothing starts from the path until then.
	LastStateUnread bool `json:"lastStateUnread,omitempty"`
	// Checkpoint is one that the job is known to have completed; absent means
	// that none is known. It is evidence and not a state to start from: where it
	// is not found any more, state was lost.
	Checkpoint *KnownCheckpoint `json:"checkpoint,omitempty"`
	// CheckpointTimeout is after how long Flink gives a checkpoint or savepoint
	// of the job up, where the job's code says otherwise than
	// execution.checkpointing.timeout; absent means as configured, or not known.
	CheckpointTimeout *metav1.Duration `json:"checkpointTimeout,omitempty"`
	// HighAvailabilityData is the data that the job was seen to run with; absent
	// means that none was seen, or that the job keeps no state. Where there is
	// another one, the job began again without its checkpoints.
	HighAvailabilityData *KnownHighAvailabilityData `json:"highAvailabilityData,omitempty"`
	// JobGraphRemoved is the ID of the job, once it has ended and its job graph is known to be gone from a ZooKeeper
	// where only Flink can look; empty means that it may be there, and a start would run it.
	JobGraphRemoved string `json:"jobGraphRemoved,omitempty"`
	// SavepointInfo of savepoints without a FlinkStateSnapshot. Deprecated.
	SavepointInfo *SavepointInfo `json:"savepointInfo,omitempty"`
	// CheckpointInfo of checkpoints without a FlinkStateSnapshot. Deprecated.
	CheckpointInfo *CheckpointInfo `json:"checkpointInfo,omitempty"`
}

// CheckpointTimeoutOr is CheckpointTimeout, or what is configured where it is absent.
func (s JobStatus) CheckpointTimeoutOr(configured time.Duration) time.Duration {
	if s.CheckpointTimeout == nil {
		return configured
	}
	return s.CheckpointTimeout.Duration
}

// KnownCheckpoint is a checkpoint that was seen: in the high-availability data,
// or in the job's statistics (GET /jobs/:jobid/checkpoints).
type KnownCheckpoint struct {
	// JobID of the job that completed it, 32 hexadecimal digits.
	JobID string `json:"jobId,omitempty"`
	// Path where it lies, the newest when it was written; empty when only the
	// high-availability data was seen, which does not name it in plain text.
	Path string `json:"path,omitempty"`
	// Taken is when the one of Path was triggered; absent when that is not known.
	Taken *metav1.Time `json:"taken,omitempty"`
}

// KnownHighAvailabilityData tells the high-availability data of a job from data
// that Flink makes for it later, after it has removed this.
type KnownHighAvailabilityData struct {
	// JobID of the job whose data it is, 32 hexadecimal digits.
	JobID string `json:"jobId,omitempty"`
	// UID of its ConfigMap or, in ZooKeeper, the transaction that made its node,
	// in hexadecimal digits after 0x.
	UID string `json:"uid,omitempty"`
	// Forgotten is true when it was seen to name no checkpoint, although the job
	// had completed one, and the job was not seen since; or when Flink runs the
	// job again although its end is recorded.
	Forgotten bool `json:"forgotten,omitempty"`
}

// SavepointInfo records savepoints that were taken without a
// FlinkStateSnapshot. Times are epoch milliseconds.
type SavepointInfo struct {
	// LastSavepoint that completed; absent means none.
	LastSavepoint *Savepoint `json:"lastSavepoint,omitempty"`
	// TriggerID of the savepoint in flight; absent means none.
	TriggerID *string `json:"triggerId,omitempty"`
	// TriggerTimestamp of the savepoint in flight, or, without TriggerID, of the
	// one that failed and is asked for again; absent means none.
	TriggerTimestamp *int64 `json:"triggerTimestamp,omitempty"`
	// TriggerType of the savepoint in flight.
	TriggerType SnapshotTriggerType `json:"triggerType,omitempty"`
	// FormatType of the savepoint in flight.
	FormatType SavepointFormatType `json:"formatType,omitempty"`
	// Run is the run of the job that the savepoint in flight was asked of;
	// absent when another operator asked.
	Run *Incarnation `json:"run,omitempty"`
	// SavepointHistory, oldest first.
	SavepointHistory []Savepoint `json:"savepointHistory,omitzero"`
	// LastPeriodicSavepointTimestamp; 0 means none.
	LastPeriodicSavepointTimestamp int64 `json:"lastPeriodicSavepointTimestamp"`
}

// Savepoint is one completed savepoint.
type Savepoint struct {
	// TimeStamp of completion, epoch milliseconds; 0 means not known.
	TimeStamp int64 `json:"timeStamp"`
	// Location of its data.
	Location string `json:"location,omitempty"`
	// TriggerType says why it was taken.
	TriggerType SnapshotTriggerType `json:"triggerType,omitempty"`
	// FormatType of its data.
	FormatType SavepointFormatType `json:"formatType,omitempty"`
	// TriggerNonce of the spec that asked for it; absent unless asked for so.
	TriggerNonce *int64 `json:"triggerNonce,omitempty"`
}

// CheckpointInfo records checkpoints that were asked for without a
// FlinkStateSnapshot. Times are epoch milliseconds.
type CheckpointInfo struct {
	// LastCheckpoint that completed; absent means none.
	LastCheckpoint *Checkpoint `json:"lastCheckpoint,omitempty"`
	// TriggerID of the checkpoint in flight; absent means none.
	TriggerID *string `json:"triggerId,omitempty"`
	// TriggerTimestamp of the checkpoint in flight, or, without TriggerID, of
	// the one that failed and is asked for again; absent means none.
	TriggerTimestamp *int64 `json:"triggerTimestamp,omitempty"`
	// TriggerType of the checkpoint in flight.
	TriggerType SnapshotTriggerType `json:"triggerType,omitempty"`
	// FormatType of the checkpoint in flight.
	FormatType CheckpointFormatType `json:"formatType,omitempty"`
	// Run is the run of the job that the checkpoint in flight was asked of;
	// absent when another operator asked.
	Run *Incarnation `json:"run,omitempty"`
	// LastPeriodicCheckpointTimestamp; 0 means none.
	LastPeriodicCheckpointTimestamp int64 `json:"lastPeriodicCheckpointTimestamp"`
}

// Checkpoint is one completed checkpoint.
type Checkpoint struct {
	// TimeStamp of completion, epoch milliseconds; 0 means not known.
	TimeStamp int64 `json:"timeStamp"`
	// TriggerType says why it was taken.
	TriggerType SnapshotTriggerType `json:"triggerType,omitempty"`
	// FormatType says how much it holds.
	FormatType CheckpointFormatType `json:"formatType,omitempty"`
	// TriggerNonce of the spec that asked for it; absent unless asked for so.
	TriggerNonce *int64 `json:"triggerNonce,omitempty"`
}

// ReconciliationStatus says which spec was acted on.
type ReconciliationStatus struct {
	// ReconciliationTimestamp is when, epoch milliseconds; 0 means never.
	ReconciliationTimestamp int64 `json:"reconciliationTimestamp,omitempty"`
	// LastReconciledSpec is the spec acted on last, as JSON text; empty before
	// the first deployment.
	LastReconciledSpec string `json:"lastReconciledSpec,omitempty"`
	// LastStableSpec is the newest spec known to run well, as JSON text; empty
	// when there is none.
	LastStableSpec string `json:"lastStableSpec,omitempty"`
	// State says whether the spec is deployed; empty means UPGRADING.
	State ReconciliationState `json:"state,omitempty"`
}

// IsBeforeFirstDeployment tells that no spec was acted on yet.
func (s ReconciliationStatus) IsBeforeFirstDeployment() bool { return s.LastReconciledSpec == "" }

// FlinkDeploymentStatus is what was observed of a cluster and what is under way.
type FlinkDeploymentStatus struct {
	// JobStatus of an application's job.
	JobStatus JobStatus `json:"jobStatus,omitzero"`
	// Error is the last failure as JSON text; empty when healthy.
	Error string `json:"error,omitempty"`
	// ObservedGeneration is the generation judged last, whatever the verdict was;
	// 0 or -1 means none. The Java operator: the generation acted on last.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// DeployedGeneration is the generation acted on last, which lastReconciledSpec
	// records, where that is another one: a newer spec is invalid, is refused or
	// waits. Absent means that it is ObservedGeneration; 0 that it is not known.
	DeployedGeneration *int64 `json:"deployedGeneration,omitempty"`
	// LifecycleState summarises the rest.
	LifecycleState LifecycleState `json:"lifecycleState,omitempty"`
	// LifecycleSince is since when LifecycleState is what it is; absent when
	// that is not known.
	LifecycleSince *metav1.Time `json:"lifecycleSince,omitempty"`
	// ClusterInfo: flink-version, flink-revision, total-cpu, total-memory,
	// state-size, ClusterHealthInfo and JobExceptionInfo.
	ClusterInfo map[string]string `json:"clusterInfo,omitzero"`
	// JobManagerDeploymentStatus says how the JobManager is doing.
	JobManagerDeploymentStatus JobManagerDeploymentStatus `json:"jobManagerDeploymentStatus,omitempty"`
	// ReconciliationStatus says which spec was acted on.
	ReconciliationStatus ReconciliationStatus `json:"reconciliationStatus,omitzero"`
	// TaskManager feeds the scale subresource; absent means not an application.
	TaskManager *TaskManagerInfo `json:"taskManager,omitempty"`
	// Conditions; Running has the meaning it has in the Java operator.
	Conditions []metav1.Condition `json:"conditions,omitzero"`

	Progress `json:",inline"`
}

// TaskManagerInfo feeds the scale subresource.
type TaskManagerInfo struct {
	// LabelSelector of the TaskManager pods; empty while not running.
	LabelSelector string `json:"labelSelector"`
	// Replicas of TaskManagers; 0 while not running.
	Replicas int32 `json:"replicas"`
}

// FlinkSessionJobStatus is what was observed of a session job and what is under
// way.
type FlinkSessionJobStatus struct {
	// JobStatus of the job.
	JobStatus JobStatus `json:"jobStatus,omitzero"`
	// Error is the last failure as JSON text; empty when healthy.
	Error string `json:"error,omitempty"`
	// ObservedGeneration is the last generation that was judged, as in a
	// FlinkDeployment; 0 or -1 means none.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// DeployedGeneration is the generation acted on last, as that of a
	// FlinkDeployment; absent means that it is ObservedGeneration.
	DeployedGeneration *int64 `json:"deployedGeneration,omitempty"`
	// ClusterInfo: JobExceptionInfo.
	ClusterInfo map[string]string `json:"clusterInfo,omitzero"`
	// LifecycleState summarises the rest.
	LifecycleState LifecycleState `json:"lifecycleState,omitempty"`
	// LifecycleSince is since when LifecycleState is what it is; absent when
	// that is not known.
	LifecycleSince *metav1.Time `json:"lifecycleSince,omitempty"`
	// ReconciliationStatus says which spec was acted on.
	ReconciliationStatus ReconciliationStatus `json:"reconciliationStatus,omitzero"`
	// Conditions in metav1 form.
	Conditions []metav1.Condition `json:"conditions,omitzero"`

	Progress `json:",inline"`
}
