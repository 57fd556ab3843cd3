package gather

import (
	"context"
	"errors"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/subject"
)

// stop asks how far the stop-with-savepoint of the open intent is.
func (g *Gatherer) stop(ctx context.Context, client *flinkrest.Client, intent *v1beta1.Intent) plan.Observed[subject.StopProgress] {
	operation, err := client.SavepointStatus(ctx, intent.Stops.JobID, intent.TriggerID)
	if err != nil {
		return plan.Unknown[subject.StopProgress](oneLine(err))
	}
	progress := subject.StopProgress{Path: operation.Location}
	switch operation.State {
	case flinkrest.OperationInProgress:
		progress.State = subject.StopInProgress
	case flinkrest.OperationCompleted:
		progress.State = subject.StopCompleted
	case flinkrest.OperationFailed:
		progress.State = subject.StopFailed
		if operation.Location != "" {
			progress.State = subject.StopCompleted // the savepoint is written; only the stop after it failed
		}
		if operation.Failure != nil {
			progress.Cause = operation.Failure.Summary()
		}
	case flinkrest.OperationNotKnown:
		progress.State = subject.StopNotKnown
	default:
		return plan.Unknown[subject.StopProgress]("Flink answered with an unknown state of the savepoint")
	}
	return plan.Present(progress)
}

// checkpoints are the newest restorable state of a job, and the times of its checkpoints. A job without checkpointing, or that has none
// yet, is Absent.
func (g *Gatherer) checkpoints(ask statistics) plan.Observed[subject.Checkpoints] {
	s, err := ask()
	switch {
	case errors.Is(err, flinkrest.ErrNoCheckpointing):
		return plan.Absent[subject.Checkpoints]()
	case err != nil:
		return plan.Unknown[subject.Checkpoints](oneLine(err))
	}
	var newest subject.Checkpoints
	found, id := false, int64(-1)
	take := func(number int64, path string, at time.Time) {
		if number > id {
			found, id, newest.Path, newest.Completed = true, number, path, at
		}
	}
	if c := s.Latest.Restored; c != nil {
		take(c.ID, c.ExternalPath, c.RestoreTime.Time())
	}
	for _, c := range []*flinkrest.Checkpoint{s.Latest.Completed, s.Latest.Savepoint} {
		if c != nil && !c.Discarded {
			take(c.ID, c.ExternalPath, c.TriggerTime.Time())
		}
	}
	if newest.Path == flinkrest.NotAddressable {
		newest.Path = ""
	}
	if len(s.History) > 0 && s.History[0].Status == flinkrest.CheckpointInProgress {
		newest.Pending = s.History[0].TriggerTime.Time()
	}
	newest.Restored = s.Latest.Restored != nil && s.Latest.Restored.ID == id
	if !found && newest.Pending.IsZero() {
		return plan.Absent[subject.Checkpoints]()
	}
	return plan.Present(newest)
}
