package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Pace says how soon a resource is looked at again.
type Pace string

const (
	// PaceFast: each tick of the clock while something is in transition.
	PaceFast Pace = "fast"
	// PaceSlow: the sweep. Empty means the same.
	PaceSlow Pace = "slow"
)

// Verdict is what validators of the settings said of one spec.
type Verdict struct {
	// Of stands for the spec and for the validators as they were configured:
	// another spec, or another configuration, is asked about again.
	Of string `json:"of,omitempty"`
	// Refusal says why the spec is refused; absent means that it is not.
	Refusal string `json:"refusal,omitempty"`
}

// Progress is what our functions keep in the status of every kind: where the
// resource stands and what is under way. Times are stored in whole seconds: cut
// finer ones before comparing them with stored ones.
type Progress struct {
	// Situation is the one word the last pass had for the resource; empty
	// before the first pass.
	Situation string `json:"situation,omitempty"`
	// Pace says how soon the resource is checked again; empty means slow.
	Pace Pace `json:"pace,omitempty"`
	// PaceSince is when the transition began that Pace follows; absent while
	// nothing moves.
	PaceSince *metav1.Time `json:"paceSince,omitempty"`
	// Intent is the disruptive operation under way; absent means none.
	Intent *Intent `json:"intent,omitempty"`
	// Leases of JobManagers on nodes that do not answer, as a takedown that waits
	// for them saw them; absent while no takedown waits.
	Leases *Leases `json:"leases,omitempty"`
	// Verdict is what the validators of the settings said of the spec that they
	// were asked about last; absent means that none was asked.
	Verdict *Verdict `json:"verdict,omitempty"`
	// Retry says when an operation that failed is tried again; absent means
	// that none failed.
	Retry *Retry `json:"retry,omitempty"`
	// Refused is a change of the cluster's objects that the API server refuses
	// for now, and when it is tried again; absent means none.
	Refused *Refused `json:"refused,omitempty"`
	// Rescaling is true while the vertices of the job may have another parallelism
	// than the recorded spec says: it is stored before Flink is asked to rescale the
	// job in place, and goes with the record of what runs. Absent for other kinds.
	Rescaling bool `json:"rescaling,omitempty"`
	// GivenUpStop is the newest stop with savepoint that was given
	// up while the job kept running under the same ID; absent means none. A pass that was held up
	// may still ask Flink for it.
	GivenUpStop *GivenUpStop `json:"givenUpStop,omitempty"`
	// Restarts counts the restarts of a job or cluster that should run and did
	// not; absent means none since the last change.
	Restarts *Restarts `json:"restarts,omitempty"`
	// LostProgress says that the job began again from its old state, because its
	// JobManager was replaced and no high-availability data named a newer one;
	// absent means that it did not since it was started for a newer spec, or from
	// a chosen state.
	LostProgress *LostProgress `json:"lostProgress,omitempty"`
	// WrittenFor is the UID of the resource that the status was written for: in
	// another one it is a copy, and its job is not that one's. Absent before the
	// first start, in a status of the Java operator, and for kinds without a job.
	WrittenFor types.UID `json:"writtenFor,omitempty"`
	// Deployed is the newest start that was let run. It stays when that has ended:
	// what else runs in its place, status does not account for. Absent before the
	// first start, in a status of another operator, and for kinds without a job.
	Deployed *Deployed `json:"deployed,omitempty"`
	// FormerJobs are the IDs of the jobs of a FlinkSessionJob before
	// jobStatus.jobId, newest first: high availability may bring one back that
	// had ended, and it is cancelled then. Absent for other kinds.
	FormerJobs []string `json:"formerJobs,omitempty"`
	// Revision is the newest start of the job in its revision history; absent
	// before the first start, without a history, and for kinds without a job.
	Revision *RevisionStatus `json:"revision,omitempty"`
	// Wait says until when the resource waits for something, and what follows
	// then. Absent while it waits for nothing that has a time: condition
	// Reconciling or Stalled says what it waits for.
	Wait *Wait `json:"wait,omitempty"`
	// ReconcileRequested is the value of annotation
	// flink.apache.org/reconcile-requested-at that was acted on last; another value
	// ends the pause before the next attempt. Empty means none, and for kinds
	// without a job.
	ReconcileRequested string `json:"reconcileRequested,omitempty"`
}

// Wait is a wait that has a time.
type Wait struct {
	// For is what is waited for in one CamelCase word: the reason of the condition
	// that says more.
	For string `json:"for,omitempty"`
	// Until is when it ends at the latest.
	Until metav1.Time `json:"until,omitzero"`
	// Then is what follows at that time, in a few words.
	Then string `json:"then,omitempty"`
}

