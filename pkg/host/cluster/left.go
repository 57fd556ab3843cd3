package cluster

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/host/cluster/evidence"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// PodsLeft are the pods of the cluster whose processes run, or may begin to, as far as they were looked for: all but
// those whose kubelet says that every container has ended. What is left of such a pod is an object.
//
// One that is being deleted and waits by its status is no exception: its kubelet writes that a container has begun some
// time after it has, and a dead one does not write it at all. A JobManager would adopt such a TaskManager by its
// labels.
func PodsLeft(v *Cluster) []corev1.Pod {
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

// HasRun reports whether a kubelet says that a container of a JobManager ran, or runs.
func HasRun(v *Cluster) bool {
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

// SilentNode is a node that does not answer, or is gone, with a pod of the cluster that may run; empty when there is
// none.
func SilentNode(v *Cluster) string {
	for _, pod := range PodsLeft(v) {
		node, looked := v.Seen.Nodes[pod.Spec.NodeName]
		answers, known := node.Get()
		if looked && !node.IsUnknown() && !(known && answers) {
			return pod.Spec.NodeName
		}
	}
	return ""
}

// JobManagerLeft reports whether a JobManager's process may run.
func JobManagerLeft(v *Cluster) bool {
	pods, _ := v.Seen.Pods.Get()
	return slices.ContainsFunc(pods, func(pod corev1.Pod) bool { return !evidence.Ended(pod) })
}
