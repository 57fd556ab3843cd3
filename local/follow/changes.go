package follow

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/pkg/view/pods"
)

// State is what is there. Its lists are in the order in which they are shown.
type State struct {
	// Resources are the Flink resources of all namespaces.
	Resources []view.Resource
	// Functions are what the platform starts on demand.
	Functions []Function
	// Pods of Flink clusters.
	Pods []pods.Pod
	// Trouble is what went wrong outside of all of these: an API server that does not answer.
	Trouble string
}

// Function is one function of the mesh.
type Function struct {
	// Name is the Knative Service's.
	Name string
	// Awake says that a pod of it runs or starts.
	Awake bool
}

func (f Function) key() string { return "function " + f.Name }

func (f Function) sentence() string {
	if f.Awake {
		return f.key() + " is awake"
	}
	return f.key() + " is asleep"
}

// Changes says in plain lines what is new in after.
func Changes(before, after State) []string {
	var lines []string
	lines = append(lines, view.Changed(before.Resources, after.Resources, view.Resource.Key, view.Resource.Sentence)...)
	lines = append(lines, view.Changed(before.Functions, after.Functions, Function.key, Function.sentence)...)
	lines = append(lines, view.Changed(before.Pods, after.Pods, pods.Pod.Key, pods.Pod.Sentence)...)
	lines = append(lines, said(before.Pods, after.Pods)...)
	if after.Trouble != before.Trouble && after.Trouble != "" {
		lines = append(lines, after.Trouble)
	}
	return lines
}

// said are the ends of the logs of pods that were not known before.
func said(before, after []pods.Pod) []string {
	known := map[string][]string{}
	for _, b := range before {
		known[b.Key()] = b.CrashCause
	}
	var lines []string
	for _, a := range after {
		if len(a.CrashCause) == 0 || slices.Equal(known[a.Key()], a.CrashCause) {
			continue
		}
		lines = append(lines, a.Key()+" failed, the end of its log:")
		for _, words := range a.CrashCause {
			lines = append(lines, "  | "+words)
		}
	}
	return lines
}
