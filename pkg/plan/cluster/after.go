package cluster

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster/evidence"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// After decides what becomes of a JobManager whose job has ended or is suspended. First match wins:
//
//	 #  there is                                          the Deployment  for
//	A1  a Deployment that a start prepared, suspended     goes            that start never came to its release
//	A2  a job that had ended and runs again               rests           its main method was run a second time, see the
//	                                                                      Warning
//	A3  a suspension, and a Deployment that should rest   rests           see stopper.Rest
//	A4  a standalone cluster that rests                   goes            its TaskManagers would run for nothing
//	A5  an end whose last state is not read yet           stays           the JobManager has to be asked for it
//	A6  an end or suspension older than the TTL           goes            the cluster; high-availability data stays
//	A7  anything else                                     stays           the rules that follow decide
//
// A Deployment that rests has no replicas. One that goes rests before, see takeAway.
func After(v Cluster) (job.Result, bool) {
	r, decided := after(v)
	if r.Situation == plan.Ended { // what is not known of its state is told meanwhile, too
		r.Stall = job.LastState(v.Life).Stall()
	}
	return r, decided
}

func after(v Cluster) (job.Result, bool) {
	jm, present := v.Seen.JobManager.Get()
	if v.Last == nil || v.IsSession() || !present || jm.DeletionTimestamp != nil {
		return job.Result{}, false
	}
	rests, more := stopper(v).Rest()
	switch {
	case !v.LastRunning() && v.PreparedOnly(jm):
		return starter(v).removePrepared(jm), true
	case v.Reran:
		v.Tell(plan.Event{
			Warning: true, Reason: plan.ReasonJobReran, Component: plan.ComponentJob,
			Message: "The job had ended and its JobManager was replaced, so it began again; it is stopped.",
		})
		return job.Result{Situation: plan.Ended, Finish: []plan.Action{retire(jm)}, Soon: more}, true
	case !v.LastRunning() && evidence.Replicas(jm) > 0 && len(rests) > 0:
		return job.Result{Situation: plan.Suspended, Finish: rests, Soon: more}, true
	case restsStandalone(v, jm) && !v.LastRunning():
		return stopper(v).takeAway(jm, plan.Suspended), true
	case restsStandalone(v, jm):
		return stopper(v).takeAway(jm, plan.Ended), true
	case outlived(v):
		v.Note(fmt.Sprintf("the job ended more than %s ago", v.ShutdownTTL()))
		return stopper(v).takeAway(jm, plan.Ended), true
	}
	return job.Result{}, false
}

// Leaves reports whether the cluster goes because its job has ended or is suspended: A4 and A6.
func Leaves(v Cluster) bool {
	jm, present := v.Seen.JobManager.Get()
	return v.Last != nil && !v.IsSession() && present && (restsStandalone(v, jm) || outlived(v))
}

func restsStandalone(v Cluster, jm *appsv1.Deployment) bool {
	ended := v.Seen.Resource.Status.JobStatus.State.IsTerminal()
	return v.IsStandalone() && (!v.LastRunning() && evidence.Replicas(jm) == 0 || ended && Retired(jm))
}

func outlived(v Cluster) bool {
	ended := v.Seen.Resource.Status.JobStatus.State.IsTerminal()
	return ended && !job.LastState(v.Life).Awaited() && v.Since(v.EndedAt()) > v.ShutdownTTL()
}
