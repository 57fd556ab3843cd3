package cluster

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// After decides what becomes of a JobManager whose job has ended or is suspended. First match wins:
//
//	 #  there is                                          the Deployment  for
//	A1  a Deployment that a start prepared, suspended     goes            that start never came to its release
//	A2  a job that had ended and runs again               rests           its main method was run a second time, see the
//	                                                                      Warning
//	A3  a suspension, and a Deployment that should rest   rests           see stopper.Rest
//	A4  an end whose last state is not read yet           stays           the JobManager has to be asked for it
//	A5  an end or suspension older than the TTL           goes            the cluster; high-availability data stays
//	A6  anything else                                     stays           the rules that follow decide
//
// A Deployment that rests has no replicas; that of a standalone cluster goes, with its TaskManagers.
func After(v Cluster) (job.Result, bool) {
	jm, present := v.Seen.JobManager.Get()
	if v.Last == nil || v.IsSession() || !present || jm.DeletionTimestamp != nil {
		return job.Result{}, false
	}
	retired := jm.Spec.Replicas != nil && *jm.Spec.Replicas == 0
	rest := []plan.Action{plan.Retire{Namespace: jm.Namespace, Name: jm.Name, UID: jm.UID}}
	if v.IsStandalone() {
		rest = []plan.Action{stopper(v).deleteCluster(jm)}
	}
	ended := v.Seen.Resource.Status.JobStatus.State.IsTerminal()
	switch {
	case !v.LastRunning() && v.PreparedOnly(jm):
		return starter(v).removePrepared(jm), true
	case v.Reran:
		v.Tell(plan.Event{
			Warning: true, Reason: plan.ReasonJobReran, Component: plan.ComponentJob,
			Message: "The job had ended and its JobManager was replaced, so it began again; it is stopped.",
		})
		return job.Result{Situation: plan.Ended, Finish: rest}, true
	case !v.LastRunning() && !retired && len(stopper(v).Rest()) > 0:
		return job.Result{Situation: plan.Suspended, Finish: rest}, true
	case ended && !job.LastState(v.Life).Awaited() && v.Since(v.EndedAt()) > v.ShutdownTTL():
		v.Note(fmt.Sprintf("the job ended more than %s ago", v.ShutdownTTL()))
		remove := stopper(v).deleteCluster(jm)
		v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
		return job.Result{Situation: plan.Ended, Finish: []plan.Action{remove}}, true
	}
	return job.Result{}, false
}
