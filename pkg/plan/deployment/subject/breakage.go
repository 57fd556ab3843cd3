package subject

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// Breakage is why a JobManager does not start.
type Breakage struct {
	// Reason is the container's, condition's or event's CamelCase reason.
	Reason string
	// Message is one line for people.
	Message string
	// Fatal reports whether it makes the JobManager's status ERROR; otherwise Kubernetes may still mend it by itself.
	Fatal bool
}

// fatalWaiting are the waiting reasons of a container that nobody but a person mends.
var fatalWaiting = []string{
	"CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull", "InvalidImageName", "RunContainerError", "CreateContainerConfigError", "OOMKilled",
}

// findBreakage looks for why the Deployment has no available pod, first match wins.
//
//	where                 what                                                        fatal
//	Deployment condition  ReplicaFailure/FailedCreate (quota, service account, …)     yes
//	container waiting     one of fatalWaiting                                         yes
//	pod cannot start yet  an event FailedMount                                        yes
//	pod condition         PodScheduled=False                                          no
func (v *Subject) findBreakage(jm *appsv1.Deployment) *Breakage {
	for _, c := range jm.Status.Conditions {
		if c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue && c.Reason == "FailedCreate" {
			return &Breakage{Reason: c.Reason, Message: v.explainCreate(c.Message), Fatal: true}
		}
	}
	pods, _ := v.Seen.Pods.Get()
	for _, pod := range pods {
		if pod.DeletionTimestamp != nil {
			continue
		}
		if b := containerBreakage(pod); b != nil {
			return b
		}
		if b := v.mountBreakage(pod); b != nil {
			return b
		}
		for _, c := range pod.Status.Conditions {
			if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
				return &Breakage{Reason: c.Reason, Message: c.Message}
			}
		}
	}
	return nil
}

// explainCreate adds what to do when the pods' service account is missing, the one thing a new namespace lacks.
func (v *Subject) explainCreate(message string) string {
	if !strings.Contains(message, "serviceaccount") {
		return message
	}
	return fmt.Sprintf("%s; make the account with: make tenant NS=%s", message, v.Seen.Resource.Namespace)
}

// sameBreakage keeps the words of a breakage that is told already. A container that cannot be pulled or started alternates between
// trying and backing off, and both count up in their messages; that is one problem, not many.
func (v *Subject) sameBreakage(b *Breakage) *Breakage {
	told := v.Resource().Status
	if b == nil || told.JobManagerDeploymentStatus != v1beta1.JobManagerError {
		return b
	}
	for _, c := range told.Conditions {
		if c.Type == summary.ClusterAvailable && class(c.Reason) == class(b.Reason) {
			return &Breakage{Reason: c.Reason, Message: c.Message, Fatal: b.Fatal}
		}
	}
	return b
}

// class groups reasons that are stages of the same problem.
func class(reason string) string {
	switch reason {
	case "ErrImagePull", "ImagePullBackOff", "InvalidImageName":
		return "Image"
	}
	return reason
}

func containerBreakage(pod corev1.Pod) *Breakage {
	for _, c := range append(slices.Clone(pod.Status.InitContainerStatuses), pod.Status.ContainerStatuses...) {
		waiting := c.State.Waiting
		if waiting == nil || !slices.Contains(fatalWaiting, waiting.Reason) {
			continue
		}
		message := fmt.Sprintf("[%s] %s", c.Name, waiting.Message)
		if last := c.LastTerminationState.Terminated; waiting.Reason == "CrashLoopBackOff" && last != nil && last.Message != "" {
			message = fmt.Sprintf("[%s] CrashLoop - %s", c.Name, last.Message)
		}
		return &Breakage{Reason: waiting.Reason, Message: message, Fatal: true}
	}
	return nil
}

func (v *Subject) mountBreakage(pod corev1.Pod) *Breakage {
	messages, ok := v.Seen.MountFailures.Get()
	if !ok || len(messages) == 0 || !MayMissVolumes(pod) {
		return nil
	}
	return &Breakage{Reason: "FailedMount", Message: messages[0], Fatal: true}
}

// MayMissVolumes reports whether the pod waits for its sandbox or volumes, so that its FailedMount events are worth a look.
func MayMissVolumes(pod corev1.Pod) bool {
	conditions := map[corev1.PodConditionType]corev1.ConditionStatus{}
	for _, c := range pod.Status.Conditions {
		conditions[c.Type] = c.Status
	}
	ready, known := conditions[corev1.PodReadyToStartContainers]
	if !known {
		ready = conditions[corev1.PodInitialized]
	}
	return ready == corev1.ConditionFalse && conditions[corev1.PodReady] == corev1.ConditionFalse
}
