package flinkrest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"

	"github.com/kn-flink/kn-flink/pkg/flinkrest/wire"
)

// OperationState is how far an asynchronous operation of Flink has come.
type OperationState string

// The states of an operation.
const (
	// OperationUnknown is the zero value: nobody has looked, or looking failed.
	OperationUnknown OperationState = ""
	// OperationInProgress: accepted and not decided yet. Flink has no earlier state.
	OperationInProgress OperationState = "InProgress"
	// OperationCompleted: done.
	OperationCompleted OperationState = "Completed"
	// OperationFailed: ended without success.
	OperationFailed OperationState = "Failed"
	// OperationNotKnown: Flink knows no such trigger for this job: it never came, or it was decided longer ago than
	// rest.async.store-duration (5 min), or in an earlier JobManager process, or the job is not there.
	OperationNotKnown OperationState = "NotKnown"
)

// Operation is the status of a savepoint, a stop with savepoint, a checkpoint or a disposal.
type Operation struct {
	// State is how far it is.
	State OperationState
	// Location is where the savepoint lies. It is set for a completed savepoint or stop, and for a stop that failed after
	// its savepoint was complete (StopWithSavepointStoppingException): that savepoint is consistent.
	Location string
	// CheckpointID is the ID of the completed checkpoint; 0 for other operations.
	CheckpointID int64
	// Failure is the cause of OperationFailed; nil otherwise.
	Failure *Failure
}

// SavepointFormat is Flink's SavepointFormatType.
type SavepointFormat string

// The savepoint formats. The empty one leaves the choice to Flink, which takes CANONICAL.
const (
	FormatDefault   SavepointFormat = ""
	FormatCanonical SavepointFormat = "CANONICAL"
	FormatNative    SavepointFormat = "NATIVE"
)

// SavepointRequest asks for a savepoint (POST /jobs/:jobid/savepoints).
type SavepointRequest struct {
	// TargetDirectory is where to put it. Empty: the cluster's execution.checkpointing.savepoint-dir; without one the
	// request is ErrRejected.
	TargetDirectory string `json:"target-directory,omitempty"`
	// CancelJob cancels the job after the savepoint. For a graceful stop see StopWithSavepoint.
	CancelJob bool `json:"cancel-job"`
	// FormatType is the format.
	FormatType SavepointFormat `json:"formatType,omitempty"`
	// TriggerID is the caller's ID for the operation, 32 hexadecimal digits. Empty: Flink draws one. A second request
	// with the ID of an operation that Flink still knows for this job starts nothing.
	TriggerID string `json:"triggerId,omitempty"`
}

// StopRequest asks for a stop with savepoint (POST /jobs/:jobid/stop).
type StopRequest struct {
	// TargetDirectory is where to put the savepoint; empty as in SavepointRequest.
	TargetDirectory string `json:"targetDirectory,omitempty"`
	// Drain emits the final watermark first: for a job that will not be started again.
	Drain bool `json:"drain"`
	// FormatType is the format.
	FormatType SavepointFormat `json:"formatType,omitempty"`
	// TriggerID is as in SavepointRequest; savepoints and stops of a job share one set of IDs.
	TriggerID string `json:"triggerId,omitempty"`
}

// CheckpointType is Flink's CheckpointType of a triggered checkpoint.
type CheckpointType string

// The checkpoint types. The empty one leaves the choice to Flink, which takes CONFIGURED.
const (
	CheckpointDefault     CheckpointType = ""
	CheckpointConfigured  CheckpointType = "CONFIGURED"
	CheckpointFull        CheckpointType = "FULL"
	CheckpointIncremental CheckpointType = "INCREMENTAL"
)

// CheckpointRequest asks for a checkpoint (POST /jobs/:jobid/checkpoints, Flink 1.17 and later).
type CheckpointRequest struct {
	// Type is the sort of checkpoint.
	Type CheckpointType `json:"checkpointType,omitempty"`
	// TriggerID is as in SavepointRequest; checkpoints have a set of IDs of their own.
	TriggerID string `json:"triggerId,omitempty"`
}

type triggerAnswer struct {
	ID string `json:"request-id"`
}

func (a *triggerAnswer) Check() error { return required("request-id", a.ID) }

// TriggerSavepoint asks for a savepoint and returns the trigger ID to ask for its status. Success means accepted, even
// for a job that does not exist or cannot make savepoints: the status tells.
func (c *Client) TriggerSavepoint(ctx context.Context, jobID string, request SavepointRequest) (string, error) {
	return c.trigger(ctx, "trigger savepoint", []string{"jobs", jobID, "savepoints"}, request)
}

// StopWithSavepoint asks for a savepoint after which the job is FINISHED; returns as TriggerSavepoint, and
// SavepointStatus tells how far it is. If the savepoint fails the job goes on.
func (c *Client) StopWithSavepoint(ctx context.Context, jobID string, request StopRequest) (string, error) {
	return c.trigger(ctx, "stop with savepoint", []string{"jobs", jobID, "stop"}, request)
}

