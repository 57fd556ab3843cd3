package upkeep

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/takedown"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// After decides what becomes of a JobManager whose job has ended or is suspended. First match wins:
//
//	 #  there is                                          the Deployment  for
//	A1  a Deployment that a start prepared, suspended     goes            that start never came to its release
//	A2  a job that had ended and runs again               rests           its main method was run a second time, see the
//	                                                                      Warning
//	A3  a suspension, and a Deployment that is not kept   goes            a suspended job has no pods, see stopper.Rest
//	A4  an end, and a standalone cluster that rests       goes            its TaskManagers would run for nothing
//	A5  an end whose last state is not read yet           stays           the JobManager has to be asked for it
//	A6  an end or suspension older than the TTL           goes            the cluster; high-availability data stays
//	A7  anything else                                     stays           the rules that follow decide
//
// A Deployment that rests has no replicas. One that goes rests before, see takeAway.
func After(v *cluster.Cluster) (decision.Result, bool) {
	r, decided := after(v)
	if r.Situation == plan.Ended { // what is not known of its state is told meanwhile, too
		r.Stall = facts.LastStateStall(v.Look)
	}
	return r, decided
}

func after(v *cluster.Cluster) (decision.Result, bool) {
	jm, present := v.Seen.JobManager.Get()
	if v.Look.Last == nil || v.Look.IsSession() || !present || jm.DeletionTimestamp != nil {
		return decision.Result{}, false
	}
	switch {
	case !v.Look.LastRunning() && v.PreparedOnly(jm):
		return takedown.RemovePrepared(v, jm), true
	case v.Look.Reran:
		v.Look.Tell(plan.Event{
			Warning: true, Reason: plan.ReasonJobReran, Component: plan.ComponentJob,
			Message: "The job had ended and its JobManager was replaced, so it began again; it is stopped.",
		})
		return decision.Result{
			Situation: plan.Ended,
			Finish:    []plan.Action{cluster.Retire(jm)},
			Soon:      v.IsStandalone(),
		}, true
	case cluster.RestsSuspended(v):
		return takedown.TakeAway(v, jm, plan.Suspended), true
	case cluster.RestsEnded(v, jm):
		return takedown.TakeAway(v, jm, plan.Ended), true
	case cluster.Outlived(v):
		v.Look.Note(fmt.Sprintf("the job ended more than %s ago", v.Look.Options.ShutdownTTL()))
		return takedown.TakeAway(v, jm, plan.Ended), true
	}
	return decision.Result{}, false
}
