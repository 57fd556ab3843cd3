package sessionjob

import (
	"fmt"
	"slices"

	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// after ends a job that had ended and runs again: high availability brings a job back whose end its JobManager had not
// stored. First match wins:
//
//	 #  acted on   status records  Flink lists it                 then
//	A1  -          a former job    and it has not ended           cancel it, see cameBack
//	A2  suspended  -               and it has not ended           cancel it
//	A3  running    its end         as another run that has not    cancel it
//	                               ended
//	A4  otherwise  -               -                              the rules that follow decide
//
// What runs again tells nothing of what status records for the next start. The rules before leave no resource that was
// never deployed, and no open intent whose job Flink lists.
func after(v view) (job.Result, bool) {
	j, listed := v.listed()
	if !listed || j.State.IsTerminal() {
		return job.Result{}, false
	}
	if !v.LastRunning() {
		return v.endAgain(j, plan.Suspended), true
	}
	if !job.AnotherRun(v.seen.Resource.Status.JobStatus, j) {
		return job.Result{}, false
	}
	job.ObserveJob(v.Life)
	return v.endAgain(j, plan.Ended), true
}

// cameBack ends a former job of the resource that runs again, before anything else is done.
func cameBack(v view) (job.Result, bool) {
	j, runs := formerJob(v)
	if !runs {
		return job.Result{}, false
	}
	return v.endAgain(j, plan.Waiting), true
}

// formerJob is a former job of the resource that runs.
func formerJob(v view) (job.Job, bool) {
	jobs, _ := v.seen.Flink.Jobs.Get()
	for _, id := range v.Want.FormerJobs {
		if j, listed := job.FindJob(jobs, id); listed && id != v.Want.JobStatus.JobID && !j.State.IsTerminal() {
			return j, true
		}
	}
	return job.Job{}, false
}

// endAgain cancels a job that had ended and runs again.
func (v view) endAgain(j job.Job, situation plan.Situation) job.Result {
	r := job.Result{Situation: situation, Wait: plan.Cause{
		Reason: plan.ReasonJobReran, Message: fmt.Sprintf("job %s had ended and runs again; it is being cancelled", j.ID),
	}}
	if !job.Cancellable(j.State) {
		return r
	}
	v.Tell(plan.Event{
		Warning: true, Reason: plan.ReasonJobReran, Component: plan.ComponentJob, Once: true, Key: j.ID + "@" + j.StartTime,
		Message: fmt.Sprintf("Job %s had ended, and its JobManager was replaced before it had stored that, so the job "+
			"began again; it is cancelled.", j.ID),
	})
	r.Actions = []plan.Action{plan.CancelJob{JobID: j.ID, Endpoint: v.Endpoint(), Counts: true}}
	return r
}

// mostFormer is how many former jobs status keeps. Each of them had ended before the next was started.
const mostFormer = 3

// remembersFormer keeps the ID of the job that another one takes the place of.
func remembersFormer(v view) {
	before, now := v.seen.Resource.Status.JobStatus.JobID, v.Want.JobStatus.JobID
	if before == "" || before == now {
		return
	}
	former := slices.DeleteFunc(slices.Clone(v.Want.FormerJobs), func(id string) bool { return id == before || id == now })
	former = append([]string{before}, former...)
	v.Want.FormerJobs = former[:min(len(former), mostFormer)]
}
