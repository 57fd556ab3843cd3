package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// BlueGreenStep says how far a change of a blue/green deployment is. The step is
// stored before what it does is begun.
type BlueGreenStep string

const (
	// BlueGreenSavepoint: a savepoint of the active child's job is being taken.
	BlueGreenSavepoint BlueGreenStep = "SAVEPOINT"
	// BlueGreenClear: what is left of an earlier child of the target's name goes.
	BlueGreenClear BlueGreenStep = "CLEAR"
	// BlueGreenCreate: the target is being created.
	BlueGreenCreate BlueGreenStep = "CREATE"
	// BlueGreenAwait: the target exists and is to become ready.
	BlueGreenAwait BlueGreenStep = "AWAIT"
	// BlueGreenRetire: the target serves and the old child is being deleted.
	BlueGreenRetire BlueGreenStep = "RETIRE"
	// BlueGreenRetired: the deletion of the old child is accepted and not finished.
	BlueGreenRetired BlueGreenStep = "RETIRED"
	// BlueGreenAbort: the target did not become ready and is being suspended.
	BlueGreenAbort BlueGreenStep = "ABORT"
	// BlueGreenWithdraw: the change was taken back and the target is being deleted.
	BlueGreenWithdraw BlueGreenStep = "WITHDRAW"
	// BlueGreenPatch: the spec of the active child is being replaced.
	BlueGreenPatch BlueGreenStep = "PATCH"
	// BlueGreenSettle: the active child has its new spec and acts on it.
	BlueGreenSettle BlueGreenStep = "SETTLE"
	// BlueGreenWarm: the target's cluster is made ready for the job, which runs on
	// the other side. The first step of a handover.
	BlueGreenWarm BlueGreenStep = "WARM"
	// BlueGreenStop: the job of the side that serves is being stopped with a
	// savepoint.
	BlueGreenStop BlueGreenStep = "STOP"
	// BlueGreenRelease: the job runs on the target, until its first completed
	// checkpoint.
	BlueGreenRelease BlueGreenStep = "RELEASE"
	// BlueGreenFence: the job of a target that failed is being ended.
	BlueGreenFence BlueGreenStep = "FENCE"
	// BlueGreenReturn: the job runs on the old side again.
	BlueGreenReturn BlueGreenStep = "RETURN"
)

// BlueGreenHandover is what is kept of a handover beside its step.
type BlueGreenHandover struct {
	// Began is when the target's cluster was created.
	Began metav1.Time `json:"began,omitzero"`
	// Failures counts the stops that failed.
	Failures int32 `json:"failures,omitempty"`
	// Earlier is what the job that serves would have started from when its stop was
	// decided; empty for nothing.
	Earlier string `json:"earlier,omitempty"`
	// From is what the target starts from instead of the savepoint of the stop,
	// because a savepointRedeployNonce asks for it; empty otherwise.
	From string `json:"from,omitempty"`
	// Planned is true once main of the new job came to its submission.
	Planned bool `json:"planned,omitempty"`
	// Refused is the ID of the job whose start Flink refused on the target: nothing
	// of it ever ran. Empty while none was.
	Refused string `json:"refused,omitempty"`
	// Upgrade is true when the job is upgraded in one place, because there was no
	// room for a second cluster.
	Upgrade bool `json:"upgrade,omitempty"`
	// Why says why the job goes back, in one line; empty while it does not.
	Why string `json:"why,omitempty"`
	// StoppedAt is when the job ended on the side that served, by the clock of its
	// JobManager; absent before.
	StoppedAt metav1.MicroTime `json:"stoppedAt,omitzero"`
	// RunningAt is when all its tasks ran on the target, by the clock of that
	// JobManager; absent before.
	RunningAt metav1.MicroTime `json:"runningAt,omitzero"`
}

