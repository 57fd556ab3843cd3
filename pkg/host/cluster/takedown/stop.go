package takedown

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/operation"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/claim"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func deleteCluster(v *cluster.Cluster, jm *appsv1.Deployment) plan.DeleteCluster {
	owned, _ := v.Seen.Owned.Get()
	return plan.DeleteCluster{
		Namespace: jm.Namespace,
		Name:      jm.Name,
		UID:       jm.UID,
		Orphan:    v.Look.Options.Orphans(),
		Owned:     owned,
	}
}

// WatchStop notes a node that does not answer any more, and a container that began all the same.
func WatchStop(v *cluster.Cluster) {
	operation.WatchNodes(v.Look, cluster.SilentNode(v))
	watchContainers(v)
}

// CarryStop goes on with a stop until nothing of the old cluster is left.
//
//	Deployment              pods      then
//	the one to stop         -         take it down (again), or the next step of it
//	it, being deleted       -         wait; say which pods hold it after the clean-up timeout
//	another                 -         Unaccounted
//	Absent                  Unknown   wait
//	Absent                  some run  wait; also while a ReplicaSet asks for some
//	Absent                  none run  delete HA data that may go; then end the stop
func CarryStop(v *cluster.Cluster) decision.Result {
	intent := v.Look.Intent()
	jm, present := v.Seen.JobManager.Get()
	if present {
		if intent.Stops == nil || jm.UID != intent.Stops.DeploymentUID {
			if v.PreparedOnly(jm) {
				return RemovePrepared(v, jm)
			}
			return claim.NotOfIntent(v, jm, "a Deployment that the open stop does not account for")
		}
		if jm.DeletionTimestamp == nil {
			return operation.StopStep(v.Look)
		}
		return WaitForEnd(v)
	}
	if r, lost := operation.LostWithJobManager(v.Look); lost {
		return r
	}
	if r, occupied := Occupy(v); occupied {
		return r
	}
	if r, first := RemoveHAData(v, plan.Stopping); first && facts.HAGoesWithStop(v.Look) {
		return r
	}
	return operation.EndStop(v.Look)
}

// WaitForEnd waits for a cluster that is being deleted, as judgeEnd decides.
func WaitForEnd(v *cluster.Cluster) decision.Result {
	watchLeases(v)
	d := judgeEnd(v)
	r := decision.Result{Situation: plan.Stopping, Wait: plan.Cause{Reason: d.Reason, Message: d.Message}, Pods: true}
	if d.Stalled {
		r.Stall = &r.Wait
	}
	if d.Delete != nil {
		r.Actions, r.Again = []plan.Action{*d.Delete}, true
		r.Tells = []plan.Event{{
			Warning: true, Reason: plan.ReasonPodDeleted, Component: plan.ComponentJobManager, Message: d.Why,
		}}
	} else if late := madeLate(v); len(late) > 0 {
		r.Actions = []plan.Action{deleteLeftovers(v, late)}
	}
	return r
}
