package gather

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/ask"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/flinkrest/javatrace"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
)

// statistics are those of a job's checkpoints, asked for once in a look.
type statistics func() (flinkrest.CheckpointStatistics, error)

// asked is what one look asks of Flink.
type asked struct {
	// seen is what was seen of the job until then.
	seen world.Seen
	// stop asks for the stop-with-savepoint of the open intent.
	stop bool
	// more says what else to ask, given the jobs.
	more func(world.Flink) ask.More
}

// flink asks the JobManager of a FlinkDeployment for its jobs, and for more if they moved.
func (g *Gatherer) flink(ctx context.Context, q deployment.Questions, inquiry *deployment.Inquiry) world.Flink {
	client, err := g.Flink(*q.Flink)
	if err != nil {
		return unanswered(err)
	}
	jobs, err := jobsOf(ctx, client)
	return g.flinkOf(ctx, client, jobs, err, asked{seen: inquiry.Seen.Seen, stop: q.Stop,
		more: func(f world.Flink) ask.More {
			inquiry.Seen.Flink = f
			return inquiry.Flink()
		}})
}

// flinkOf asks for more than the jobs, which are known, or why not.
func (g *Gatherer) flinkOf(
	ctx context.Context, client *flinkrest.Client, jobs []world.Job, err error, a asked,
) world.Flink {
	if err != nil {
		return unanswered(err)
	}
	s := a.seen
	s.Flink.Jobs = plan.Present(jobs)
	more := g.Revise.flink(a.more(s.Flink), s)
	jobID := s.Resource.Status.JobStatus.JobID
	found, _ := world.FindJob(jobs, jobID)
	statistics := sync.OnceValues(func() (flinkrest.CheckpointStatistics, error) {
		return client.CheckpointStatistics(ctx, jobID)
	})
	if more.Graph { // before the statistics, whose age at that time it tells
		details, err := client.Job(ctx, jobID)
		s.Flink.Clock, s.Flink.NoGraph = timeOf(details.Now), hasNoGraph(details)
		if err == nil && found.State.IsTerminal() && !v1beta1.FlinkJobState(details.State).IsTerminal() {
			err = errors.New("the details of the job are of a time before its end")
		}
		if err != nil { // whether the statistics tell anything is not known
			s.Flink.GraphUnread = oneLine(err)
			more.Checkpoints, s.Flink.Checkpoints = false, plan.Unknown[world.Checkpoints](s.Flink.GraphUnread)
		}
	}
	var looks sync.WaitGroup
	ask := func(wanted bool, look func()) {
		if wanted {
			looks.Go(look)
		}
	}
	ask(more.Facts, func() { s.Flink.Facts = g.facts(ctx, client, jobID, statistics) })
	ask(more.Failure || more.Exceptions > 0, func() { g.history(ctx, client, &s, more) })
	ask(more.Checkpoints, func() { s.Flink.Checkpoints = g.checkpoints(statistics) })
	ask(more.Retention, func() { s.Flink.Retention, s.Flink.CheckpointTimeout = g.retention(ctx, client, jobID) })
	ask(more.Health, func() { s.Flink.Health = g.health(ctx, client, found, more.Progress) })
	ask(more.Requests, func() { s.Flink.Requests = g.PendingOperations(ctx, client, s.Resource.Status.JobStatus) })
	ask(more.Requirements, func() { s.Flink.Requirements = g.requirements(ctx, client, jobID) })
	ask(more.LateStops, func() { s.Flink.LateStops = g.lateStops(ctx, client, s.Resource.Status.GivenUpStop) })
	ask(a.stop, func() {
		s.Flink.Stop = g.stop(ctx, client, s.Resource.Status.Intent.Stops.JobID, s.Resource.Status.Intent.TriggerID)
	})
	looks.Wait() // each reports its failure in the part that it fills
	if stop, _ := s.Flink.Stop.Get(); stop.State == world.StopCompleted {
		jobs, err := jobsOf(ctx, client) // again, to show what became of the one that was stopped
		if err != nil {
			return unanswered(err)
		}
		s.Flink.Jobs = plan.Present(jobs)
	}
	return s.Flink
}

func jobsOf(ctx context.Context, client *flinkrest.Client) ([]world.Job, error) {
	answer, err := client.Jobs(ctx)
	jobs := make([]world.Job, 0, len(answer))
	for _, j := range answer {
		jobs = append(jobs, jobOf(j))
	}
	return jobs, err
}

// hasNoGraph reports whether the details of a job were made up from its job graph, as the adaptive scheduler does while
// there is no execution graph. Of a job that could not be initialized there are no vertices either.
func hasNoGraph(details flinkrest.Job) bool {
	return details.Timestamps[flinkrest.Created] == 0 && len(details.Vertices) > 0
}

