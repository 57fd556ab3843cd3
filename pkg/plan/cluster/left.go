package cluster

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster/evidence"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// Remains is what is left of a cluster that goes: its pods, how long they may take, which of them nobody waits for, and
// its high-availability data.
type Remains Cluster

// MayRun waits while a process of a cluster whose Deployment is gone may still run.
func (v Remains) MayRun() (job.Result, bool) {
	if r, unknown := v.podsUnknown(); unknown {
		return r, true
	}
	if r, stands := v.taskManagersStand(); stands {
		return r, true
	}
	if len(v.PodsLeft()) > 0 {
		return stopper(v).WaitForEnd(), true
	}
	return job.Result{}, false
}

// podsUnknown waits while it is not known which pods there are.
func (v Remains) podsUnknown() (job.Result, bool) {
	for _, seen := range []plan.Observed[[]corev1.Pod]{v.Seen.Pods, v.Seen.TaskManagers} {
		if seen.IsUnknown() {
			return job.Unobservable("the pods of the cluster", seen.Why()), true
		}
	}
	return job.Result{}, false
}

// taskManagersStand takes the TaskManagers of a standalone cluster down. They are a Deployment
// of their own, which would replace each of their pods that ends.
//
//	the Deployment           JobManager pods   then
//	of a first start         -                 nothing: one that is there is not ours
//	Unknown                  -                 wait
//	Absent, being deleted    -                 nothing
//	Present                  some may run      wait
//	Present                  none runs         delete it
func (v Remains) taskManagersStand() (job.Result, bool) {
	deployment, present := v.Seen.TaskManagerDeployment.Get()
	switch {
	case !v.IsStandalone() || v.Seen.TaskManagerDeployment.IsAbsent(),
		v.Last == nil && v.Seen.Resource.DeletionTimestamp == nil:
		return job.Result{}, false
	case !present:
		return job.Unobservable("the Deployment of the TaskManagers", v.Seen.TaskManagerDeployment.Why()), true
	case v.jobManagerLeft():
		return stopper(v).WaitForEnd(), true
	}
	r := v.Seen.Resource
	remove := plan.DeleteCluster{Namespace: r.Namespace, Name: deployment.Name, UID: deployment.UID, Orphan: v.Orphans()}
	return job.Result{Situation: plan.Stopping, Actions: []plan.Action{remove}, Again: true}, true
}

// PodsLeft are the pods of the cluster whose processes run, or may begin to, as far as they were looked for: all but
// those whose kubelet says that every container has ended. What is left of such a pod is an object.
//
// One that is being deleted and waits by its status is no exception: its kubelet writes that a container has begun some
// time after it has, and a dead one does not write it at all. A JobManager would adopt such a TaskManager by its
// labels.
func (v Remains) PodsLeft() []corev1.Pod {
	var left []corev1.Pod
	for _, seen := range []plan.Observed[[]corev1.Pod]{v.Seen.Pods, v.Seen.TaskManagers} {
		pods, _ := seen.Get()
		for _, pod := range pods {
			if !evidence.Ended(pod) {
				left = append(left, pod)
			}
		}
	}
	return left
}

// hasRun reports whether a kubelet says that a container of a JobManager ran, or runs.
func (v Remains) hasRun() bool {
	pods, _ := v.Seen.Pods.Get()
	return slices.ContainsFunc(pods, func(pod corev1.Pod) bool {
		return evidence.HasRun(pod) && !slices.ContainsFunc(pod.Status.ContainerStatuses, madeUp)
	})
}

// madeUp is the end of a container that never ran: a kubelet that ends a pod writes one for each that it knows nothing
// of.
func madeUp(c corev1.ContainerStatus) bool {
	end := c.State.Terminated
	return end != nil && end.Reason == "ContainerStatusUnknown" && end.StartedAt.IsZero() && c.RestartCount == 0 &&
		c.LastTerminationState.Terminated == nil
}

// silentNode is a node that does not answer, or is gone, with a pod of the cluster that may run; empty when there is
// none.
func (v Remains) silentNode() string {
	for _, pod := range v.PodsLeft() {
		node, looked := v.Seen.Nodes[pod.Spec.NodeName]
		answers, known := node.Get()
		if looked && !node.IsUnknown() && !(known && answers) {
			return pod.Spec.NodeName
		}
	}
	return ""
}

// jobManagerLeft reports whether a JobManager's process may run.
func (v Remains) jobManagerLeft() bool {
	pods, _ := v.Seen.Pods.Get()
	return slices.ContainsFunc(pods, func(pod corev1.Pod) bool { return !evidence.Ended(pod) })
}

// RemoveHAData removes the high-availability data that the round saw, or waits while it is unknown or in use. It is
// false when there is none. It is for rounds that saw no JobManager pod, or did not look for any.
func (v Remains) RemoveHAData(situation plan.Situation) (job.Result, bool) {
	data := v.HAToRemove()
	what, why, unknown := data.Unknown()
	switch remove, some := data.Remove(); {
	case !data.Store.Readable():
		return job.Result{}, false
	case v.jobManagerLeft(): // it was made late, and may write that data again
		r := stopper(v).WaitForEnd()
		r.Situation = situation
		return r, true
	case unknown:
		r := job.Unobservable(what, why)
		if v.Overdue() {
			r.Stall = &plan.Cause{Reason: plan.ReasonHighAvailabilityUnknown, Message: fmt.Sprintf(
				"the old cluster is gone, and nothing follows before %s can be read and removed: %s", what, why)}
		}
		return r, true
	case data.InUse() != "":
		return job.Result{
			Situation: situation, Wait: plan.Cause{Reason: plan.ReasonHighAvailabilityDataInUse, Message: data.InUse()},
		}, true
	case some:
		return job.Result{Situation: situation, Again: true, Actions: []plan.Action{remove}}, true
	}
	return job.Result{}, false
}
