package gather

import (
	"context"
	"errors"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/health"
)

// restartMetrics count the restarts of a job, the newer name first. Flink reads metrics when somebody asks, so the
// first answer of a new JobManager has none of them.
var restartMetrics = []string{"numRestarts", "fullRestarts"}

// health is what a job's health is judged by; its checkpoints only if progress asks for them. Where the newest is older
// than that, Flink says how often the job makes them: its code may say otherwise than its configuration.
func (g *Gatherer) health(
	ctx context.Context, client *flinkrest.Client, j world.Job, progress time.Duration,
) plan.Observed[health.Seen] {
	var seen health.Seen
	var group errgroup.Group
	group.Go(func() (err error) {
		seen.Restarts, err = restarts(ctx, client, j.ID)
		return err
	})
	if progress > 0 {
		group.Go(func() (err error) {
			seen.Checkpoints, seen.Progress, err = checkpointProgress(ctx, client, j)
			if err == nil && !seen.Progress.IsZero() && seen.Progress.Add(progress).Before(g.Now()) {
				seen.Own, err = ownPace(ctx, client, j.ID)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return plan.Unknown[health.Seen](oneLine(err))
	}
	return plan.Present(seen)
}

// ownPace is how often a job makes checkpoints; never for one whose code switches them off.
func ownPace(ctx context.Context, client *flinkrest.Client, jobID string) (*health.Pace, error) {
	c, err := client.CheckpointConfig(ctx, jobID)
	if err != nil {
		return nil, err
	}
	return &health.Pace{Interval: milliseconds(c.Interval), Timeout: milliseconds(c.Timeout)}, nil
}

func restarts(ctx context.Context, client *flinkrest.Client, jobID string) (int64, error) {
	values, err := client.Metrics(ctx, jobID, restartMetrics)
	if err != nil {
		return 0, err
	}
	for _, name := range restartMetrics {
		if n, err := strconv.ParseInt(values[name], 10, 64); err == nil {
			return n, nil
		}
	}
	return 0, errors.New("Flink has no metric of the job's restarts yet")
}

// checkpointProgress is how many checkpoints and savepoints were completed, and when the newest was: when the job
// began, without one. The zero time: the job makes none.
func checkpointProgress(ctx context.Context, client *flinkrest.Client, j world.Job) (int64, time.Time, error) {
	s, err := client.CheckpointStatistics(ctx, j.ID)
	switch {
	case errors.Is(err, flinkrest.ErrNoCheckpointing):
		return 0, time.Time{}, nil
	case err != nil:
		return 0, time.Time{}, err
	}
	begun, err := strconv.ParseInt(j.StartTime, 10, 64)
	if err != nil {
		return 0, time.Time{}, err
	}
	newest := time.UnixMilli(begun)
	for _, c := range []*flinkrest.Checkpoint{s.Latest.Completed, s.Latest.Savepoint} {
		if c != nil && c.LatestAck.Time().After(newest) {
			newest = c.LatestAck.Time()
		}
	}
	return s.Counts.Completed, newest, nil
}
