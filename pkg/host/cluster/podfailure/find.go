package podfailure

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Failure is why a JobManager does not start.
type Failure struct {
	// Reason is the container's, condition's or event's CamelCase reason.
	Reason plan.Reason
	// Message is one line for people.
	Message string
	// Cause is what the JobManager itself said; empty when it was not heard.
	Cause string
	// Fatal reports whether it makes the JobManager's status ERROR; otherwise Kubernetes may still fix it by itself.
	Fatal bool
}

// Seen is what is known of a JobManager that is not available.
type Seen struct {
	// Deployment is the JobManager's.
	Deployment *appsv1.Deployment
	// Pods are its pods.
	Pods []corev1.Pod
	// MountFailures are the messages of the pods' FailedMount events, newest first.
	MountFailures []string
	// CrashCause is the root cause that the log of a container that crashed ends with; empty when it has none, or was not
	// read.
	CrashCause string
}

// fatalWaiting are the waiting reasons of a container that nobody but a person fixes.
var fatalWaiting = []string{
	"CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull", "InvalidImageName", "RunContainerError",
	"CreateContainerConfigError", "OOMKilled",
}

// Find looks for why the Deployment has no available pod, first match wins; nil when nothing says so.
//
//	where                 what                                                        fatal
//	Deployment condition  ReplicaFailure/FailedCreate (quota, service account, …)     yes
//	container crashed     see Crashed                                                 when it does so again and again
//	container waiting     one of fatalWaiting                                         yes
//	pod cannot start yet  an event FailedMount                                        yes
//	pod condition         PodScheduled=False                                          no
func Find(s Seen) *Failure {
	for _, c := range s.Deployment.Status.Conditions {
		if c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue && c.Reason == "FailedCreate" {
			return &Failure{
				Reason: plan.Reason(c.Reason), Message: explainCreate(c.Message, s.Deployment.Namespace), Fatal: true,
			}
		}
	}
	if crash, ok := Crashed(s.Pods); ok {
		return crash.failure(s.CrashCause)
	}
	for _, pod := range s.Pods {
		if pod.DeletionTimestamp != nil {
			continue
		}
		if b := containerFailure(pod); b != nil {
			return b
		}
		if b := mountFailure(pod, s.MountFailures); b != nil {
			return b
		}
		for _, c := range pod.Status.Conditions {
			if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
				return &Failure{Reason: plan.Reason(c.Reason), Message: c.Message}
			}
		}
	}
	return nil
}

// explainCreate adds what to do when the pods' service account is missing, the one thing a new namespace lacks.
func explainCreate(message, namespace string) string {
	if !strings.Contains(message, "serviceaccount") {
		return message
	}
	return fmt.Sprintf("%s; make the account with: make tenant NS=%s", message, namespace)
}

// Kept is a failure in the words that told it already, if it is the same problem. A container that cannot be pulled or
// started alternates between trying and backing off, and both count up in their messages; that is one problem, not
// many. Words that were heard are news.
func (b Failure) Kept(toldReason, toldMessage string) *Failure {
	if class(plan.Reason(toldReason)) == class(b.Reason) && b.Cause == "" {
		b.Reason, b.Message = plan.Reason(toldReason), toldMessage
	}
	return &b
}

// class groups reasons that are stages of the same problem.
func class(reason plan.Reason) plan.Reason {
	switch reason {
	case "ErrImagePull", "ImagePullBackOff", "InvalidImageName":
		return "Image"
	}
	return reason
}

func statuses(pod corev1.Pod) []corev1.ContainerStatus {
	return slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses)
}

func containerFailure(pod corev1.Pod) *Failure {
	for _, c := range statuses(pod) {
		waiting := c.State.Waiting
		if waiting == nil || !slices.Contains(fatalWaiting, waiting.Reason) {
			continue
		}
		return &Failure{
			Reason: plan.Reason(waiting.Reason), Message: fmt.Sprintf("[%s] %s", c.Name, waiting.Message), Fatal: true,
		}
	}
	return nil
}

func mountFailure(pod corev1.Pod, messages []string) *Failure {
	if len(messages) == 0 || !MayMissVolumes(pod) {
		return nil
	}
	return &Failure{Reason: plan.ReasonFailedMount, Message: messages[0], Fatal: true}
}

// MayMissVolumes reports whether the pod waits for its sandbox or volumes, so that its FailedMount events are worth a
// look.
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
