package gather

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// moving asks the JobManagers of both sides what a handover needs, all at once.
func (g *Gatherer) moving(ctx context.Context, q bluegreen.MovingQuery) (found bluegreen.Moving) {
	var looks sync.WaitGroup
	if q.Target.Endpoint != nil {
		looks.Go(func() { g.movingTarget(ctx, q, &found) })
	}
	if q.Serving.Endpoint != nil {
		looks.Go(func() {
			if client, err := g.Flink(*q.Serving.Endpoint); err == nil {
				found.Serving = movingJob(ctx, client, q.Serving)
			}
		})
	}
	looks.Wait()
	return found
}

func (g *Gatherer) movingTarget(ctx context.Context, q bluegreen.MovingQuery, found *bluegreen.Moving) {
	client, err := g.Flink(*q.Target.Endpoint)
	if err != nil {
		found.Slots = plan.Unknown[bluegreen.Slots](oneLine(err))
		return
	}
	var looks sync.WaitGroup
	if q.Operation != "" {
		looks.Go(func() {
			overview, err := client.Overview(ctx)
			found.Slots = known(bluegreen.Slots{Total: overview.SlotsTotal, Free: overview.SlotsAvailable}, err)
		})
		looks.Go(func() { found.WarmUp = warmUpOf(ctx, client, q.WarmUp) })
		looks.Go(func() {
			jars, err := client.Jars(ctx)
			if err != nil {
				return // those that stay go with the JobManager
			}
			for _, j := range jars {
				if strings.HasPrefix(j.Name, q.Operation) {
					found.Jars = append(found.Jars, j.ID)
				}
			}
		})
	}
	if q.Target.JobID != "" {
		looks.Go(func() { found.Target = movingJob(ctx, client, q.Target) })
	}
	looks.Wait()
}

// warmUpOf is the state of the job that warms a cluster; Absent where its JobManager does not know it.
func warmUpOf(ctx context.Context, client *flinkrest.Client, id string) plan.Observed[v1beta1.FlinkJobState] {
	jobs, err := jobsOf(ctx, client)
	if err != nil {
		return plan.Unknown[v1beta1.FlinkJobState](oneLine(err))
	}
	if j, listed := world.FindJob(jobs, id); listed {
		return plan.Present(j.State)
	}
	return plan.Absent[v1beta1.FlinkJobState]()
}

// movingJob is what a JobManager says of the job of a side.
//
//	its checkpoints                                 completed since its start
//	one was completed, or it was restored from one  Yes
//	cannot be read, or Flink does not know the job  Unknown
//	none, and it has ended just now                 Pending: Flink may answer from before
//	none                                            No
func movingJob(ctx context.Context, client *flinkrest.Client, q bluegreen.MovingJobQuery) (found bluegreen.MovingJob) {
	jobs, err := jobsOf(ctx, client)
	if err != nil {
		found.Why = oneLine(err)
		return found
	}
	job, listed := world.FindJob(jobs, q.JobID)
	if !listed {
		found.Unlisted = true
		return found
	}
	if job.Runs() {
		found.RunningAt = job.Modified
	}
	found.EndedAt = job.EndTime
	if q.Checkpoints {
		found.Checkpoint, found.Why = checkpointOf(ctx, client, job, q)
	}
	return found
}

func checkpointOf(
	ctx context.Context, client *flinkrest.Client, job world.Job, q bluegreen.MovingJobQuery,
) (bluegreen.Answer, string) {
	var now time.Time
	if job.State.IsTerminal() {
		details, err := client.Job(ctx, q.JobID)
		if err != nil {
			return bluegreen.Unknown, oneLine(err)
		}
		now = timeOf(details.Now)
	}
	statistics, err := client.CheckpointStatistics(ctx, q.JobID)
	switch {
	case errors.Is(err, flinkrest.ErrNotFound):
		return bluegreen.Unknown, "Flink does not know the job any more"
	case err != nil:
		return bluegreen.Unknown, oneLine(err)
	case statistics.Latest.Completed != nil,
		statistics.Latest.Restored != nil && !statistics.Latest.Restored.IsSavepoint:
		return bluegreen.Yes, ""
	case job.State.IsTerminal() && now.Before(job.EndTime.Add(q.Cached)):
		return bluegreen.Pending, ""
	}
	return bluegreen.No, ""
}
