package v1beta1

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// FlinkStateSnapshot asks for one savepoint or checkpoint of a job, or stands
// for one that exists.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=flinkstatesnapshots,singular=flinkstatesnapshot,shortName=flinksnp,categories=flink,scope=Namespaced
// +kubebuilder:subresource:status
// +kubebuilder:selectablefield:JSONPath=`.status.pace`
// +kubebuilder:printcolumn:name="Path",type=string,JSONPath=`.status.path`
// +kubebuilder:printcolumn:name="Result Timestamp",type=string,JSONPath=`.status.resultTimestamp`
// +kubebuilder:printcolumn:name="Snapshot State",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Situation",type=string,JSONPath=`.status.situation`,priority=1
type FlinkStateSnapshot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// Spec is what the user wants.
	Spec FlinkStateSnapshotSpec `json:"spec,omitzero"`
	// Status is how far the snapshot got; zero before the first pass.
	Status FlinkStateSnapshotStatus `json:"status,omitzero"`
}

// JobKind is the kind of the resource a snapshot is taken of.
//
// +kubebuilder:validation:Enum=FlinkDeployment;FlinkSessionJob
type JobKind string

const (
	// JobKindFlinkDeployment: the job of an application cluster.
	JobKindFlinkDeployment JobKind = KindFlinkDeployment
	// JobKindFlinkSessionJob: a job on a session cluster.
	JobKindFlinkSessionJob JobKind = KindFlinkSessionJob
)

// Known tells whether the text is one of the enumeration.
func (k JobKind) Known() bool { return k == JobKindFlinkDeployment || k == JobKindFlinkSessionJob }

// JobReference names a job of the same namespace.
type JobReference struct {
	// Kind of the resource; empty means not set.
	Kind JobKind `json:"kind,omitempty"`
	// Name of the resource; empty means not set.
	Name string `json:"name,omitempty"`
}

// FlinkStateSnapshotSpec says what to snapshot. Exactly one of savepoint and
// checkpoint is set.
//
// +kubebuilder:validation:XValidation:rule="has(self.savepoint) != has(self.checkpoint)",message="Exactly one of checkpoint or savepoint configurations has to be set."
// +kubebuilder:validation:XValidation:rule="has(self.jobReference) || (has(self.savepoint) && has(self.savepoint.alreadyExists) && self.savepoint.alreadyExists)",fieldPath=".jobReference",message="Job reference must be supplied for this snapshot: name kind and name of the job's resource; only a savepoint with alreadyExists: true needs none"
type FlinkStateSnapshotSpec struct {
	// BackoffLimit is how often a failed snapshot is tried again: -1 without
	// limit, 0 never; absent means -1.
	BackoffLimit *int32 `json:"backoffLimit,omitempty"`
	// Checkpoint asks for a checkpoint when present.
	Checkpoint *CheckpointSpec `json:"checkpoint,omitempty"`
	// JobReference names the job. Not needed for a savepoint that exists.
	JobReference *JobReference `json:"jobReference,omitempty"`
	// Savepoint asks for a savepoint, or stands for one that exists.
	Savepoint *SavepointSpec `json:"savepoint,omitempty"`
}

// SnapshotUnlimitedRetries is the backoff limit that means no limit.
const SnapshotUnlimitedRetries int32 = -1

// DesiredBackoffLimit is BackoffLimit with its default.
func (s *FlinkStateSnapshotSpec) DesiredBackoffLimit() int32 {
	if s == nil || s.BackoffLimit == nil {
		return SnapshotUnlimitedRetries
	}
	return *s.BackoffLimit
}

// CheckpointSpec asks for a checkpoint. It has no settings.
type CheckpointSpec struct{}

// SavepointSpec asks for a savepoint, or stands for one that exists.
type SavepointSpec struct {
	// AlreadyExists says that path is a savepoint that exists: nothing is
	// triggered. absent means false.
	AlreadyExists *bool `json:"alreadyExists,omitempty"`
	// DisposeOnDelete deletes the savepoint's data with the resource; absent means
	// true.
	DisposeOnDelete *bool `json:"disposeOnDelete,omitempty"`
	// FormatType of the savepoint; empty means CANONICAL.
	FormatType SavepointFormatType `json:"formatType,omitempty"`
	// Path is the target directory, or the existing savepoint; empty means the
	// job's execution.checkpointing.savepoint-dir.
	Path string `json:"path,omitempty"`
}

// Exists is AlreadyExists with its default.
func (s *SavepointSpec) Exists() bool {
	return s != nil && s.AlreadyExists != nil && *s.AlreadyExists
}

// DisposedOnDelete is DisposeOnDelete with its default.
func (s *SavepointSpec) DisposedOnDelete() bool {
	return s != nil && (s.DisposeOnDelete == nil || *s.DisposeOnDelete)
}

// DesiredFormat is FormatType with its default.
func (s *SavepointSpec) DesiredFormat() SavepointFormatType {
	if s == nil || s.FormatType == "" {
		return SavepointFormatCanonical
	}
	return s.FormatType
}

// SavepointFormatType is the binary format of a savepoint.
//
// +kubebuilder:validation:Enum=CANONICAL;NATIVE;UNKNOWN
type SavepointFormatType string