// jobOf is one job of GET /jobs/overview.
func jobOf(j flinkrest.JobSummary) world.Job {
	return world.Job{
		ID: j.ID, Name: j.Name, State: v1beta1.FlinkJobState(j.State), StartTime: strconv.FormatInt(int64(j.StartTime), 10),
		EndTime: timeOf(j.EndTime), Modified: timeOf(j.LastModification),
		Tasks: j.Tasks["total"], Running: j.Tasks["running"], Finished: j.Tasks["finished"],
	}
}

// unanswered is a JobManager that could not be asked.
func unanswered(err error) world.Flink {
	return world.Flink{
		Jobs: plan.Unknown[[]world.Job](oneLine(err)), Distrusted: errors.Is(err, flinkrest.ErrTLS),
	}
}

// timeOf is a time that may not have come yet; Flink says -1 or 0 until then.
func timeOf(t flinkrest.Millis) time.Time {
	if t <= 0 {
		return time.Time{}
	}
	return t.Time()
}

// facts are the cluster's figures. The size of the state is left out when there is no checkpoint to read it from.
func (g *Gatherer) facts(
	ctx context.Context, client *flinkrest.Client, jobID string, checkpoints statistics,
) plan.Observed[world.ClusterFacts] {
	var facts world.ClusterFacts
	var group errgroup.Group
	group.Go(func() error {
		config, err := client.ClusterConfig(ctx)
		facts.Version, facts.Revision = config.FlinkVersion, config.FlinkRevision
		return err
	})
	group.Go(func() error {
		managers, err := client.TaskManagers(ctx)
		facts.TaskManagers = len(managers)
		return err
	})
	if jobID != "" {
		group.Go(func() error {
			s, err := checkpoints()
			if err == nil && s.Latest.Completed != nil {
				facts.StateSize = &s.Latest.Completed.StateSize
			}
			return nil // no checkpointing, no job, no statistics: no size
		})
	}
	if err := group.Wait(); err != nil {
		return plan.Unknown[world.ClusterFacts](oneLine(err))
	}
	return plan.Present(facts)
}

// history is the job's exception history, and the cause of the newest failure in it, as far as asked for.
func (g *Gatherer) history(
	ctx context.Context, client *flinkrest.Client, s *world.Seen, more ask.More,
) {
	answer, err := client.JobExceptions(ctx, s.Resource.Status.JobStatus.JobID, max(1, more.Exceptions))
	if more.Failure {
		s.Flink.Failure, s.Flink.FailureTrace = newestFailure(answer, err)
	}
	if more.Failure && s.Flink.Failure.IsAbsent() {
		s.Flink.Failure, s.Flink.FailureTrace = endedWith(ctx, client, s.Resource.Status.JobStatus.JobID)
	}
	if more.Exceptions == 0 {
		return
	}
	if err != nil {
		s.Flink.Exceptions = plan.Unknown[[]exceptions.Entry](oneLine(err))
		return
	}
	entries := make([]exceptions.Entry, 0, len(answer.Entries))
	for _, e := range answer.Entries {
		entries = append(entries, exceptions.Entry{
			At: e.Timestamp.Time(), StackTrace: e.StackTrace, TaskName: e.TaskName, Endpoint: e.Endpoint,
			TaskManagerID: e.TaskManagerID, Labels: e.FailureLabels,
		})
	}
	s.Flink.Exceptions = plan.Present(entries)
}

// endedWith is the cause in a job's result, with its stack trace. The history may be an answer of some seconds ago, and
// a JobManager whose only job could not be initialized is gone by then.
func endedWith(
	ctx context.Context, client *flinkrest.Client, jobID string,
) (cause plan.Observed[string], trace string) {
	result, err := client.ExecutionResult(ctx, jobID)
	switch {
	case err != nil:
		return plan.Unknown[string](oneLine(err)), ""
	case result.Failure == nil:
		return plan.Absent[string](), ""
	}
	return plan.Present(result.Failure.Summary()), result.Failure.StackTrace
}

func newestFailure(answer flinkrest.JobExceptions, err error) (cause plan.Observed[string], trace string) {
	switch {
	case err != nil:
		return plan.Unknown[string](oneLine(err)), ""
	case len(answer.Entries) == 0:
		return plan.Absent[string](), ""
	}
	trace = answer.Entries[0].StackTrace
	return plan.Present(javatrace.Summary(trace)), trace
}

// requirements asks for the ranges of parallelism that a job asks for. What Flink itself refuses is none.
func (g *Gatherer) requirements(
	ctx context.Context, client *flinkrest.Client, jobID string,
) plan.Observed[map[string]plan.Bounds] {
	answer, err := client.ResourceRequirements(ctx, jobID)
	switch {
	case err != nil && !flinkrest.Unknown(err):
		return plan.Absent[map[string]plan.Bounds]()
	case err != nil:
		return plan.Unknown[map[string]plan.Bounds](oneLine(err))
	}
	found := make(map[string]plan.Bounds, len(answer))
	for vertex, r := range answer {
		found[vertex] = plan.Bounds{Lower: r.Parallelism.Lower, Upper: r.Parallelism.Upper}
	}
	return plan.Present(found)
}
