package takedown

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/loss"
	"github.com/kn-flink/kn-flink/pkg/engine/operation"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/evidence"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// RemovePrepared deletes what was prepared and never ran, in the version that was seen: a release makes it another one.
func RemovePrepared(v *cluster.Cluster, jm *appsv1.Deployment) decision.Result {
	remove := deleteCluster(v, jm)
	remove.ResourceVersion = jm.ResourceVersion
	if v.Look.Intent() != nil {
		remove.WhileOpen = v.Look.Intent().OperationID
	}
	return decision.Result{Situation: plan.Starting, Again: true, Actions: []plan.Action{remove}}
}

// Scale asks for so many TaskManagers of a standalone cluster.
func Scale(v *cluster.Cluster, tm cluster.TaskManagerDeployment, to int32) plan.Action {
	return plan.ScaleTaskManagers{Namespace: v.Seen.Resource.Namespace, Name: tm.Name, UID: tm.UID, Replicas: to}
}

// TakeApart takes a cluster down in an order that leaves what its successor needs. A job that loses its TaskManagers
// fails. When it may not restart (restart-strategy.type: none, or its attempts are used up) it fails for good, and
// Flink removes its high-availability data. A JobManager that is told to end (SIGTERM) suspends its jobs and keeps that
// data, see ADR 29.
//
// A Deployment that is deleted while it asks for pods may get some more: its controllers hear of that later, and they
// replace what goes with it. So it is retired first, ADR 71. A deletion, which nothing follows, retires one that has
// not got all its pods: nobody would look for them any more, ADR 73.
//
// A session cluster first waits for requests of its jobs, see awaitCalls.
//
//	what the successor starts from  the Deployments                           then
//	-                               of a resource that is deleted, with its   delete the cluster, all processes at once
//	                                pods, or going
//	-                               asks for JobManagers, or may be released  retire it: its TaskManagers stay
//	-                               is retired, may still make pods           wait, see WaitForEnd
//	the high-availability data      is retired, a JobManager may run          wait for its end
//	-                               of TaskManagers, asks for some            retire it, wait
//	-                               all are retired, and make no more pods    delete the cluster
func TakeApart(v *cluster.Cluster) decision.Result {
	if r, calls := awaitCalls(v); calls {
		return r
	}
	jm, present := v.Seen.JobManager.Get()
	pods, known := v.Seen.Pods.Get()
	needed := facts.HANeededNext(v.Look)
	switch {
	case atOnce(v):
		return decision.Result{Situation: plan.Stopping, Actions: TakeDown(v)}
	case !present:
		return WaitForEnd(v)
	case !cluster.Retired(jm):
		r := decision.Result{Situation: plan.Stopping, Pods: true, Actions: TakeDown(v)}
		if needed && loss.HeldUp(v.Look, loss.TakedownTakes) {
			r.Record = "suspicion"
		}
		return r
	case cluster.PodsMayCome(jm):
		return waitWhileItRuns(v, needed)
	case v.Seen.ReplicaSets.IsUnknown():
		return SetsUnknown(v)
	case setsMakePods(v, jm.UID):
		return waitWhileItRuns(v, needed)
	case needed && !known:
		return decision.Unobservable("the pods of the cluster", v.Seen.Pods.Why())
	case needed && slices.ContainsFunc(pods, func(p corev1.Pod) bool { return !evidence.Ended(p) }):
		return waitWhileItRuns(v, needed)
	}
	if r, makes := retireTaskManagers(v); makes {
		return r
	}
	return decision.Result{Situation: plan.Stopping, Actions: TakeDown(v)}
}

// waitWhileItRuns waits for the end of a JobManager whose high-availability data is needed or not.
func waitWhileItRuns(v *cluster.Cluster, needed bool) decision.Result {
	if needed {
		loss.HeldUp(v.Look, loss.EndTakes)
	}
	return WaitForEnd(v)
}

// TakeAway deletes the Deployment of a job that has ended or is suspended: retired first, like any other that something
// may follow. Its job has nothing to lose any more, so that its TaskManagers go as soon as no JobManager is made.
//
//	the Deployments                      then
//	asks for JobManagers                 retire it
//	is retired, may still make pods      look again soon
//	of TaskManagers, asks for some       retire it, look again soon
//	all are retired, make no more pods   delete the cluster
func TakeAway(v *cluster.Cluster, jm *appsv1.Deployment, situation plan.Situation) decision.Result {
	waits := decision.Result{Situation: situation, Soon: !cluster.Overdue(v)}
	switch {
	case !cluster.Retired(jm):
		return decision.Result{Situation: situation, Finish: []plan.Action{cluster.Retire(jm)}, Soon: true}
	case cluster.PodsMayCome(jm):
		return waits
	case v.Seen.ReplicaSets.IsUnknown():
		return SetsUnknown(v)
	case setsMakePods(v, jm.UID):
		return waits
	}
	if r, makes := retireTaskManagers(v); makes {
		if r.Situation == plan.Stopping {
			r.Situation, r.Soon, r.Stall = situation, waits.Soon, nil // nothing waits for that
		}
		return r
	}
	v.Look.Want.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	return decision.Result{Situation: situation, Finish: []plan.Action{deleteCluster(v, jm)}}
}