const (
	// SavepointFormatCanonical can be read by any state backend.
	SavepointFormatCanonical SavepointFormatType = "CANONICAL"
	// SavepointFormatNative is that of the state backend in use.
	SavepointFormatNative SavepointFormatType = "NATIVE"
	// SavepointFormatUnknown: not known.
	SavepointFormatUnknown SavepointFormatType = "UNKNOWN"
)

// Known tells whether the text is one of the enumeration.
func (f SavepointFormatType) Known() bool {
	return f == SavepointFormatCanonical || f == SavepointFormatNative || f == SavepointFormatUnknown
}

// CheckpointFormatType says how much a checkpoint holds.
//
// +kubebuilder:validation:Enum=FULL;INCREMENTAL;UNKNOWN
type CheckpointFormatType string

const (
	// CheckpointFormatFull holds all state.
	CheckpointFormatFull CheckpointFormatType = "FULL"
	// CheckpointFormatIncremental holds what changed.
	CheckpointFormatIncremental CheckpointFormatType = "INCREMENTAL"
	// CheckpointFormatUnknown: not known.
	CheckpointFormatUnknown CheckpointFormatType = "UNKNOWN"
)

// Known tells whether the text is one of the enumeration.
func (f CheckpointFormatType) Known() bool {
	return f == CheckpointFormatFull || f == CheckpointFormatIncremental || f == CheckpointFormatUnknown
}

// SnapshotTriggerType says why a snapshot was taken.
//
// +kubebuilder:validation:Enum=MANUAL;PERIODIC;UPGRADE;UNKNOWN
type SnapshotTriggerType string

const (
	// SnapshotTriggerManual: a person asked for it.
	SnapshotTriggerManual SnapshotTriggerType = "MANUAL"
	// SnapshotTriggerPeriodic: an interval or a cron line was due.
	SnapshotTriggerPeriodic SnapshotTriggerType = "PERIODIC"
	// SnapshotTriggerUpgrade: a job was stopped with it.
	SnapshotTriggerUpgrade SnapshotTriggerType = "UPGRADE"
	// SnapshotTriggerUnknown: not known.
	SnapshotTriggerUnknown SnapshotTriggerType = "UNKNOWN"
)

// Known tells whether the text is one of the enumeration.
func (t SnapshotTriggerType) Known() bool {
	return slices.Contains([]SnapshotTriggerType{
		SnapshotTriggerManual, SnapshotTriggerPeriodic, SnapshotTriggerUpgrade, SnapshotTriggerUnknown,
	}, t)
}

// SnapshotState is how far a snapshot got.
//
// +kubebuilder:validation:Enum=TRIGGER_PENDING;IN_PROGRESS;COMPLETED;FAILED;ABANDONED
type SnapshotState string

const (
	// SnapshotTriggerPending: not triggered yet, or to be tried again. The
	// initial state.
	SnapshotTriggerPending SnapshotState = "TRIGGER_PENDING"
	// SnapshotInProgress: Flink is taking it.
	SnapshotInProgress SnapshotState = "IN_PROGRESS"
	// SnapshotCompleted: path holds it. Terminal.
	SnapshotCompleted SnapshotState = "COMPLETED"
	// SnapshotFailed: an attempt failed; terminal when the backoff limit is
	// used up.
	SnapshotFailed SnapshotState = "FAILED"
	// SnapshotAbandoned: the job went away. Terminal.
	SnapshotAbandoned SnapshotState = "ABANDONED"
)

// Known tells whether the text is one of the enumeration.
func (s SnapshotState) Known() bool {
	return slices.Contains([]SnapshotState{
		SnapshotTriggerPending, SnapshotInProgress, SnapshotCompleted, SnapshotFailed, SnapshotAbandoned,
	}, s)
}

// FlinkStateSnapshotStatus says how far a snapshot got.
type FlinkStateSnapshotStatus struct {
	// Error is the last failure as JSON text; empty when there is none.
	Error string `json:"error,omitempty"`
	// Failures is the number of failed attempts.
	Failures int32 `json:"failures"`
	// Path of the finished snapshot; empty before that, and when the path of a
	// checkpoint could not be learned.
	Path *string `json:"path,omitempty"`
	// ResultTimestamp is when the snapshot ended, ISO-8601 in UTC; empty before.
	ResultTimestamp string `json:"resultTimestamp,omitempty"`
	// State of the snapshot; empty before the first pass.
	State SnapshotState `json:"state,omitempty"`
	// TriggerID is the ID of the request at Flink, 32 hexadecimal digits.
	TriggerID string `json:"triggerId,omitempty"`
	// TriggerTimestamp is when it was triggered, ISO-8601 in UTC.
	TriggerTimestamp string `json:"triggerTimestamp,omitempty"`
	// JobUID is the UID of the resource that spec.jobReference named when it was
	// first found: another one of that name is another job. Empty before.
	JobUID types.UID `json:"jobUID,omitempty"`
	// Run is the run of the job that the request with TriggerID was made to;
	// absent before, and when another operator made it.
	Run *Incarnation `json:"run,omitempty"`
	// ObservedGeneration is the generation judged last; absent or -1 means none.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions beyond the state.
	Conditions []metav1.Condition `json:"conditions,omitzero"`

	Progress `json:",inline"`
}
