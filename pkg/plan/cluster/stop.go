package cluster

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// stopper takes the cluster down, as job.Stopper asks, in an order that leaves what its successor needs.
type stopper Cluster

// Rest is what becomes of the JobManager of a job that is suspended. First match wins:
//
//	cluster                            the Deployment  because
//	standalone                         no replicas     then it goes, see After: its TaskManagers would run for nothing
//	native, with high availability     stays           for its time to live: people can read its logs
//	native, without                    no replicas     it would run the job again when its pod is replaced
func (v stopper) Rest() (actions []plan.Action, more bool) {
	jm, present := v.Seen.JobManager.Get()
	if !present || !v.IsStandalone() && job.HAData(v.Life).Usable() {
		return nil, false
	}
	return []plan.Action{retire(jm)}, v.IsStandalone()
}

func (v stopper) deleteCluster(jm *appsv1.Deployment) plan.DeleteCluster {
	owned, _ := v.Seen.Owned.Get()
	return plan.DeleteCluster{Namespace: jm.Namespace, Name: jm.Name, UID: jm.UID, Orphan: v.Orphans(), Owned: owned}
}

// Watch notes a node that does not answer any more, and a container that began all the same.
func (v stopper) Watch() {
	job.Stopping(v.Life).WatchNodes(Remains(v).silentNode())
	v.watchContainers()
}

// CarryStop goes on with a stop until nothing of the old cluster is left.
//
//	Deployment              pods      then
//	the one to stop         -         take it down (again), or the next step of it
//	it, being deleted       -         wait; say which pods hold it after the clean-up timeout
//	another                 -         Unaccounted
//	Absent                  Unknown   wait
//	Absent                  some run  wait
//	Absent                  none run  delete HA data that may go; then end the stop
func (v stopper) CarryStop() job.Result {
	intent := v.Intent()
	jm, present := v.Seen.JobManager.Get()
	if present {
		if intent.Stops == nil || jm.UID != intent.Stops.DeploymentUID {
			if v.PreparedOnly(jm) {
				return starter(v).removePrepared(jm)
			}
			return stands(Cluster(v), "a Deployment that the open stop does not account for")
		}
		if jm.DeletionTimestamp == nil {
			return job.Stopping(v.Life).Step()
		}
		return v.WaitForEnd()
	}
	if r, lost := job.Ending(v.Life).Lost(); lost {
		return r
	}
	if r, runs := Remains(v).MayRun(); runs {
		return r
	}
	if r, first := Remains(v).RemoveHAData(plan.Stopping); first && job.HAData(v.Life).GoesWithStop() {
		return r
	}
	return job.Stopping(v.Life).End()
}

// WaitForEnd waits for a cluster that is being deleted, as Remains.judge decides.
func (v stopper) WaitForEnd() job.Result {
	d := Remains(v).judge()
	r := job.Result{Situation: plan.Stopping, Wait: plan.Cause{Reason: d.Reason, Message: d.Message}, Pods: true}
	if d.Stalled {
		r.Stall = &r.Wait
	}
	if d.Delete != nil {
		r.Actions, r.Again = []plan.Action{*d.Delete}, true
		r.Tells = []plan.Event{{
			Warning: true, Reason: plan.ReasonPodDeleted, Component: plan.ComponentJobManager, Message: d.Why,
		}}
	} else if late := v.madeLate(); len(late) > 0 {
		r.Actions = []plan.Action{v.deleteLeftovers(late)}
	}
	return r
}