// Leases of the JobManagers of a cluster, as they were seen, and since when. They
// have expired when they do not change for long enough by our own clock, because
// the times in them are by the clocks of the nodes.
type Leases struct {
	// Of stands for the ConfigMaps, the holders and the times of renewal: a
	// SHA-256, as 64 hexadecimal digits.
	Of string `json:"of,omitempty"`
	// Since is when they were first seen so, by our clock.
	Since metav1.Time `json:"since,omitzero"`
}

// Deployed is what a status speaks of: one start that was let run.
type Deployed struct {
	// DeploymentUID is the UID of the JobManager Deployment; empty for a session
	// job, whose cluster may be replaced.
	DeploymentUID types.UID `json:"deploymentUID,omitempty"`
	// OperationID of the intent that started it; empty when another operator
	// started it.
	OperationID string `json:"operationID,omitempty"`
	// JobID that it was started with, 32 hexadecimal digits; empty for a session
	// cluster, or when it is not known.
	JobID string `json:"jobID,omitempty"`
	// FlinkVersion that it was started with; empty for a session job.
	FlinkVersion FlinkVersion `json:"flinkVersion,omitempty"`
	// Options of Flink that it was started with and by which it is found or judged:
	// today's defaults do not count for it. An option that is absent was not set.
	Options map[string]string `json:"options,omitempty"`
}

// LostProgress is how a job that began again lost what it had done.
type LostProgress struct {
	// Seen is when it was noticed; absent means that none is known to be lost.
	Seen *metav1.Time `json:"seen,omitempty"`
	// Before is the start time of the run before, epoch milliseconds as decimal
	// text; absent where none was seen.
	Before string `json:"before,omitempty"`
	// From is the savepoint or checkpoint that the job began from again; empty
	// means none.
	From string `json:"from,omitempty"`
	// Generation of the spec that was there then: a start for it was
	// asked for by a user who did not know. 0 means not known.
	Generation int64 `json:"generation,omitempty"`
	// Suspected is when the job was seen to have begun again, while Flink has not
	// said yet what it was restored from: more may have been lost. Absent means
	// that Flink has.
	Suspected *metav1.Time `json:"suspected,omitempty"`
	// Unknown is when that could not be found out any more: the JobManager was
	// replaced once more before Flink had said it. Absent means that it is not so.
	Unknown *metav1.Time `json:"unknown,omitempty"`
}

// Restarts are those that followed soon after one another.
type Restarts struct {
	// InARow is how many.
	InARow int32 `json:"inARow,omitempty"`
	// Last is when the newest of them was begun.
	Last metav1.Time `json:"last,omitzero"`
}

// Retry is the memory of an operation that failed.
type Retry struct {
	// Generation of the spec that the operation was for; another one is tried at
	// once.
	Generation int64 `json:"generation,omitempty"`
	// Attempts that failed so far.
	Attempts int32 `json:"attempts,omitempty"`
	// After is when the next attempt may be made.
	After metav1.Time `json:"after,omitzero"`
	// Reason of the last failure in one CamelCase word.
	Reason string `json:"reason,omitempty"`
	// Message of the last failure, one line.
	Message string `json:"message,omitempty"`
}

// Refused is a change of an object that was refused, and may be taken later: a
// webhook of somebody else is away, or the API server asks for patience.
type Refused struct {
	// Effect is what was refused, one line.
	Effect string `json:"effect"`
	// Retry says how often, and when it is tried again.
	Retry `json:",inline"`
}

// GivenUpStop is a stop with savepoint that was given up.
type GivenUpStop struct {
	// JobID of the job that was to be stopped.
	JobID string `json:"jobId"`
	// TriggerID that Flink was asked with.
	TriggerID string `json:"triggerId"`
	// Earlier are the TriggerIDs of stops of that job that were given up before
	// it, within the time that a request may come late by. Newest first.
	Earlier []string `json:"earlier,omitempty"`
	// At is when it was given up. A request comes late by minutes, not by hours:
	// a stop an hour later is another one. Absent means not known.
	At metav1.Time `json:"at,omitzero"`
}

// StopKind says how an operation stops the running job.
type StopKind string

const (
	// StopStateless: cancel, whatever becomes of the state. Empty means the same.
	StopStateless StopKind = "Stateless"
	// StopSavepoint: stop with a savepoint.
	StopSavepoint StopKind = "Savepoint"
	// StopCancel: cancel, and keep the last retained checkpoint.
	StopCancel StopKind = "Cancel"
	// StopLastState: delete the cluster and keep its high-availability data.
	StopLastState StopKind = "LastState"
	// StopNone: the job has ended by itself or never began.
	StopNone StopKind = "None"
)

