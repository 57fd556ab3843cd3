package main

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/local/mesh"
	"github.com/kn-flink/kn-flink/local/screen"
)

func TestFunctionsOnTheScreen(t *testing.T) {
	last := time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)
	got := shown([]mesh.Function{
		{Namespace: "default", Name: "listener", Served: 3, LastRequest: last},
		{Namespace: "flink-system", Name: "observe", Starting: true},
		{Namespace: "flink-system", Name: "reconcile", Replicas: 2, Served: 7},
	})
	want := []screen.Function{
		{Name: "default/listener", Requests: 3, Last: "03:04:05"}, {Name: "observe", Pods: 1, Starting: 1},
		{Name: "reconcile", Pods: 2, Requests: 7},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestTheExampleIsThereWhenItAnswers(t *testing.T) {
	pod := screen.Pod{Name: "default/basic-1", Page: "http://127.1.1.1:8081"}
	stable := screen.Resource{Kind: "FlinkDeployment", Name: example, Lifecycle: "STABLE"}
	for name, row := range map[string]struct {
		state screen.State
		want  string
	}{
		"nothing": {screen.State{}, ""},
		"on its way": {
			screen.State{Resources: []screen.Resource{{Name: example, Lifecycle: "DEPLOYED"}}, Pods: []screen.Pod{pod}}, "",
		},
		"no pod yet": {screen.State{Resources: []screen.Resource{stable}}, ""},
		"another pod": {
			screen.State{Resources: []screen.Resource{stable}, Pods: []screen.Pod{{Name: "other/x-1", Page: "http://x"}}}, "",
		},
		"there": {screen.State{Resources: []screen.Resource{stable}, Pods: []screen.Pod{pod}}, pod.Page},
		"another's is": {
			screen.State{Resources: []screen.Resource{{Name: "other/x", Lifecycle: "STABLE"}}, Pods: []screen.Pod{pod}}, "",
		},
	} {
		if got := page(row.state); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

func TestTheHintsSayWhereToLook(t *testing.T) {
	v := &view{options: options{dir: "/checkout/.local"}}
	text := strings.Join(v.hints("http://127.1.1.1:8081"), "\n")
	for _, want := range []string{
		"export KUBECONFIG=/checkout/.local/kubeconfig\n", "kubectl patch flinkdeployment basic", "http://127.1.1.1:8081",
		"/checkout/.local/log",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if text := strings.Join(v.hints(""), "\n"); strings.Contains(text, "basic") {
		t.Errorf("there is no example, and it says\n%s", text)
	}
}
