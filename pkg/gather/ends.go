package gather

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// lateStops asks how far the stops with savepoint are that were given up.
func (g *Gatherer) lateStops(
	ctx context.Context, client *flinkrest.Client, given *v1beta1.GivenUpStop,
) plan.Observed[[]world.StopProgress] {
	var all []world.StopProgress
	for _, triggerID := range append([]string{given.TriggerID}, given.Earlier...) {
		seen := g.stop(ctx, client, given.JobID, triggerID)
		progress, known := seen.Get()
		if !known {
			return plan.Unknown[[]world.StopProgress](seen.Why())
		}
		all = append(all, progress)
	}
	return plan.Present(all)
}

// stop asks how far a stop with savepoint is.
func (g *Gatherer) stop(
	ctx context.Context, client *flinkrest.Client, jobID, triggerID string,
) plan.Observed[world.StopProgress] {
	operation, err := client.SavepointStatus(ctx, jobID, triggerID)
	if err != nil {
		return plan.Unknown[world.StopProgress](oneLine(err))
	}
	progress := world.StopProgress{Path: operation.Location}
	switch operation.State {
	case flinkrest.OperationInProgress:
		progress.State = world.StopInProgress
	case flinkrest.OperationCompleted:
		progress.State = world.StopCompleted
	case flinkrest.OperationFailed:
		progress.State = world.StopFailed
		if operation.Location != "" {
			progress.State = world.StopUnfinished
		}
		if operation.Failure != nil {
			progress.Cause = operation.Failure.Summary()
		}
	case flinkrest.OperationNotKnown:
		progress.State = world.StopNotKnown
	default:
		return plan.Unknown[world.StopProgress]("Flink returned an unknown state of the savepoint")
	}
	return plan.Present(progress)
}

// checkpoints are the newest restorable state of a job, and the times of its checkpoints. A job without checkpointing,
// or that has none yet, is Absent.
func (g *Gatherer) checkpoints(ask statistics) plan.Observed[world.Checkpoints] {
	s, err := ask()
	switch {
	case errors.Is(err, flinkrest.ErrNoCheckpointing):
		return plan.Absent[world.Checkpoints]()
	case err != nil:
		return plan.Unknown[world.Checkpoints](oneLine(err))
	}
	newest, found := newestState(s)
	if len(s.History) > 0 && s.History[0].Status == flinkrest.CheckpointInProgress {
		newest.Pending = s.History[0].TriggerTime.Time()
	}
	if !found && newest.Pending.IsZero() {
		return plan.Absent[world.Checkpoints]()
	}
	return plan.Present(newest)
}

// stopType is the type of the savepoint of a stop.
const stopType = "SYNC_SAVEPOINT"

// newestState is the newest of what the job was restored from, its completed checkpoint and its savepoint, by their
// numbers. One that Flink has deleted since is only told of. It is false when there is none.
func newestState(s flinkrest.CheckpointStatistics) (newest world.Checkpoints, found bool) {
	id, restored := int64(-1), (*world.Restored)(nil)
	take := func(number int64, path string, at time.Time, kind world.StateKind) {
		if number > id {
			found, id = true, number
			newest = world.Checkpoints{Path: path, Completed: at, Kind: kind}
		}
	}
	if c := s.Latest.Restored; c != nil {
		kind := world.KindRestored
		if c.IsSavepoint {
			kind = world.KindRestoredSavepoint
		}
		take(c.ID, c.ExternalPath, c.RestoreTime.Time(), kind)
		restored = &world.Restored{Number: c.ID, Path: addressable(c.ExternalPath), Savepoint: c.IsSavepoint}
		if s.Counts != nil {
			restored.Times = s.Counts.Restored
		}
	}
	if c := s.Latest.Savepoint; c != nil && !c.Discarded {
		kind := world.KindSavepoint
		if c.Type == stopType {
			kind = world.KindStop
		}
		take(c.ID, c.ExternalPath, c.TriggerTime.Time(), kind)
	}
	switch c := s.Latest.Completed; {
	case c != nil && !c.Discarded:
		take(c.ID, c.ExternalPath, c.TriggerTime.Time(), world.KindCheckpoint)
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

// retention says which of a job's checkpoints outlive it, and how long one may take. A job in batch mode makes none:
// both are Absent.
func (g *Gatherer) retention(
	ctx context.Context, client *flinkrest.Client, jobID string,
) (plan.Observed[upgrade.Retention], plan.Observed[time.Duration]) {
	c, err := client.CheckpointConfig(ctx, jobID)
	switch {
	case errors.Is(err, flinkrest.ErrNoCheckpointing):
		return plan.Absent[upgrade.Retention](), plan.Absent[time.Duration]()
	case err != nil:
		return plan.Unknown[upgrade.Retention](oneLine(err)), plan.Unknown[time.Duration](oneLine(err))
	}
	kept := c.Externalization
	return plan.Present(upgrade.Retention{
		Cancelled: kept.Enabled && !kept.DeleteOnCancellation, Failed: kept.Enabled, Periodic: c.Interval < noInterval,
	}), plan.Present(milliseconds(c.Timeout))
}

// milliseconds is a number of them, at most the longest duration there is.
func milliseconds(n int64) time.Duration {
	return time.Duration(min(n, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
}
