package evidence

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Ended reports whether no process of the pod runs, and none ever will: its phase is final, and its kubelet says so of
// each container. The phase alone is no proof: others than the kubelet set it to Failed, for a pod on a lost machine.
// The pod's object may stay for a while.
func Ended(pod corev1.Pod) bool {
	final := pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
	runs := func(c corev1.ContainerStatus) bool { return c.State.Running != nil }
	ended := func(c corev1.ContainerStatus) bool { return c.State.Terminated != nil }
	return final && len(pod.Status.ContainerStatuses) == len(pod.Spec.Containers) &&
		!slices.ContainsFunc(pod.Status.InitContainerStatuses, runs) &&
		!slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool { return !ended(c) })
}
