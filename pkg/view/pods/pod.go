package pods

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Pod is one pod.
type Pod struct {
	// Name is NAMESPACE/NAME.
	Name string `json:"name"`
	// Phase is what kubectl shows as its status: Running, Pending, CrashLoopBackOff, Terminating.
	Phase string `json:"phase"`
	// Ready is how many of its containers are ready.
	Ready int `json:"ready"`
	// Containers is how many it has.
	Containers int `json:"containers"`
	// Restarts is of all its containers.
	Restarts int `json:"restarts"`
	// Page is the address of its web page. Empty: it has none, or not yet.
	Page string `json:"page,omitempty"`
	// CrashCause are the end of the log of its last container that failed.
	CrashCause []string
}

// Of is a pod as kubectl shows it, with the end of the log of its failure.
func Of(p *corev1.Pod, crashCause []string) Pod {
	shown := Pod{
		Name: p.Namespace + "/" + p.Name, Phase: phase(p), Containers: len(p.Spec.Containers), Page: page(p),
		CrashCause: crashCause,
	}
	for _, c := range p.Status.ContainerStatuses {
		shown.Restarts += int(c.RestartCount)
		if c.Ready {
			shown.Ready++
		}
	}
	return shown
}

// Key names the pod.
func (p Pod) Key() string { return "pod " + p.Name }

// Sentence is the pod in one line, without the log of its failure.
func (p Pod) Sentence() string {
	text := fmt.Sprintf("%s: %s, %d/%d ready", p.Key(), p.Phase, p.Ready, p.Containers)
	if p.Restarts > 0 {
		text += fmt.Sprintf(", %d restarts", p.Restarts)
	}
	if p.Page != "" {
		text += ", web page " + p.Page
	}
	return text
}

// phase is the most telling word.
//
//	pod                         | word
//	being deleted               | Terminating
//	a container waits           | why: ContainerCreating, CrashLoopBackOff, ImagePullBackOff
//	a container failed          | why: Error
//	otherwise                   | the phase
func phase(p *corev1.Pod) string {
	if p.DeletionTimestamp != nil {
		return "Terminating"
	}
	for _, c := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		if waiting := c.State.Waiting; waiting != nil && waiting.Reason != "" && waiting.Reason != "PodInitializing" {
			return waiting.Reason
		}
		if terminated := c.State.Terminated; terminated != nil && terminated.ExitCode != 0 {
			return cmp.Or(terminated.Reason, "Error")
		}
	}
	return string(p.Status.Phase)
}

// page is where a JobManager that answers has its web page.
func page(p *corev1.Pod) string {
	address, err := netip.ParseAddr(p.Status.PodIP)
	if p.Labels["component"] != "jobmanager" || err != nil || !ready(p) {
		return ""
	}
	for _, c := range p.Spec.Containers {
		for _, port := range c.Ports {
			if port.Name == "rest" {
				return "http://" + netip.AddrPortFrom(address, uint16(port.ContainerPort)).String()
			}
		}
	}
	return ""
}

func ready(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// Telling reports whether a pod is worth a line:
//
//	pod                         | shown
//	failed, as FailureOf says     | yes
//	ended well                  | no
//	of a Knative Service        | no, the functions are a list of their own
//	any other                   | yes
func Telling(p *corev1.Pod, now time.Time) bool {
	if _, fails := FailureOf(p, now); fails {
		return true
	}
	_, function := p.Labels["serving.knative.dev/service"]
	return !function && p.Status.Phase != corev1.PodSucceeded
}

// Failure is a container that failed.
type Failure struct {
	// Container and ID are its name and its ID.
	Container, ID string
	// Previous says that the log is of the container before the one that waits or runs.
	Previous bool
	// Code is its exit code.
	Code int32
}

var signals = map[int32]string{6: "aborted", 9: "killed", 11: "segmentation fault", 15: "terminated"}

// Why is the exit code, with what the signal did that ended it.
func (f Failure) Why() string {
	if name := signals[f.Code-128]; name != "" {
		return fmt.Sprintf("exit code %d (%s)", f.Code, name)
	}
	return fmt.Sprintf("exit code %d", f.Code)
}

// remembered is how long a failure is shown of a container that runs again: a function is back within a second.
const remembered = time.Minute

// FailureOf is the pod's first failure, if there is one.
//
//	container                                      | failure
//	ended with an error                            | its log
//	waits after it ended with an error             | the log of the one before
//	runs, and the one before ended so a moment ago | the log of the one before
//	runs longer, or ended well, or the pod goes    | none
func FailureOf(p *corev1.Pod, at time.Time) (Failure, bool) {
	if p.DeletionTimestamp != nil {
		return Failure{}, false
	}
	for _, c := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		now, last := c.State.Terminated, c.LastTerminationState.Terminated
		if now != nil && now.ExitCode != 0 {
			return Failure{c.Name, now.ContainerID, false, now.ExitCode}, true
		}
		if now == nil && last != nil && last.ExitCode != 0 && (c.State.Running == nil ||
			at.Sub(last.FinishedAt.Time) < remembered) {
			return Failure{c.Name, last.ContainerID, true, last.ExitCode}, true
		}
	}
	return Failure{}, false
}

// LastLines are the last n lines of a log that say something.
func LastLines(log string, n int) []string {
	var lines []string
	for line := range strings.Lines(log) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-n):]
}