// SetsUnknown is the result where the ReplicaSets could not be listed: what pods they may still make is not known.
func SetsUnknown(v *cluster.Cluster) decision.Result {
	return decision.Unobservable("the ReplicaSets of the cluster", v.Seen.ReplicaSets.Why())
}

// setsMakePods reports whether a ReplicaSet of a retired Deployment still asks for pods, or its controller has not
// acted on that it does not.
func setsMakePods(v *cluster.Cluster, deployment types.UID) bool {
	sets, _ := v.Seen.ReplicaSets.Get()
	return slices.ContainsFunc(sets, func(s cluster.ReplicaSet) bool {
		return s.Deployment == deployment && (s.Replicas > 0 || !s.Seen)
	})
}

// goesWithResource reports whether the cluster goes because its resource does.
func goesWithResource(v *cluster.Cluster) bool {
	return v.Look.Intent().Purpose == v1beta1.PurposeDelete || v.Look.Resource().DeletionTimestamp != nil
}

// atOnce reports whether the cluster is deleted without being retired first.
func atOnce(v *cluster.Cluster) bool {
	jm, present := v.Seen.JobManager.Get()
	return goesWithResource(v) && !mayGetMore(v) || present && jm.DeletionTimestamp != nil
}

// retireTaskManagers scales the Deployment of a standalone cluster's TaskManagers to zero, and waits until its
// controllers have.
func retireTaskManagers(v *cluster.Cluster) (decision.Result, bool) {
	tm, present := v.Seen.TaskManagerDeployment.Get()
	switch {
	case !v.IsStandalone() || v.Seen.TaskManagerDeployment.IsAbsent():
		return decision.Result{}, false
	case !present:
		return decision.Unobservable("the Deployment of the TaskManagers", v.Seen.TaskManagerDeployment.Why()), true
	case tm.Replicas > 0:
		return decision.Result{
			Situation: plan.Stopping, Pods: true, Actions: []plan.Action{Scale(v, tm, 0)},
		}, true
	case tm.MayMakePods || setsMakePods(v, tm.UID):
		return WaitForEnd(v), true
	}
	return decision.Result{}, false
}

// TakeDown is the next step of taking a cluster down at once: it is retired, then deleted. A job whose state is given
// up is cancelled first, as far as someone answers. One that a person told to start from another state is not: that may
// be a checkpoint of its own, which Flink could delete with it.
func TakeDown(v *cluster.Cluster) []plan.Action {
	var actions []plan.Action
	gives := (v.Look.Intent().Stop == v1beta1.StopStateless || v.Look.Intent().Stop == "") &&
		v.Look.Intent().Purpose != v1beta1.PurposeRedeploy
	if jobs, ok := v.Seen.Flink.Jobs.Get(); ok && gives {
		if j, found := world.FindJob(jobs, v.Look.Want.JobStatus.JobID); found && operation.Cancellable(j.State) {
			actions = append(actions, plan.CancelJob{JobID: j.ID, Endpoint: v.Endpoint()})
		}
	}
	jm, present := v.Seen.JobManager.Get()
	switch {
	case !present:
		return actions
	case atOnce(v) || cluster.Retired(jm):
		return append(actions, deleteCluster(v, jm))
	}
	first := cluster.Retire(jm)
	if v.Look.Intent().Stop == v1beta1.StopNone {
		first.Pods = notBegun(v)
	}
	return append(actions, first)
}

// notBegun are the JobManager pods none of whose containers has begun. Who takes a job that never ran for one deletes
// them at once: until the controllers have heard that no pod is wanted any more, they would begin.
func notBegun(v *cluster.Cluster) []plan.OwnedObject {
	pods, _ := v.Seen.Pods.Get()
	var all []plan.OwnedObject
	for _, p := range pods {
		if p.DeletionTimestamp == nil && !evidence.HasRun(p) {
			all = append(all, plan.OwnedObject{Kind: "Pod", Name: p.Name, UID: p.UID})
		}
	}
	return all
}
