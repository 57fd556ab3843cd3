package podfailure

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/plan"
)

// backOffReset is how long a container has to run until the kubelet takes its next crash for a first one.
const backOffReset = 10 * time.Minute

// The reasons of a JobManager that crashed: once, and again and again.
const (
	ReasonCrashed = plan.ReasonJobManagerCrashed
	// ReasonCrashLoop: a container of the JobManager crashes again and again; Kubernetes' own word.
	ReasonCrashLoop = "CrashLoopBackOff"
)

// Crash is a container that ended with an error and has not been ready since.
type Crash struct {
	// Pod and Container name it; Namespace is the pod's.
	Namespace, Pod, Container string
	// Previous is true when another run of the container has begun, or waits to begin: the log of the one that crashed is
	// the previous one.
	Previous bool
	// Loops is true when it was not the first crash in a row.
	Loops bool
	// Ended is how it ended.
	Ended corev1.ContainerStateTerminated
}

// Crashed finds the container that keeps a JobManager from coming up, among pods that are not going away. Kubernetes
// starts it again.
//
//	container                             crashed   the first time when
//	ended, exit code 0                    no
//	ended, another exit code              yes       it was not restarted before, or ran for long
//	waits or runs after such an end       yes       it was restarted once, or ran for long
//	waits in CrashLoopBackOff             yes       never
//	ready                                 no
func Crashed(pods []corev1.Pod) (Crash, bool) {
	for _, pod := range pods {
		if pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodFailed ||
			pod.Status.Phase == corev1.PodSucceeded {
			continue
		}
		for _, c := range statuses(pod) {
			crash := Crash{Namespace: pod.Namespace, Pod: pod.Name, Container: c.Name}
			crashes := c.RestartCount
			switch now, last := c.State.Terminated, c.LastTerminationState.Terminated; {
			case now != nil:
				crash.Ended, crashes = *now, crashes+1
			case last != nil && !c.Ready:
				crash.Ended, crash.Previous = *last, true
				if c.State.Running == nil {
					crashes++ // the restart that it waits for is not counted yet
				}
			}
			backsOff := crash.Previous && c.State.Waiting != nil && c.State.Waiting.Reason == ReasonCrashLoop
			if crash.Ended.ExitCode == 0 && !backsOff {
				continue
			}
			crash.Loops = backsOff ||
				crashes > 1 && crash.Ended.FinishedAt.Sub(crash.Ended.StartedAt.Time) < backOffReset
			return crash, true
		}
	}
	return Crash{}, false
}

// failure says how it ended and why. The container's own last message counts more than what its log ends with.
func (c Crash) failure(logged string) *Failure {
	b := &Failure{Reason: ReasonCrashed, Fatal: c.Loops, Cause: c.Ended.Message}
	if b.Cause == "" {
		b.Cause = logged
	}
	how := fmt.Sprintf("exit code %d", c.Ended.ExitCode)
	if c.Ended.Reason == "OOMKilled" {
		how += ", its memory was used up (OOMKilled)"
	}
	if c.Loops {
		b.Reason = ReasonCrashLoop
	}
	switch {
	case b.Cause == "":
		b.Message = fmt.Sprintf(
			"[%s] ended with %s; its log may say why: kubectl logs %s -n %s -c %s --previous", c.Container, how, c.Pod,
			c.Namespace, c.Container,
		)
	case c.Loops:
		b.Message = fmt.Sprintf("[%s] CrashLoop - %s", c.Container, b.Cause)
	default:
		b.Message = fmt.Sprintf("[%s] ended with %s: %s", c.Container, how, b.Cause)
	}
	return b
}
