package snapshots

// OperationState is how far an asynchronous request at Flink has come.
type OperationState string

// The states of a request.
const (
	// OperationUnknown is the zero value: nobody looked.
	OperationUnknown OperationState = ""
	// OperationInProgress: accepted and not decided yet.
	OperationInProgress OperationState = "InProgress"
	// OperationCompleted: done.
	OperationCompleted OperationState = "Completed"
	// OperationFailed: ended without success.
	OperationFailed OperationState = "Failed"
	// OperationNotKnown: Flink answers and knows no such request: it never came, was decided longer ago than
	// rest.async.store-duration, or was made to an earlier JobManager process.
	OperationNotKnown OperationState = "NotKnown"
)

// Operation is what Flink says of one savepoint or checkpoint request.
type Operation struct {
	// State is how far it is.
	State OperationState
	// Location is where a completed savepoint lies.
	Location string
	// CheckpointID is the ID of a completed checkpoint.
	CheckpointID int64
	// Failure is the cause of OperationFailed, one line.
	Failure string
}

// Request names one request to ask Flink about.
type Request struct {
	// Type says which interface knows it.
	Type Type
	// JobID is the job it was made for, 32 hexadecimal digits.
	JobID string
	// TriggerID is its ID, 32 hexadecimal digits.
	TriggerID string
}
