package cluster

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// After decides what becomes of a JobManager whose job has ended or is suspended.
//
//	what                                              then
//	a Deployment that a start prepared, suspended     delete it: that start never came to its release
//	the job runs again with another start time        no replicas, and a Warning: its main method was run a second time
//	suspended without high availability, replicas     no replicas: a replaced pod would run the job again
//	ended or suspended for longer than the TTL        delete the cluster, unless it still has to be asked what the job
//	                                                  ended with;
//	                                                  high-availability data stays
func After(v *Cluster) (job.Result, bool) {
	jm, present := v.Seen.JobManager.Get()
	if v.Last == nil || v.IsSession() || !present || jm.DeletionTimestamp != nil {
		return job.Result{}, false
	}
	retired := jm.Spec.Replicas != nil && *jm.Spec.Replicas == 0
	retire := plan.Retire{Namespace: jm.Namespace, Name: jm.Name, UID: jm.UID}
	ended := v.Seen.Resource.Status.JobStatus.State.IsTerminal()
	switch {
	case !v.LastRunning() && v.PreparedOnly(jm):
		return v.removePrepared(jm), true
	case v.Reran:
		v.Tell(plan.Event{
			Warning: true, Reason: plan.ReasonJobReran, Component: plan.ComponentJob,
			Message: "The job had ended and its JobManager was replaced, so it began again; it is stopped.",
		})
		return job.Result{Situation: plan.Ended, Finish: []plan.Action{retire}}, true
	case !v.LastRunning() && !retired && !v.HighAvailabilityUsable():
		return job.Result{Situation: plan.Suspended, Finish: []plan.Action{retire}}, true
	case ended && !v.AwaitsLastState() && v.Since(v.EndedAt()) > v.ShutdownTTL():
		v.Note(fmt.Sprintf("the job ended more than %s ago", v.ShutdownTTL()))
		remove := v.deleteCluster(jm)
		v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
		return job.Result{Situation: plan.Ended, Finish: []plan.Action{remove}}, true
	}
	return job.Result{}, false
}
