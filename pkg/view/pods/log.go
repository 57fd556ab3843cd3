package pods

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// LogLine is one line of the log of a pod.
type LogLine struct {
	// Pod is the pod's name.
	Pod string
	// Time is when it was written, as Kubernetes has it: texts of one length, which sort like their times.
	Time string
	// Text is the line.
	Text string
}

// LogLineOf is a line of a log that begins with its time.
func LogLineOf(pod, line string) LogLine {
	at, text, timed := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
	if !timed {
		return LogLine{pod, at, ""}
	}
	return LogLine{pod, at, text}
}

// Merge puts lines of several pods into the order of their times.
func Merge(lines []LogLine) {
	slices.SortStableFunc(lines, func(a, b LogLine) int { return strings.Compare(a.Time, b.Time) })
}

// MainContainer is the container of Flink or of a function in a pod, or its first one.
func MainContainer(p *corev1.Pod) string {
	for _, c := range p.Spec.Containers {
		if c.Name == "flink-main-container" || c.Name == "user-container" {
			return c.Name
		}
	}
	if len(p.Spec.Containers) == 0 {
		return ""
	}
	return p.Spec.Containers[0].Name
}
