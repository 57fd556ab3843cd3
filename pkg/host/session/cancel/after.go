package cancel

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/observe"
	"github.com/kn-flink/kn-flink/pkg/engine/operation"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// After ends a job that had ended and runs again: high availability brings a job back whose end its JobManager had not
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
func After(v *session.Job) (decision.Result, bool) {
	j, listed := v.Listed()
	if !listed || j.State.IsTerminal() {
		return decision.Result{}, false
	}
	if !v.Look.LastRunning() {
		return endAgain(v, j, plan.Suspended), true
	}
	if !world.AnotherRun(v.Seen.Resource.Status.JobStatus, j) {
		return decision.Result{}, false
	}
	observe.Job(v.Look)
	return endAgain(v, j, plan.Ended), true
}

// CameBack ends a former job of the resource that runs again, before anything else is done.
func CameBack(v *session.Job) (decision.Result, bool) {
	j, runs := formerJob(v)
	if !runs {
		return decision.Result{}, false
	}
	return endAgain(v, j, plan.Waiting), true
}

// formerJob is a former job of the resource that runs.
func formerJob(v *session.Job) (world.Job, bool) {
	jobs, _ := v.Seen.Flink.Jobs.Get()
	for _, id := range v.Look.Want.FormerJobs {
		if j, listed := world.FindJob(jobs, id); listed && id != v.Look.Want.JobStatus.JobID && !j.State.IsTerminal() {
			return j, true
		}
	}
	return world.Job{}, false
}

// endAgain cancels a job that had ended and runs again.
func endAgain(v *session.Job, j world.Job, situation plan.Situation) decision.Result {
	r := decision.Result{Situation: situation, Wait: plan.Cause{
		Reason:  plan.ReasonJobReran,
		Message: fmt.Sprintf("job %s had ended and runs again; it is being cancelled", j.ID),
	}}
	if !operation.Cancellable(j.State) {
		return r
	}
	v.Look.Tell(plan.Event{
		Warning:   true,
		Reason:    plan.ReasonJobReran,
		Component: plan.ComponentJob,
		Once:      true,
		Key:       j.ID + "@" + j.StartTime,
		Message: fmt.Sprintf("Job %s had ended, and its JobManager was replaced before it had stored that, so the job "+
			"began again; it is cancelled.", j.ID),
	})
	r.Actions = []plan.Action{plan.CancelJob{JobID: j.ID, Endpoint: v.Endpoint(), Counts: true}}
	return r
}