// IntentPurpose says what an operation is for.
type IntentPurpose string

const (
	// PurposeDeploy: the first start.
	PurposeDeploy IntentPurpose = "Deploy"
	// PurposeUpgrade: stop, then start with the new spec.
	PurposeUpgrade IntentPurpose = "Upgrade"
	// PurposeSuspend: stop and stay stopped.
	PurposeSuspend IntentPurpose = "Suspend"
	// PurposeResume: start a suspended job.
	PurposeResume IntentPurpose = "Resume"
	// PurposeRecover: start again what was lost or failed.
	PurposeRecover IntentPurpose = "Recover"
	// PurposeDelete: stop because the resource is being deleted.
	PurposeDelete IntentPurpose = "Delete"
	// PurposeRollback: stop, then start with the last stable spec.
	PurposeRollback IntentPurpose = "Rollback"
	// PurposeRedeploy: start from initialSavepointPath because the redeploy
	// nonce changed.
	PurposeRedeploy IntentPurpose = "Redeploy"
)

// IntentStep says how far an operation got.
type IntentStep string

const (
	// StepStopping: the old job is being stopped.
	StepStopping IntentStep = "Stopping"
	// StepStarting: the objects of the new start are being created.
	StepStarting IntentStep = "Starting"
	// StepReleased: the start is recorded as released; it is a running job now.
	StepReleased IntentStep = "Released"
)

// StartKind says what state a job starts from.
type StartKind string

const (
	// StartEmpty: no state.
	StartEmpty StartKind = "Empty"
	// StartSavepoint: the savepoint or checkpoint at StartPoint.Path.
	StartSavepoint StartKind = "Savepoint"
	// StartLastState: the checkpoint that the high-availability data names.
	StartLastState StartKind = "LastState"
)

// SpecBase names a recorded spec in status.reconciliationStatus.
type SpecBase string

const (
	// BaseLastReconciled: lastReconciledSpec.
	BaseLastReconciled SpecBase = "LastReconciled"
	// BaseLastStable: lastStableSpec.
	BaseLastStable SpecBase = "LastStable"
)

// Intent is the write-ahead record of a disruptive operation: stored before the
// first effect, so that any later pass can go on from where a lost one stopped.
type Intent struct {
	// OperationID, 32 hexadecimal digits, is derived from the resource's UID,
	// OverResourceVersion and Purpose. It is on every object the start creates.
	OperationID string `json:"operationID,omitempty"`
	// Purpose of the operation.
	Purpose IntentPurpose `json:"purpose,omitempty"`
	// OverResourceVersion is the resourceVersion that the intent was stored over,
	// then "@" and the time of that look in seconds since 1970, which an intent of
	// an earlier version has not.
	OverResourceVersion string `json:"overResourceVersion,omitempty"`
	// Generation of the spec that the operation leads to.
	Generation int64 `json:"generation,omitempty"`
	// SpecHash is a hash of the spec that the operation leads to, in the text form
	// of lastReconciledSpec.
	SpecHash string `json:"specHash,omitempty"`
	// Spec that the operation leads to, in the text form of lastReconciledSpec.
	// It is stored because the user may edit the resource's own spec meanwhile: to
	// one that is invalid, or that has to wait for the end of the operation. Empty
	// for a deletion, and where SpecBase and SpecChange say the same with less: a
	// full copy is stored only if it differs from both recorded specs by more than
	// its own length, or in a way that a merge patch cannot express.
	Spec string `json:"spec,omitempty"`
	// SpecBase is the recorded spec that SpecChange is applied to; empty when Spec
	// is the whole. Both are stored by the same write as the text that they name,
	// and count only if the result has SpecHash.
	SpecBase SpecBase `json:"specBase,omitempty"`
	// SpecChange is the JSON merge patch (RFC 7386) that makes the text that
	// SpecBase names the spec that the operation leads to.
	SpecChange string `json:"specChange,omitempty"`
	// Room is blanks, as many as the operation will add to the status until it has
	// ended: an operation that begins and whose end did not fit into etcd would
	// stop a job and could not store its state. Only the first write of an
	// operation has it; empty for a deletion and a recovery.
	Room string `json:"room,omitempty"`
	// Step says how far the operation got.
	Step IntentStep `json:"step,omitempty"`
	// JobID of the job to start, 32 hexadecimal digits; empty when nothing is
	// started.
	JobID string `json:"jobID,omitempty"`
	// Options that the start is made with, see deployed.options, also when the
	// defaults have changed since; absent once it is released.
	Options map[string]string `json:"options,omitempty"`
	// From is the state the job starts from; absent while not known yet.
	From *StartPoint `json:"from,omitempty"`
	// TriggerID of the savepoint or stop request at Flink, 32 hexadecimal
	// digits; empty when none is made.
	TriggerID string `json:"triggerID,omitempty"`
	// Stops is the running job that the operation stops; absent when there is none.
	Stops *Incarnation `json:"stops,omitempty"`
	// Stop says how it is stopped; empty means Stateless.
	Stop StopKind `json:"stop,omitempty"`
	// Restore is how the successor gets its state, and the upgradeMode recorded
	// with it; empty means stateless.
	//
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	Restore UpgradeMode `json:"restore,omitempty"`
	// Ended is true once the end of the job, with the state that it left, is
	// recorded; only then may what knows it be deleted.
	Ended bool `json:"ended,omitempty"`
	// EndedAt is when that was recorded: a stop with savepoint may have taken its time before; absent while Ended is
	// false.
	EndedAt *metav1.Time `json:"endedAt,omitempty"`
	// Reopens is true of a start that follows a job whose end is not recorded: it
	// had never begun, or its Deployment was lost. What the start begins from is
	// decided again where that job is seen to have run since.
	Reopens bool `json:"reopens,omitempty"`
	// SilentNode is a node that did not answer while pods of a cluster were on it
	// that is taken down because its job had never begun, or of
	// one that Reopens is about: the job may have begun there unseen. Empty when there was none.
	SilentNode string `json:"silentNode,omitempty"`
	// Began is true once a container ran of such a cluster.
	Began bool `json:"began,omitempty"`
	// ForgetsJobs is true for the start of a session cluster where what ran before
	// kept its high-availability data elsewhere, or none: what lies there of jobs
	// that no FlinkSessionJob has is removed before the start.
	ForgetsJobs bool `json:"forgetsJobs,omitempty"`
	// UploadAt is when the upload of the jar of a session job was asked for;
	// absent means that it was not, or that it failed.
	UploadAt *metav1.Time `json:"uploadAt,omitempty"`
	// UploadRequests is how often that upload was asked for without an answer.
	UploadRequests int32 `json:"uploadRequests,omitempty"`
	// Release is set when the start was released; absent before.
	Release *Release `json:"release,omitempty"`
	// StoredAt is when the intent was stored.
	StoredAt metav1.Time `json:"storedAt,omitzero"`
}

