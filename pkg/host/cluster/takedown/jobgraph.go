package takedown

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/operation"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// NotNow is false: the cluster is the job's own.
func NotNow(v *cluster.Cluster) (decision.Result, bool) { return decision.Result{}, false }

// watchContainers notes that a container ran of a cluster that is taken down as one that never ran: that was refused,
// or came late, and somebody else may take its Deployment away before the next attempt. Whether the job left a graph
// then, nobody has seen. Where only Flink can look, one that may have begun counts, too: its pod may have come to its
// node just before the takedown, and be gone before its status says that it ran.
func watchContainers(v *cluster.Cluster) {
	status, intent := &v.Look.Want.JobStatus, v.Look.Intent()
	never := status.JobGraphRemoved != "" && status.JobGraphRemoved == status.JobID ||
		intent.Stop == v1beta1.StopNone && intent.Stops != nil && intent.Stops.DeploymentUID != ""
	ran := cluster.HasRun(v) || v.HA().Store.Unreadable() && v.Start().MayHaveBegun()
	if never && v.Look.IsApplication() && status.StartTime == "" && !status.State.IsTerminal() && ran {
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
func AwaitJobGraph(v *cluster.Cluster) (decision.Result, bool) {
	intent, target := v.Look.Intent(), facts.Target(v.Look)
	deletes := intent.Purpose == v1beta1.PurposeDelete
	if deletes || cluster.LeftNoGraph(v) || !facts.FindsJobGraph(v.Look, &target) {
		return decision.Result{}, false
	}
	jobs, _ := v.Seen.Flink.Jobs.Get()
	j, listed := world.FindJob(jobs, intent.Stops.JobID)
	if listed && j.State.IsTerminal() {
		v.Look.SetJobState(j.State)
	}
	cluster.ObserveJobGraph(v)
	never := v.Look.Want.JobStatus.StartTime == "" && v.NeverRan()
	waits := decision.Result{
		Situation: plan.Stopping,
		Wait: plan.Cause{
			Reason: plan.ReasonJobCancelling, Message: "the job ends; Flink removes its job graph then",
		},
	}
	switch {
	case never:
		v.Look.Want.JobStatus.JobGraphRemoved = v.Look.Want.JobStatus.JobID
		return goOnBeside(v), true
	case cluster.LeftNoGraph(v):
		giveUp(v)
		return goOnBeside(v), true
	case !listed:
		waits.Wait = cluster.JobGraphLeft(v, "Flink does not report whether the job has ended")
		if v.Look.Since(intent.StoredAt) > v.Look.Options.CleanupTimeout() {
			waits.Stall = &waits.Wait
		}
	case operation.Cancellable(j.State):
		waits.Actions = []plan.Action{plan.CancelJob{JobID: j.ID, Endpoint: v.Endpoint(), Counts: true}}
	}
	return waits, true
}

// giveUp records the end of a job whose state is given up.
func giveUp(v *cluster.Cluster) {
	intent, now := v.Look.Intent(), v.Look.Now()
	if (intent.Stop == v1beta1.StopStateless || intent.Stop == "") && !intent.Ended {
		intent.Ended, intent.EndedAt = true, &now
	}
}

// goOnBeside records that the graph is gone, and goes on with the stop.
func goOnBeside(v *cluster.Cluster) decision.Result {
	next := operation.StopStep(v.Look)
	next.Record = "end"
	return next
}
