package cluster

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// Flink keeps the graph of a job in its high-availability data until the job has ended, and a JobManager runs every
// graph that it finds. Where we can look, a start drops them. In a ZooKeeper where only Flink can look, the end of the
// job is all that removes its graph: that no JobManager runs any more is not enough.

// graphRemoval is how long Flink is given to remove the graph of a job that has ended. Nothing at its REST interface
// says that it did: it shows the end of the job first, and then removes the graph, again and again where that fails
// (cleanup-strategy). The end of the process is what tells: a JobManager that is told to end waits for the removal
// (Dispatcher.onStop), and a start begins only when no process is left. This is for one that is killed before that. It
// is counted from when the end was seen: Flink's clock may be another one.
const graphRemoval = 10 * time.Second

// NotNow is false: the cluster is the job's own.
func (v stopper) NotNow() (job.Result, bool) { return job.Result{}, false }

// AwaitJobGraph goes on with a stop whose successor would find the graph of the job. It is false when there is nothing
// to wait for.
//
//	Flink     job                        then
//	-         a deletion                 go on: it tells what is left
//	-         never ran                  record that it left none, take the cluster down
//	silent    -                          wait; stalled after the clean-up timeout
//	answers   not listed                 the same
//	answers   ended, graphRemoval ago    record the end, take the cluster down
//	answers   ended, or CANCELLING       wait
//	answers   otherwise                  cancel (again)
func (v stopper) AwaitJobGraph() (job.Result, bool) {
	intent, target := v.Intent(), job.Goal(v.Life).Target()
	if intent.Purpose == v1beta1.PurposeDelete || !job.HAData(v.Life).FindsJobGraph(&target) {
		return job.Result{}, false
	}
	jobs, _ := v.Seen.Flink.Jobs.Get()
	j, listed := job.FindJob(jobs, intent.Stops.JobID)
	waits := job.Result{
		Situation: plan.Stopping,
		Wait: plan.Cause{
			Reason: plan.ReasonJobCancelling, Message: "the job is being cancelled; Flink removes its job graph then",
		},
	}
	end := func() (job.Result, bool) {
		now := v.Now()
		intent.Ended, intent.EndedAt = true, &now
		return job.Result{Situation: plan.Stopping, Record: "end", Actions: v.TakeDown()}, true
	}
	switch {
	case v.Want.JobStatus.StartTime == "" && v.NeverRan():
		return end()
	case !listed:
		waits.Wait = jobGraphLeft(Cluster(v), "Flink does not report whether the job has ended")
		if v.Since(intent.StoredAt) > v.CleanupTimeout() {
			waits.Stall = &waits.Wait
		}
	case j.State.IsTerminal() && v.Since(v.EndedAt()) >= graphRemoval:
		return end()
	case job.Cancellable(j.State):
		waits.Actions = []plan.Action{plan.CancelJob{JobID: j.ID, Endpoint: v.Endpoint(), Counts: true}}
	}
	return waits, true
}

// MayRunAnother stops a start that may find the graph of a job before it. A job is known to have ended when its end is
// recorded, and was ended by itself before a stop that does nothing to it, unless a run of it was seen; a start that
// was not released left no graph.
func (v starter) MayRunAnother(target *v1beta1.FlinkDeploymentSpec) (job.Result, bool) {
	intent, ended := v.Intent(), v.Want.JobStatus.State.IsTerminal()
	if intent != nil {
		nothing := intent.Stop == v1beta1.StopNone && v.Want.JobStatus.StartTime == ""
		ended = ended || intent.Ended || nothing || intent.Step == v1beta1.StepStarting
	}
	if ended || !job.HAData(v.Life).FindsJobGraph(target) {
		return job.Result{}, false
	}
	why := jobGraphLeft(Cluster(v), "the cluster was deleted and the end of its job was not observed")
	return job.Result{Situation: plan.Lost, Stall: &why}, true
}

// jobGraphLeft says what a person can do about a graph that may be left.
func jobGraphLeft(v Cluster, what string) plan.Cause {
	r, store := v.Seen.Resource, v.HA().Store
	return plan.Cause{Reason: plan.ReasonJobGraphUnreadable,
		Message: fmt.Sprintf("%s, and a start would run the job graph that it may have left beside the new job. %s "+
			"When no JobManager of it runs: %s; then: kubectl annotate flinkdeployment %s -n %s %s=true",
			what, store.Problem, store.Removal(), r.Name, r.Namespace, v1beta1.AnnotationIgnoreState)}
}
