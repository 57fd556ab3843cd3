package gather

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/subject"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// lateStops asks how far the stops with savepoint are that were given up.
func (g *Gatherer) lateStops(
	ctx context.Context, client *flinkrest.Client, given *v1beta1.GivenUpStop,
) plan.Observed[[]subject.StopProgress] {
	var all []subject.StopProgress
	for _, triggerID := range append([]string{given.TriggerID}, given.Earlier...) {
		seen := g.stop(ctx, client, given.JobID, triggerID)
		progress, known := seen.Get()
		if !known {
			return plan.Unknown[[]subject.StopProgress](seen.Why())
		}
		all = append(all, progress)
	}
	return plan.Present(all)
}

// stop asks how far a stop with savepoint is.
func (g *Gatherer) stop(
	ctx context.Context, client *flinkrest.Client, jobID, triggerID string,
) plan.Observed[subject.StopProgress] {
	operation, err := client.SavepointStatus(ctx, jobID, triggerID)
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
			progress.State = subject.StopUnfinished
		}
		if operation.Failure != nil {
			progress.Cause = operation.Failure.Summary()
		}
	case flinkrest.OperationNotKnown:
		progress.State = subject.StopNotKnown
	default:
		return plan.Unknown[subject.StopProgress]("Flink returned an unknown state of the savepoint")
	}
	return plan.Present(progress)
}

// checkpoints are the newest restorable state of a job, and the times of its checkpoints. A job without checkpointing,
// or that has none yet, is Absent.
func (g *Gatherer) checkpoints(ask statistics) plan.Observed[subject.Checkpoints] {
	s, err := ask()
	switch {
	case errors.Is(err, flinkrest.ErrNoCheckpointing):
		return plan.Absent[subject.Checkpoints]()
	case err != nil:
		return plan.Unknown[subject.Checkpoints](oneLine(err))
	}
	newest, found := newestState(s)
	if len(s.History) > 0 && s.History[0].Status == flinkrest.CheckpointInProgress {
		newest.Pending = s.History[0].TriggerTime.Time()
	}
	if !found && newest.Pending.IsZero() {
		return plan.Absent[subject.Checkpoints]()
	}
	return plan.Present(newest)
}

// stopType is the type of the savepoint of a stop.
const stopType = "SYNC_SAVEPOINT"

// newestState is the newest of what the job was restored from, its completed checkpoint and its savepoint, by their
// numbers. One that Flink has deleted since is only told of. It is false when there is none.
func newestState(s flinkrest.CheckpointStatistics) (newest subject.Checkpoints, found bool) {
	id, restored := int64(-1), (*subject.Restored)(nil)
	take := func(number int64, path string, at time.Time, kind subject.StateKind) {
		if number > id {
			found, id = true, number
			newest = subject.Checkpoints{Path: path, Completed: at, Kind: kind}
		}
	}
	if c := s.Latest.Restored; c != nil {
		kind := subject.KindRestored
		if c.IsSavepoint {
			kind = subject.KindRestoredSavepoint
		}
		take(c.ID, c.ExternalPath, c.RestoreTime.Time(), kind)
		restored = &subject.Restored{Number: c.ID, Path: addressable(c.ExternalPath), Savepoint: c.IsSavepoint}
	}
	if c := s.Latest.Savepoint; c != nil && !c.Discarded {
		kind := subject.KindSavepoint
		if c.Type == stopType {
			kind = subject.KindStop
		}
		take(c.ID, c.ExternalPath, c.TriggerTime.Time(), kind)
	}
	switch c := s.Latest.Completed; {
	case c != nil && !c.Discarded:
		take(c.ID, c.ExternalPath, c.TriggerTime.Time(), subject.KindCheckpoint)
	case c != nil && c.ID >= id: // the same number: the job restarted from it
		found, newest.Discarded = true, true
	}
	newest.Path, newest.Restored = addressable(newest.Path), restored
	return newest, found
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
) plan.Observed[upgrade.Retention] {
	c, err := client.CheckpointConfig(ctx, jobID)
	switch {
	case errors.Is(err, flinkrest.ErrNoCheckpointing):
		return plan.Absent[upgrade.Retention]()
	case err != nil:
		return plan.Unknown[upgrade.Retention](oneLine(err))
	}
	kept := c.Externalization
	return plan.Present(upgrade.Retention{
		Cancelled: kept.Enabled && !kept.DeleteOnCancellation, Failed: kept.Enabled, Periodic: c.Interval < noInterval,
	})
}
