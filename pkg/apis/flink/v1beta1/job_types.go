package v1beta1

// JobState is the state a user wants a job in.
//
// +kubebuilder:validation:Enum=running;suspended
type JobState string

const (
	// JobStateRunning asks for a running job. The default.
	JobStateRunning JobState = "running"
	// JobStateSuspended asks for a stopped job whose state is kept as the
	// upgrade mode says.
	JobStateSuspended JobState = "suspended"
)

// Known tells whether the text is one of the enumeration.
func (s JobState) Known() bool { return s == JobStateRunning || s == JobStateSuspended }

// UpgradeMode says which state a job takes along when it is stopped and started.
//
// +kubebuilder:validation:Enum=savepoint;last-state;stateless
type UpgradeMode string

const (
	// UpgradeModeSavepoint stops with a savepoint and starts from it.
	UpgradeModeSavepoint UpgradeMode = "savepoint"
	// UpgradeModeLastState starts from the latest checkpoint.
	UpgradeModeLastState UpgradeMode = "last-state"
	// UpgradeModeStateless starts from empty state. The default.
	UpgradeModeStateless UpgradeMode = "stateless"
)

// Known tells whether the text is one of the enumeration.
func (m UpgradeMode) Known() bool {
	return m == UpgradeModeSavepoint || m == UpgradeModeLastState || m == UpgradeModeStateless
}

// JobSpec describes a Flink job, of an application cluster or of a session job.
type JobSpec struct {
	// JarURI locates the job's jar: local:///path inside the image for an
	// application, https or, where that is allowed, http for a session job.
	// Empty means the entry class is on the class path of the image.
	JarURI string `json:"jarURI,omitempty"`
	// Parallelism of the job; 0 means not set (then taskManager.replicas sets
	// it, replicas times slots).
	Parallelism int32 `json:"parallelism,omitempty"`
	// EntryClass is the class with the main method; empty means the jar's
	// manifest names it.
	EntryClass string `json:"entryClass,omitempty"`
	// Args of the main method; absent means none.
	Args []string `json:"args,omitzero"`
	// State wanted; empty means running.
	State JobState `json:"state,omitempty"`
	// SavepointTriggerNonce takes a savepoint when it changes to another
	// value. Deprecated: create a FlinkStateSnapshot.
	SavepointTriggerNonce *int64 `json:"savepointTriggerNonce,omitempty"`
	// InitialSavepointPath is the state of the first start, and of each
	// savepoint redeploy; empty means start empty.
	InitialSavepointPath string `json:"initialSavepointPath,omitempty"`
	// CheckpointTriggerNonce takes a checkpoint when it changes to another
	// value. Deprecated: create a FlinkStateSnapshot.
	CheckpointTriggerNonce *int64 `json:"checkpointTriggerNonce,omitempty"`
	// UpgradeMode says which state the job takes along; empty means stateless.
	UpgradeMode UpgradeMode `json:"upgradeMode,omitempty"`
	// AllowNonRestoredState lets a start skip state in the savepoint that the
	// job no longer has; absent leaves it to the Flink option
	// execution.state-recovery.ignore-unclaimed-state.
	AllowNonRestoredState *bool `json:"allowNonRestoredState,omitempty"`
	// SavepointRedeployNonce redeploys from initialSavepointPath when it
	// changes to another value.
	SavepointRedeployNonce *int64 `json:"savepointRedeployNonce,omitempty"`
	// AutoscalerResetNonce forgets the autoscaler's history, metrics and
	// overrides when it changes to another value.
	AutoscalerResetNonce *int64 `json:"autoscalerResetNonce,omitempty"`
}

// DesiredState is State with its default.
func (j *JobSpec) DesiredState() JobState {
	if j == nil || j.State == "" {
		return JobStateRunning
	}
	return j.State
}

// DesiredUpgradeMode is UpgradeMode with its default.
func (j *JobSpec) DesiredUpgradeMode() UpgradeMode {
	if j == nil || j.UpgradeMode == "" {
		return UpgradeModeStateless
	}
	return j.UpgradeMode
}
