package controllers

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

func (c *Controllers) writePod(pod *corev1.Pod) {
	if read := c.known[pod.UID]; read != nil && read.ResourceVersion == pod.ResourceVersion &&
		equality.Semantic.DeepEqual(read.Status, pod.Status) {
		return
	}
	c.setStatus(kubesim.Pods, pod.Namespace, pod.Name, &pod.Status)
}

// setCondition sets a pod condition; its time moves only with its status.
func (c *Controllers) setCondition(pod *corev1.Pod, kind corev1.PodConditionType, holds bool, reason, message string) {
	next := corev1.PodCondition{
		Type: kind, Status: corev1.ConditionFalse, Reason: reason, Message: message,
		LastTransitionTime: metav1.NewTime(c.kube.Clock.Now()),
	}
	if holds {
		next.Status = corev1.ConditionTrue
	}
	for i, old := range pod.Status.Conditions {
		if old.Type == kind {
			if old.Status == next.Status {
				next.LastTransitionTime = old.LastTransitionTime
			}
			pod.Status.Conditions[i] = next
			return
		}
	}
	pod.Status.Conditions = append(pod.Status.Conditions, next)
}

// waiting writes that no container runs. The named one (or all, for "") waits for the given reason.
func (c *Controllers) waiting(pod *corev1.Pod, container, reason, message, terminated string) {
	pod.Status.Phase = corev1.PodPending
	state := func(name, image string) corev1.ContainerStatus {
		s := corev1.ContainerStatus{Name: name, Image: image, State: corev1.ContainerState{
			Waiting: &corev1.ContainerStateWaiting{Reason: "PodInitializing"},
		}}
		if container == "" || container == name {
			s.State.Waiting = &corev1.ContainerStateWaiting{Reason: reason, Message: message}
			if terminated != "" {
				s.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
					ExitCode: 1, Reason: "Error", Message: terminated,
				}
				s.RestartCount = 3
			}
		}
		return s
	}
	pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses = nil, nil
	for _, one := range pod.Spec.InitContainers {
		pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, state(one.Name, one.Image))
	}
	for _, one := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, state(one.Name, one.Image))
	}
	c.setCondition(pod, corev1.ContainersReady, false, "ContainersNotReady", "")
	c.setCondition(pod, corev1.PodReady, false, "ContainersNotReady", "")
}

// setRunning writes that the containers run, with their probe's answer. Restart counts are kept.
func (c *Controllers) setRunning(pod *corev1.Pod, ready bool) {
	old := map[string]corev1.ContainerStatus{}
	for _, s := range pod.Status.ContainerStatuses {
		old[s.Name] = s
	}
	started := metav1.NewTime(c.kube.Clock.Now())
	pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses = nil, nil
	for _, one := range pod.Spec.InitContainers {
		pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, corev1.ContainerStatus{
			Name: one.Name, Image: one.Image, Ready: true,
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed"}},
		})
	}
	for _, one := range pod.Spec.Containers {
		was := old[one.Name]
		s := corev1.ContainerStatus{
			Name: one.Name, Image: one.Image, Ready: ready, Started: &ready,
			RestartCount: was.RestartCount, LastTerminationState: was.LastTerminationState,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: started}},
		}
		if was.State.Running != nil {
			s.State = was.State
		}
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, s)
	}
	reason := ""
	if !ready {
		reason = "ContainersNotReady"
	}
	c.setCondition(pod, corev1.ContainersReady, ready, reason, "")
	c.setCondition(pod, corev1.PodReady, ready, reason, "")
}

// setEnded writes that the containers have ended for good.
func (c *Controllers) setEnded(pod *corev1.Pod) {
	pod.Status.Phase = corev1.PodFailed
	for i := range pod.Status.ContainerStatuses {
		s := &pod.Status.ContainerStatuses[i]
		s.Ready, s.State = false, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: 143, Reason: "Error", FinishedAt: metav1.NewTime(c.kube.Clock.Now()),
		}}
	}
	c.setCondition(pod, corev1.ContainersReady, false, "PodFailed", "")
	c.setCondition(pod, corev1.PodReady, false, "PodFailed", "")
}

// event writes a Warning about a pod, once per reason.
func (c *Controllers) event(pod *corev1.Pod, reason, message string) {
	name := pod.Name + "." + map[string]string{"FailedMount": "failedmount"}[reason]
	if c.kube.Peek(kubesim.Events, pod.Namespace, name) != nil {
		return
	}
	now := metav1.NewTime(c.kube.Clock.Now())
	event := &corev1.Event{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Event"},
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: name},
		InvolvedObject: corev1.ObjectReference{
			APIVersion: "v1", Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID,
		},
		Reason: reason, Message: message, Type: corev1.EventTypeWarning, Count: 1,
		FirstTimestamp: now, LastTimestamp: now, Source: corev1.EventSource{Component: "kubelet", Host: pod.Spec.NodeName},
	}
	if _, err := c.kube.Create(kubesim.Events, &unstructured.Unstructured{Object: c.content(event)}); err != nil {
		c.t.Errorf("controllers: write event %s/%s: %v", pod.Namespace, name, err)
	}
}