// BlueGreenTransition is the change of a blue/green deployment that is under way.
type BlueGreenTransition struct {
	// OperationID names the change: 32 hexadecimal digits. The child that it
	// creates carries it. It follows from the resource's UID and Over.
	OperationID string `json:"operationID"`
	// Over is the version of the resource that the change was decided over.
	Over string `json:"over"`
	// Step says how far it is.
	Step BlueGreenStep `json:"step"`
	// Target is the colour of the child that is created or changed.
	Target BlueGreenType `json:"target"`
	// From is the colour of the child that serves until the target does; empty
	// means that none does.
	From BlueGreenType `json:"from,omitempty"`
	// Since is when the step was stored.
	Since metav1.Time `json:"since"`
	// Looked is when the change was last checked, in steps of a tenth of the grace
	// period: while it cannot be checked, the deadline does not come nearer.
	Looked metav1.Time `json:"looked,omitzero"`
	// Spec is what the target has or gets, as JSON text in the form of
	// lastReconciledSpec. Empty in the steps before it counts.
	Spec string `json:"spec,omitempty"`
	// SpecHash is the hash of the target's spec: 64 hexadecimal digits.
	SpecHash string `json:"specHash,omitempty"`
	// Path is the savepoint that the target starts from; empty means none.
	Path string `json:"path,omitempty"`
	// Source is the job that the savepoint is of; absent where none is taken.
	Source *BlueGreenSource `json:"source,omitempty"`
	// ChildUID is the UID of the target; empty before it is seen.
	ChildUID types.UID `json:"childUID,omitempty"`
	// ChildGeneration is the generation of the target that has the spec; 0 before
	// it is seen.
	ChildGeneration int64 `json:"childGeneration,omitempty"`
	// RetiredUID is the UID of the child that is deleted; empty where none is.
	RetiredUID types.UID `json:"retiredUID,omitempty"`
	// Reason says why the change is aborted, one CamelCase word; empty while it is
	// not.
	Reason string `json:"reason,omitempty"`
	// Message says the same, in one line.
	Message string `json:"message,omitempty"`
	// Split is true where the target is a session cluster and a FlinkSessionJob, so
	// that it can be handed over to.
	Split bool `json:"split,omitempty"`
	// Handover is kept of a change that moves the job; absent for another change.
	Handover *BlueGreenHandover `json:"handover,omitempty"`
	// Gates are what the new side has to pass before the old one is retired, as
	// they were judged last; absent while there are none to judge.
	//
	// +kubebuilder:validation:MaxItems=16
	Gates []BlueGreenGate `json:"gates,omitempty"`
}

// BlueGreenVerdict is what a gate says of a new side.
type BlueGreenVerdict string

const (
	// BlueGreenPassed: the old side may be retired, as far as this gate is asked.
	BlueGreenPassed BlueGreenVerdict = "Passed"
	// BlueGreenWaiting: not yet, or the gate could not be judged.
	BlueGreenWaiting BlueGreenVerdict = "Waiting"
	// BlueGreenRefused: the new side is given up.
	BlueGreenRefused BlueGreenVerdict = "Refused"
)

// BlueGreenGate is one condition on a new side
// (kubernetes.operator.bluegreen.gate.*).
type BlueGreenGate struct {
	// Name of the gate: checkpoints, restarts, lag, errors, prometheus, approval,
	// or service/<name>.
	Name string `json:"name"`
	// Verdict is what it says.
	Verdict BlueGreenVerdict `json:"verdict"`
	// Value is what was measured, as text; empty when nothing was.
	Value string `json:"value,omitempty"`
	// Message says why, in one line.
	Message string `json:"message,omitempty"`
	// Since is when it began to say this.
	Since metav1.Time `json:"since"`
	// Window is the time over which a lag is judged; absent for other gates, and
	// while the lag is too high.
	Window *BlueGreenWindow `json:"window,omitempty"`
}

// BlueGreenWindow is the time over which the lag of a job is judged.
type BlueGreenWindow struct {
	// Since is when it began.
	Since metav1.Time `json:"since"`
	// Lag is how many records were pending then.
	Lag int64 `json:"lag"`
}

// BlueGreenSource is the run of a job that a savepoint is taken of.
type BlueGreenSource struct {
	// UID of the FlinkDeployment.
	UID types.UID `json:"uid"`
	// JobID of its job, 32 hexadecimal digits.
	JobID string `json:"jobID"`
	// StartTime of the job, epoch milliseconds as decimal text.
	StartTime string `json:"startTime,omitempty"`
}

// BlueGreenAttempt is a spec that was tried and did not become the active one.
type BlueGreenAttempt struct {
	// SpecHash of the template's spec: 64 hexadecimal digits.
	SpecHash string `json:"specHash"`
	// Time when it was given up.
	Time metav1.Time `json:"time"`
	// Reason is one CamelCase word.
	Reason string `json:"reason"`
	// Message is one line.
	Message string `json:"message,omitempty"`
}