// StartPoint is the state that a job starts from, and why that one.
type StartPoint struct {
	// Kind of the state.
	Kind StartKind `json:"kind,omitempty"`
	// Path of the savepoint or checkpoint; LastStatePlaceholder, or empty, when
	// Kind is LastState.
	Path string `json:"path,omitempty"`
	// Taken is when the state was taken: when its checkpoint was triggered, or
	// its savepoint was seen to be complete. That of high-availability data may
	// be newer. Absent means not known.
	Taken *metav1.Time `json:"taken,omitempty"`
	// Reason in one CamelCase word.
	Reason string `json:"reason,omitempty"`
	// UnclaimedStateIgnored is true of a start that left out, without a word of
	// Flink, state that no operator of the job claims, if there was any: no
	// savepoint has it.
	UnclaimedStateIgnored bool `json:"unclaimedStateIgnored,omitempty"`
	// RepeatsWork is true of a start from what a job that had FINISHED had been
	// started from, too: what it had done is done again.
	RepeatsWork bool `json:"repeatsWork,omitempty"`
}

// Incarnation identifies one run of one job: another start time is another run.
type Incarnation struct {
	// DeploymentUID is the UID of the JobManager Deployment.
	DeploymentUID types.UID `json:"deploymentUID,omitempty"`
	// JobID at Flink, 32 hexadecimal digits.
	JobID string `json:"jobID,omitempty"`
	// JobStartTime is Flink's start-time of the job, epoch milliseconds as
	// decimal text (GET /jobs/:jobid, start-time).
	JobStartTime string `json:"jobStartTime,omitempty"`
}

// Release records that a prepared start may run: from here it is a running job.
type Release struct {
	// DeploymentUID is the UID of the prepared JobManager Deployment; of a session
	// job, that of its session cluster.
	DeploymentUID types.UID `json:"deploymentUID,omitempty"`
	// Replicas that the Deployment gets.
	Replicas int32 `json:"replicas,omitempty"`
	// At is when the release of a session job was recorded, or its next attempt;
	// absent for a FlinkDeployment.
	At *metav1.Time `json:"at,omitempty"`
	// RunAt is when Flink was asked to run the jar of a session job; absent means
	// that it was not, or that it refused.
	RunAt *metav1.Time `json:"runAt,omitempty"`
	// RunRequests is how often Flink was asked to run it since it last refused.
	RunRequests int32 `json:"runRequests,omitempty"`
}
