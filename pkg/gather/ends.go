package gather

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment"
)

// lateStops asks how far the stops with savepoint are that were given up.
func (g *Gatherer) lateStops(
	ctx context.Context, client *flinkrest.Client, given *v1beta1.GivenUpStop,
) plan.Observed[[]deployment.StopProgress] {
	var all []deployment.StopProgress
	for _, triggerID := range append([]string{given.TriggerID}, given.Earlier...) {
		seen := g.stop(ctx, client, given.JobID, triggerID)
		progress, known := seen.Get()
		if !known {
			return plan.Unknown[[]deployment.StopProgress](seen.Why())
		}
		all = append(all, progress)
	}
	return plan.Present(all)
}

// stop asks how far a stop with savepoint is.
func (g *Gatherer) stop(
	ctx context.Context, client *flinkrest.Client, jobID, triggerID string,
) plan.Observed[deployment.StopProgress] {
	operation, err := client.SavepointStatus(ctx, jobID, triggerID)
	if err != nil {
		return plan.Unknown[deployment.StopProgress](oneLine(err))
	}
	progress := deployment.StopProgress{Path: operation.Location}
	switch operation.State {
	case flinkrest.OperationInProgress:
		progress.State = deployment.StopInProgress
	case flinkrest.OperationCompleted:
		progress.State = deployment.StopCompleted
	case flinkrest.OperationFailed:
		progress.State = deployment.StopFailed
		if operation.Location != "" {
			progress.State = deployment.StopUnfinished
		}
		if operation.Failure != nil {
			progress.Cause = operation.Failure.Summary()
		}
	case flinkrest.OperationNotKnown:
		progress.State = deployment.StopNotKnown
	default:
		return plan.Unknown[deployment.StopProgress]("Flink returned an unknown state of the savepoint")
	}
	return plan.Present(progress)
}

// checkpoints are the newest restorable state of a job, and the times of its checkpoints. A job without checkpointing,
// or that has none yet, is Absent.
func (g *Gatherer) checkpoints(ask statistics) plan.Observed[deployment.Checkpoints] {
	s, err := ask()
	switch {
	case errors.Is(err, flinkrest.ErrNoCheckpointing):
		return plan.Absent[deployment.Checkpoints]()
	case err != nil:
		return plan.Unknown[deployment.Checkpoints](oneLine(err))
	}
	newest, found := newestState(s)
	if len(s.History) > 0 && s.History[0].Status == flinkrest.CheckpointInProgress {
		newest.Pending = s.History[0].TriggerTime.Time()
	}
	if !found && newest.Pending.IsZero() {
		return plan.Absent[deployment.Checkpoints]()
	}
	return plan.Present(newest)
}

// stopType is the type of the savepoint of a stop.
const stopType = "SYNC_SAVEPOINT"

// newestState is the newest of what the job was restored from, its completed checkpoint and its savepoint, by their
// numbers. One that Flink has deleted since is only told of. It is false when there is none.
func newestState(s flinkrest.CheckpointStatistics) (newest deployment.Checkpoints, found bool) {
	id, restored := int64(-1), (*deployment.Restored)(nil)
	take := func(number int64, path string, at time.Time, kind deployment.StateKind) {
		if number > id {
			found, id = true, number
			newest = deployment.Checkpoints{Path: path, Completed: at, Kind: kind}
		}
	}
	if c := s.Latest.Restored; c != nil {
		kind := deployment.KindRestored
		if c.IsSavepoint {
			kind = deployment.KindRestoredSavepoint
		}
		take(c.ID, c.ExternalPath, c.RestoreTime.Time(), kind)
		restored = &deployment.Restored{Number: c.ID, Path: addressable(c.ExternalPath), Savepoint: c.IsSavepoint}
		if s.Counts != nil {
			restored.Times = s.Counts.Restored
		}
	}
	if c := s.Latest.Savepoint; c != nil && !c.Discarded {
		kind := deployment.KindSavepoint
		if c.Type == stopType {
			kind = deployment.KindStop
		}
		take(c.ID, c.ExternalPath, c.TriggerTime.Time(), kind)
	}
	switch c := s.Latest.Completed; {
	case c != nil && !c.Discarded:
		take(c.ID, c.ExternalPath, c.TriggerTime.Time(), deployment.KindCheckpoint)
	case c != nil && c.ID >= id: // the same number: the job restarted from it
		found, newest.Discarded = true, true
	}
	newest.Path, newest.Restored = addressable(newest.Path), restored
	newest.First, newest.FirstLatest = firstNumber(s)
	return newest, found
}

// firstNumber is the number of the first checkpoint that the JobManager's process triggered for the job; 0 when there
// is none. The history is cut off, and the numbers go on one by one. It may be any from first to latest: Flink counts
// attempts that fail before they get a number, as while tasks do not run yet, and lists none of them.
func firstNumber(s flinkrest.CheckpointStatistics) (first, latest int64) {
	if len(s.History) == 0 || s.Counts == nil {
		return 0, 0
	}
	newest, oldest, triggered := s.History[0].ID, s.History[0].ID, s.Counts.Total-s.Counts.InProgress
	failed := s.Counts.Failed
	for _, c := range s.History {
		newest, oldest = max(newest, c.ID), min(oldest, c.ID)
		switch c.Status {
		case flinkrest.CheckpointInProgress:
			triggered++
		case flinkrest.CheckpointFailed:
			failed--
		}
	}
	number := func(triggered int64) int64 { return max(1, min(oldest, newest-triggered+1)) }
	return number(triggered), number(triggered - max(0, failed))
}

// addressable is a path, or empty where Flink says that there is none.
func addressable(path string) string {
	if path == flinkrest.NotAddressable {
		return ""
	}
	return path
}

// noInterval is what Flink says for a job that makes no checkpoints by itself.
const noInterval = math.MaxInt64

// retention says which of a job's checkpoints outlive it. A job in batch mode makes none: Absent.
func (g *Gatherer) retention(
	ctx context.Context, client *flinkrest.Client, jobID string,
) plan.Observed[deployment.Retention] {
	c, err := client.CheckpointConfig(ctx, jobID)
	switch {
	case errors.Is(err, flinkrest.ErrNoCheckpointing):
		return plan.Absent[deployment.Retention]()
	case err != nil:
		return plan.Unknown[deployment.Retention](oneLine(err))
	}
	kept := c.Externalization
	return plan.Present(deployment.Retention{
		Cancelled: kept.Enabled && !kept.DeleteOnCancellation, Failed: kept.Enabled, Periodic: c.Interval < noInterval,
	})
}
