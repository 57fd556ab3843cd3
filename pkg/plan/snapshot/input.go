package snapshot

import "github.com/kn-flink/kn-flink/pkg/plan/snapshots"

// The words of a decision's input: who looks at the world and who decides on it use the same.
type (
	// Request is one request for a savepoint or checkpoint.
	Request = snapshots.Request
	// Answers are what Flink says of the requests that a job's status records.
	Answers = snapshots.Answers
	// Operation is how far one request is.
	Operation = snapshots.Operation
	// OperationState is its state.
	OperationState = snapshots.OperationState
)

// The types of a snapshot.
const (
	Savepoint      = snapshots.Savepoint
	CheckpointType = snapshots.Checkpoint
)

// The states of an operation.
const (
	OperationInProgress = snapshots.OperationInProgress
	OperationCompleted  = snapshots.OperationCompleted
	OperationFailed     = snapshots.OperationFailed
	OperationNotKnown   = snapshots.OperationNotKnown
)

var (
	// Pending are the requests in flight that a job's status records.
	Pending = snapshots.Pending
	// Labels are those of a FlinkStateSnapshot.
	Labels = snapshots.Labels
)
