package follow

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/local/screen"
)

// resource is a resource of the operator as it is shown. The kinds say different things of themselves:
//
//	column    | FlinkDeployment, FlinkSessionJob | FlinkStateSnapshot | FlinkBlueGreenDeployment
//	lifecycle | lifecycleState                   | state              | blueGreenState
//	job       | jobStatus.state                  |                    | jobStatus.state
//	now       | a condition that asks for something or goes on, else the error, else the situation
func resource(object *unstructured.Unstructured) screen.Resource {
	status := func(path ...string) string {
		value, _, _ := unstructured.NestedString(object.Object, append([]string{"status"}, path...)...)
		return value
	}
	return screen.Resource{
		Kind:      object.GetKind(),
		Name:      object.GetNamespace() + "/" + object.GetName(),
		Lifecycle: cmp.Or(status("lifecycleState"), status("state"), status("blueGreenState")),
		Job:       status("jobStatus", "state"),
		Now:       now(object, cmp.Or(status("error"), status("situation"))),
	}
}

// now prefers the condition that a person has to act on, then the one that goes on by itself.
func now(object *unstructured.Unstructured, otherwise string) string {
	if object.GetDeletionTimestamp() != nil {
		otherwise = "is being deleted"
	}
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, wanted := range []string{"Stalled", "Reconciling"} {
		for _, c := range conditions {
			condition, _ := c.(map[string]any)
			if condition["type"] != wanted || condition["status"] != "True" {
				continue
			}
			if message, _ := condition["message"].(string); message != "" {
				return fmt.Sprintf("%s: %s", condition["reason"], message)
			}
			return fmt.Sprint(condition["reason"])
		}
	}
	return otherwise
}

// pod is a pod as kubectl shows it.
func pod(p *corev1.Pod, crashCause []string) screen.Pod {
	shown := screen.Pod{
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
	if p.Labels["component"] != "jobmanager" || p.Status.PodIP == "" || !ready(p) {
		return ""
	}
	for _, c := range p.Spec.Containers {
		for _, port := range c.Ports {
			if port.Name == "rest" {
				return "http://" + net.JoinHostPort(p.Status.PodIP, strconv.Itoa(int(port.ContainerPort)))
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

// telling says whether a pod is shown:
//
//	pod                         | shown
//	failed, as failed says      | yes
//	ended well                  | no
//	of a Knative Service        | no, the functions are a list of their own
//	any other                   | yes
func telling(p *corev1.Pod, now time.Time) bool {
	if _, fails := failed(p, now); fails {
		return true
	}
	_, function := p.Labels["serving.knative.dev/service"]
	return !function && p.Status.Phase != corev1.PodSucceeded
}

// failure is a container that failed.
type failure struct {
	name, id string // the container's
	// previous says that the log is of the container before the one that waits or runs.
	previous bool
	code     int32
}

// why is the exit code, with the signal's name if one ended it.
func (f failure) why() string {
	if signal := syscall.Signal(f.code - 128); f.code > 128 {
		return fmt.Sprintf("exit code %d (%s)", f.code, signal)
	}
	return fmt.Sprintf("exit code %d", f.code)
}

// remembered is how long a failure is shown of a container that runs again: a function is back within a second.
const remembered = time.Minute

// failed is the pod's first failure, if there is one.
//
//	container                                      | failure
//	ended with an error                            | its log
//	waits after it ended with an error             | the log of the one before
//	runs, and the one before ended so a moment ago | the log of the one before
//	runs longer, or ended well, or the pod goes    | none
func failed(p *corev1.Pod, at time.Time) (failure, bool) {
	if p.DeletionTimestamp != nil {
		return failure{}, false
	}
	for _, c := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		now, last := c.State.Terminated, c.LastTerminationState.Terminated
		if now != nil && now.ExitCode != 0 {
			return failure{c.Name, now.ContainerID, false, now.ExitCode}, true
		}
		if now == nil && last != nil && last.ExitCode != 0 && (c.State.Running == nil ||
			at.Sub(last.FinishedAt.Time) < remembered) {
			return failure{c.Name, last.ContainerID, true, last.ExitCode}, true
		}
	}
	return failure{}, false
}

// words are the last lines of a log that say something.
func words(log string, n int) []string {
	var lines []string
	for line := range strings.Lines(log) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-n):]
}
