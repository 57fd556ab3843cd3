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
// (cleanup-strategy). A JobManager that is there for so long after the end has removed it; one that was killed before
// may have left it. It is counted from when the end was seen: Flink's clock may be another one.
const graphRemoval = 10 * time.Second

// NotNow is false: the cluster is the job's own.
func (v stopper) NotNow() (job.Result, bool) { return job.Result{}, false }

// observeJobGraph records, in a status that has the end of the job, whether its graph is gone. First match wins:
//
//	Flink          the job                                  the graph
//	does not
//	answer         -                                        as it was
//	answers        runs                                     is there
//	answers        has ended, graphRemoval ago              is gone
//	answers        is not listed, its end is recorded, and  is gone: a JobManager begins with what it finds
//	               the JobManager is ready for graphRemoval
//	answers        otherwise                                as it was
func observeJobGraph(v Cluster) {
	status := &v.Want.JobStatus
	jobs, answers := v.Seen.Flink.Jobs.Get()
	if !answers || !v.HA().Store.Unreadable() || v.IsSession() {
		return
	}
	j, listed := job.FindJob(jobs, status.JobID)
	recorded := status.State.IsTerminal() && v.Since(v.EndedAt()) >= graphRemoval
	switch {
	case listed && !j.State.IsTerminal():
		status.JobGraphRemoved = ""
	case recorded && (listed || v.Since(v.AvailableAt()) >= graphRemoval):
		status.JobGraphRemoved = status.JobID
	}
}

// leftNoGraph reports whether it is known that no graph of an earlier job is left: it was seen to go, or no job began.
func leftNoGraph(v Cluster) bool {
	status, intent := v.Want.JobStatus, v.Intent()
	if status.JobGraphRemoved != "" && status.JobGraphRemoved == status.JobID {
		return true
	}
	if intent == nil {
		return false
	}
	gaveUp := intent.Ended && (intent.Stop == v1beta1.StopStateless || intent.Stop == "") // see stopper.giveUp
	never := intent.Stop == v1beta1.StopNone && status.StartTime == "" && !status.State.IsTerminal()
	return (gaveUp || never) && !intent.Began || intent.Step == v1beta1.StepStarting
}

// watchContainers notes that a container ran of a cluster that is taken down as one that never ran: that was refused,
// or came late, and somebody else may take its Deployment away before the next attempt. Whether the job left a graph
// then, nobody has seen. Where only Flink can look, one that may have begun counts, too: its pod may have come to its
// node just before the takedown, and be gone before its status says that it ran.
func (v stopper) watchContainers() {
	status, intent := &v.Want.JobStatus, v.Intent()
	never := status.JobGraphRemoved != "" && status.JobGraphRemoved == status.JobID ||
		intent.Stop == v1beta1.StopNone && intent.Stops != nil && intent.Stops.DeploymentUID != ""
	ran := Remains(v).hasRun() || v.HA().Store.Unreadable() && v.start().MayHaveBegun()
	if never && v.IsApplication() && status.StartTime == "" && !status.State.IsTerminal() && ran {
		intent.Began, status.JobGraphRemoved = true, ""
	}
}

// AwaitJobGraph goes on with a stop whose successor would find the graph of the job, until that is gone. It is false
// when there is nothing to wait for. First match wins:
//
//	#   Flink     the job                                then
//	G1  -         a deletion, or its graph is gone       go on
//	G2  -         never ran                              record that it left none, go on; not that it has ended: until
//	                                                     its cluster is down, it may yet begin
//	G3  silent    -                                      wait; stalled after the clean-up timeout
//	G4  answers   is not listed                          the same
//	G5  answers   has ended, or is CANCELLING            wait
//	G6  answers   otherwise                              cancel it (again)
func (v stopper) AwaitJobGraph() (job.Result, bool) {
	intent, target := v.Intent(), job.Goal(v.Life).Target()
	deletes := intent.Purpose == v1beta1.PurposeDelete
	if deletes || leftNoGraph(Cluster(v)) || !job.HAData(v.Life).FindsJobGraph(&target) {
		return job.Result{}, false
	}
	jobs, _ := v.Seen.Flink.Jobs.Get()
	j, listed := job.FindJob(jobs, intent.Stops.JobID)
	if listed && j.State.IsTerminal() {
		v.SetJobState(j.State)
	}
	observeJobGraph(Cluster(v))
	never := v.Want.JobStatus.StartTime == "" && v.NeverRan()
	waits := job.Result{
		Situation: plan.Stopping,
		Wait: plan.Cause{
			Reason: plan.ReasonJobCancelling, Message: "the job ends; Flink removes its job graph then",
		},
	}
	switch {
	case never:
		v.Want.JobStatus.JobGraphRemoved = v.Want.JobStatus.JobID
		return v.goOn(), true
	case leftNoGraph(Cluster(v)):
		v.giveUp()
		return v.goOn(), true
	case !listed:
		waits.Wait = jobGraphLeft(Cluster(v), "Flink does not report whether the job has ended")
		if v.Since(intent.StoredAt) > v.CleanupTimeout() {
			waits.Stall = &waits.Wait
		}
	case job.Cancellable(j.State):
		waits.Actions = []plan.Action{plan.CancelJob{JobID: j.ID, Endpoint: v.Endpoint(), Counts: true}}
	}
	return waits, true
}

// giveUp records the end of a job whose state is given up.
func (v stopper) giveUp() {
	intent, now := v.Intent(), v.Now()
	if (intent.Stop == v1beta1.StopStateless || intent.Stop == "") && !intent.Ended {
		intent.Ended, intent.EndedAt = true, &now
	}
}

// goOn records that the graph is gone, and goes on with the stop.
func (v stopper) goOn() job.Result {
	next := job.Stopping(v.Life).Step()
	next.Record = "end"
	return next
}

// MayRunAnother stops a start that may find the graph of a job before it, and a suspension that would hide it.
func (v starter) MayRunAnother(target *v1beta1.FlinkDeploymentSpec) (job.Result, bool) {
	finds := job.HAData(v.Life).FindsJobGraph(target)
	if finds && leftNoGraph(Cluster(v)) {
		v.Want.JobStatus.JobGraphRemoved = v.Want.JobStatus.JobID // also once the intent that says so is closed
		finds = false
	}
	if !finds {
		return job.Result{}, false
	}
	why := jobGraphLeft(Cluster(v), "the cluster was deleted, and its job was not seen to end with its job graph")
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