// TriggerCheckpoint asks for a checkpoint; returns as TriggerSavepoint. ErrNoEndpoint: Flink is older than 1.17.
func (c *Client) TriggerCheckpoint(ctx context.Context, jobID string, request CheckpointRequest) (string, error) {
	return c.trigger(ctx, "trigger checkpoint", []string{"jobs", jobID, "checkpoints"}, request)
}

// DisposeSavepoint asks Flink to delete a savepoint's files (POST /savepoint-disposal) and returns the trigger ID. The
// caller cannot choose that ID; disposing of a savepoint that is gone fails in its status.
func (c *Client) DisposeSavepoint(ctx context.Context, path string) (string, error) {
	body := map[string]string{"savepoint-path": path}
	return c.trigger(ctx, "dispose savepoint", []string{"savepoint-disposal"}, body)
}

func (c *Client) trigger(ctx context.Context, op string, path []string, body any) (string, error) {
	var out triggerAnswer
	err := c.conn.Do(ctx, wire.Call{Op: op, Method: http.MethodPost, Path: path, Body: body, Out: &out})
	return out.ID, err
}

// SavepointStatus reads how far a savepoint or a stop is (GET /jobs/:jobid/savepoints/:triggerid). An unknown trigger
// is no error, see OperationNotKnown.
func (c *Client) SavepointStatus(ctx context.Context, jobID, triggerID string) (Operation, error) {
	path := []string{"jobs", jobID, "savepoints", triggerID}
	return c.operation(ctx, "read savepoint status", path, &operationAnswer{wantLocation: true})
}

// CheckpointStatus reads how far a triggered checkpoint is (GET /jobs/:jobid/checkpoints/:triggerid). An unknown
// trigger is no error, see OperationNotKnown.
func (c *Client) CheckpointStatus(ctx context.Context, jobID, triggerID string) (Operation, error) {
	path := []string{"jobs", jobID, "checkpoints", triggerID}
	return c.operation(ctx, "read checkpoint status", path, &operationAnswer{wantCheckpoint: true})
}

// DisposalStatus reads how far a disposal is (GET /savepoint-disposal/:triggerid). An unknown trigger is no error, see
// OperationNotKnown.
func (c *Client) DisposalStatus(ctx context.Context, triggerID string) (Operation, error) {
	return c.operation(ctx, "read disposal status", []string{"savepoint-disposal", triggerID}, &operationAnswer{})
}

func (c *Client) operation(ctx context.Context, op string, path []string, out *operationAnswer) (Operation, error) {
	err := c.conn.Do(ctx, wire.Call{Op: op, Method: http.MethodGet, Path: path, Out: out})
	switch {
	case errors.Is(err, ErrNotFound):
		return Operation{State: OperationNotKnown}, nil
	case err != nil:
		return Operation{}, err
	}
	return out.operation(), nil
}

// queueStatus is Flink's QueueStatus.Id.
type queueStatus string

const (
	queueInProgress queueStatus = "IN_PROGRESS"
	queueCompleted  queueStatus = "COMPLETED"
)

func (s queueStatus) Check() error {
	if s != queueInProgress && s != queueCompleted {
		return fmt.Errorf("field status.id is %.40q, want %s or %s", string(s), queueInProgress, queueCompleted)
	}
	return nil
}

type operationAnswer struct {
	Status struct {
		ID queueStatus `json:"id"`
	} `json:"status"`
	Operation struct {
		Location       string   `json:"location"`
		CheckpointID   int64    `json:"checkpointId"`
		Failure        *Failure `json:"failure-cause"` // savepoints and disposals
		CheckpointFail *Failure `json:"failureCause"`  // checkpoints
	} `json:"operation"`

	wantLocation, wantCheckpoint bool // what a success must name
}

// Check makes sure that a success names what it made: nothing can be restored from a savepoint without a place.
func (a *operationAnswer) Check() error {
	if a.Status.ID != queueCompleted {
		return a.Status.ID.Check()
	}
	done := a.Operation.Failure == nil && a.Operation.CheckpointFail == nil
	switch {
	case done && a.wantLocation && a.Operation.Location == "":
		return errors.New("field operation.location is missing")
	case done && a.wantCheckpoint && a.Operation.CheckpointID == 0:
		return errors.New("field operation.checkpointId is missing")
	}
	return nil
}

// stoppedBadly is the message of StopWithSavepointStoppingException.
var stoppedBadly = regexp.MustCompile(`A savepoint has been created at: (\S+), but the corresponding job`)

func (a *operationAnswer) operation() Operation {
	failure := a.Operation.Failure
	if failure == nil {
		failure = a.Operation.CheckpointFail
	}
	switch {
	case a.Status.ID == queueInProgress:
		return Operation{State: OperationInProgress}
	case failure != nil:
		o := Operation{State: OperationFailed, Failure: failure}
		if match := stoppedBadly.FindStringSubmatch(failure.StackTrace); match != nil {
			o.Location = match[1]
		}
		return o
	}
	return Operation{State: OperationCompleted, Location: a.Operation.Location, CheckpointID: a.Operation.CheckpointID}
}
