package cluster

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster/evidence"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// TakeApart takes a cluster down in an order that leaves what its successor needs. A job that loses its TaskManagers
// fails. When it may not restart (restart-strategy.type: none, or its attempts are used up) it fails for good, and
// Flink removes its high-availability data. A JobManager that is told to end (SIGTERM) suspends its jobs and keeps
// that data, see ADR 29.
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
func (v stopper) TakeApart() job.Result {
	if r, calls := v.awaitCalls(); calls {
		return r
	}
	jm, present := v.Seen.JobManager.Get()
	pods, known := v.Seen.Pods.Get()
	needed := job.HAData(v.Life).NeededNext()
	switch {
	case v.atOnce():
		return job.Result{Situation: plan.Stopping, Actions: v.TakeDown()}
	case !present:
		return v.WaitForEnd()
	case !Retired(jm):
		r := job.Result{Situation: plan.Stopping, Pods: true, Actions: v.TakeDown()}
		if needed && job.LostProgress(v.Life).SuspectHeldUp(job.TakedownTakes) {
			r.Record = "suspicion"
		}
		return r
	case MayMakePods(jm):
		return v.waitWhileItRuns(needed)
	case v.Seen.ReplicaSets.IsUnknown():
		return v.setsUnknown()
	case v.setsMakePods(jm.UID):
		return v.waitWhileItRuns(needed)
	case needed && !known:
		return job.Unobservable("the pods of the cluster", v.Seen.Pods.Why())
	case needed && slices.ContainsFunc(pods, func(p corev1.Pod) bool { return !evidence.Ended(p) }):
		return v.waitWhileItRuns(needed)
	}
	if r, makes := v.retireTaskManagers(); makes {
		return r
	}
	return job.Result{Situation: plan.Stopping, Actions: v.TakeDown()}
}

// waitWhileItRuns waits for the end of a JobManager whose high-availability data is needed or not.
func (v stopper) waitWhileItRuns(needed bool) job.Result {
	if needed {
		job.LostProgress(v.Life).SuspectHeldUp(job.EndTakes)
	}
	return v.WaitForEnd()
}

// takeAway deletes the Deployment of a job that has ended or is suspended: retired first, like any other that something
// may follow. Its job has nothing to lose any more, so that its TaskManagers go as soon as no JobManager is made.
//
//	the Deployments                      then
//	asks for JobManagers                 retire it
//	is retired, may still make pods      look again soon
//	of TaskManagers, asks for some       retire it, look again soon
//	all are retired, make no more pods   delete the cluster
func (v stopper) takeAway(jm *appsv1.Deployment, situation plan.Situation) job.Result {
	waits := job.Result{Situation: situation, Soon: !Remains(v).Overdue()}
	switch {
	case !Retired(jm):
		return job.Result{Situation: situation, Finish: []plan.Action{retire(jm)}, Soon: true}
	case MayMakePods(jm):
		return waits
	case v.Seen.ReplicaSets.IsUnknown():
		return v.setsUnknown()
	case v.setsMakePods(jm.UID):
		return waits
	}
	if r, makes := v.retireTaskManagers(); makes {
		if r.Situation == plan.Stopping {
			r.Situation, r.Soon, r.Stall = situation, waits.Soon, nil // nothing waits for that
		}
		return r
	}
	v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	return job.Result{Situation: situation, Finish: []plan.Action{v.deleteCluster(jm)}}
}

func retire(jm *appsv1.Deployment) plan.Retire {
	return plan.Retire{Namespace: jm.Namespace, Name: jm.Name, UID: jm.UID}
}

func (v stopper) setsUnknown() job.Result {
	return job.Unobservable("the ReplicaSets of the cluster", v.Seen.ReplicaSets.Why())
}

// setsMakePods reports whether a ReplicaSet of a retired Deployment still asks for pods, or its controller has not
// acted on that it does not.
func (v stopper) setsMakePods(deployment types.UID) bool {
	sets, _ := v.Seen.ReplicaSets.Get()
	return slices.ContainsFunc(sets, func(s ReplicaSet) bool {
		return s.Deployment == deployment && (s.Replicas > 0 || !s.Seen)
	})
}

// deletes reports whether the cluster goes because its resource does.
func (v stopper) deletes() bool {
	return v.Intent().Purpose == v1beta1.PurposeDelete || v.Resource().DeletionTimestamp != nil
}

// atOnce reports whether the cluster is deleted without being retired first.
func (v stopper) atOnce() bool {
	jm, present := v.Seen.JobManager.Get()
	return v.deletes() && !v.mayGetMore() || present && jm.DeletionTimestamp != nil
}

// retireTaskManagers scales the Deployment of a standalone cluster's TaskManagers to zero, and waits until its
// controllers have.
func (v stopper) retireTaskManagers() (job.Result, bool) {
	tm, present := v.Seen.TaskManagerDeployment.Get()
	switch {
	case !v.IsStandalone() || v.Seen.TaskManagerDeployment.IsAbsent():
		return job.Result{}, false
	case !present:
		return job.Unobservable("the Deployment of the TaskManagers", v.Seen.TaskManagerDeployment.Why()), true
	case tm.Replicas > 0:
		return job.Result{
			Situation: plan.Stopping, Pods: true, Actions: []plan.Action{scale(Cluster(v), tm, 0)},
		}, true
	case tm.MayMakePods || v.setsMakePods(tm.UID):
		return v.WaitForEnd(), true
	}
	return job.Result{}, false
}

// TakeDown is the next step of taking a cluster down at once: it is retired, then deleted. A job whose state is given
// up is cancelled first, as far as someone answers. One that a person told to start from another state is not: that may
// be a checkpoint of its own, which Flink could delete with it.
func (v stopper) TakeDown() []plan.Action {
	var actions []plan.Action
	gives := (v.Intent().Stop == v1beta1.StopStateless || v.Intent().Stop == "") &&
		v.Intent().Purpose != v1beta1.PurposeRedeploy
	if jobs, ok := v.Seen.Flink.Jobs.Get(); ok && gives {
		if j, found := job.FindJob(jobs, v.Want.JobStatus.JobID); found && job.Cancellable(j.State) {
			actions = append(actions, plan.CancelJob{JobID: j.ID, Endpoint: v.Endpoint()})
		}
	}
	jm, present := v.Seen.JobManager.Get()
	switch {
	case !present:
		return actions
	case v.atOnce() || Retired(jm):
		return append(actions, v.deleteCluster(jm))
	}
	first := retire(jm)
	if v.Intent().Stop == v1beta1.StopNone {
		first.Pods = v.notBegun()
	}
	return append(actions, first)
}

// notBegun are the JobManager pods none of whose containers has begun. Who takes a job that never ran for one deletes
// them at once: until the controllers have heard that no pod is wanted any more, they would begin.
func (v stopper) notBegun() []plan.OwnedObject {
	pods, _ := v.Seen.Pods.Get()
	var all []plan.OwnedObject
	for _, p := range pods {
		if p.DeletionTimestamp == nil && !evidence.HasRun(p) {
			all = append(all, plan.OwnedObject{Kind: "Pod", Name: p.Name, UID: p.UID})
		}
	}
	return all
}
