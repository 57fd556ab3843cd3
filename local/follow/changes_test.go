package follow

import (
	"slices"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/pkg/view/pods"
)

func TestChanges(t *testing.T) {
	job := func(lifecycle, job, now string) State {
		return State{
			Resources: []view.Resource{
				{Kind: "FlinkDeployment", Name: "default/basic", Lifecycle: lifecycle, Job: job, Now: now},
			},
		}
	}
	function := func(f Function) State { f.Name = "reconcile"; return State{Functions: []Function{f}} }
	pod := func(p pods.Pod) State { p.Name, p.Containers = "default/a", 1; return State{Pods: []pods.Pod{p}} }
	for name, row := range map[string]struct {
		before, after State
		want          []string
	}{
		"nothing":   {job("STABLE", "RUNNING", ""), job("STABLE", "RUNNING", ""), nil},
		"a new one": {State{}, job("", "", ""), []string{"FlinkDeployment default/basic: -"}},
		"a step on": {
			job("", "", ""), job("DEPLOYED", "RECONCILING", "starts"),
			[]string{"FlinkDeployment default/basic: DEPLOYED, job RECONCILING (starts)"},
		},
		"deleted": {job("STABLE", "RUNNING", ""), State{}, []string{"FlinkDeployment default/basic is gone"}},
		"wakes": {
			function(Function{}), function(Function{Awake: true}), []string{"function reconcile is awake"},
		},
		"sleeps": {function(Function{Awake: true}), function(Function{}), []string{"function reconcile is asleep"}},
		"pod runs": {
			pod(pods.Pod{Phase: "Pending"}), pod(pods.Pod{Phase: "Running", Ready: 1, Page: "http://x"}),
			[]string{"pod default/a: Running, 1/1 ready, web page http://x"},
		},
		"pod crashes": {
			pod(pods.Pod{Phase: "Running"}), pod(pods.Pod{Phase: "Error", Restarts: 2, CrashCause: []string{"why"}}),
			[]string{"pod default/a: Error, 0/1 ready, 2 restarts", "pod default/a failed, the end of its log:", "  | why"},
		},
		"pod runs again": {
			pod(pods.Pod{Phase: "Error", CrashCause: []string{"why"}}),
			pod(pods.Pod{Phase: "Running", Ready: 1, CrashCause: []string{"why"}}),
			[]string{"pod default/a: Running, 1/1 ready"},
		},
		"trouble":      {State{}, State{Trouble: "lost"}, []string{"lost"}},
		"trouble ends": {State{Trouble: "lost"}, State{}, nil},
	} {
		if got := Changes(row.before, row.after); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}
