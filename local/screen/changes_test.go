package screen

import (
	"slices"
	"testing"
)

func TestChanges(t *testing.T) {
	job := func(lifecycle, job, now string) State {
		return State{
			Resources: []Resource{{Kind: "FlinkDeployment", Name: "default/basic", Lifecycle: lifecycle, Job: job, Now: now}},
		}
	}
	function := func(f Function) State { f.Name = "reconcile"; return State{Functions: []Function{f}} }
	pod := func(p Pod) State { p.Name, p.Containers = "default/a", 1; return State{Pods: []Pod{p}} }
	for name, row := range map[string]struct {
		before, after State
		want          []string
	}{
		"nothing":   {failing, failing, nil},
		"a new one": {State{}, job("", "", ""), []string{"FlinkDeployment default/basic: -"}},
		"a step on": {
			job("", "", ""), job("DEPLOYED", "RECONCILING", "starts"),
			[]string{"FlinkDeployment default/basic: DEPLOYED, job RECONCILING (starts)"},
		},
		"deleted": {job("STABLE", "RUNNING", ""), State{}, []string{"FlinkDeployment default/basic is gone"}},
		"wakes": {
			function(Function{}), function(Function{Pods: 1, Starting: 1}), []string{"function reconcile is waking"},
		},
		"works": {
			function(Function{Pods: 1, Requests: 1}), function(Function{Pods: 1, Requests: 9, Last: "12:00:00"}), nil,
		},
		"sleeps": {function(Function{Pods: 1}), function(Function{}), []string{"function reconcile is asleep"}},
		"pod runs": {
			pod(Pod{Phase: "Pending"}), pod(Pod{Phase: "Running", Ready: 1, Page: "http://x"}),
			[]string{"pod default/a: Running, 1/1 ready, web page http://x"},
		},
		"pod crashes": {
			pod(Pod{Phase: "Running"}), pod(Pod{Phase: "Error", Restarts: 2, CrashCause: []string{"why"}}),
			[]string{"pod default/a: Error, 0/1 ready, 2 restarts", "pod default/a failed, the end of its log:", "  | why"},
		},
		"pod runs again": {
			pod(Pod{Phase: "Error", CrashCause: []string{"why"}}),
			pod(Pod{Phase: "Running", Ready: 1, CrashCause: []string{"why"}}), []string{"pod default/a: Running, 1/1 ready"},
		},
		"an event":       {State{Events: []string{"a", "b"}}, State{Events: []string{"b", "c"}}, []string{"event c"}},
		"all new events": {State{Events: []string{"a"}}, State{Events: []string{"b", "c"}}, []string{"event b", "event c"}},
		"trouble":        {State{}, State{Trouble: "lost"}, []string{"lost"}},
		"trouble ends":   {State{Trouble: "lost"}, State{}, nil},
	} {
		if got := Changes(row.before, row.after); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}
