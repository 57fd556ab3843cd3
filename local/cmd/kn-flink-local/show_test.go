package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/local/follow"
	"github.com/kn-flink/kn-flink/local/mesh"
	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/pkg/view/pods"
)

func TestWhichFunctionsAreAwake(t *testing.T) {
	got := shown([]mesh.Function{
		{Namespace: "default", Name: "listener"},
		{Namespace: "flink-system", Name: "observe", Starting: true},
		{Namespace: "flink-system", Name: "reconcile", Replicas: 2},
	})
	want := []follow.Function{
		{Name: "default/listener"}, {Name: "observe", Awake: true}, {Name: "reconcile", Awake: true},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestTheExampleIsThereWhenItAnswers(t *testing.T) {
	pod := pods.Pod{Name: "default/basic-1", Page: "http://127.1.1.1:8081"}
	stable := view.Resource{Kind: "FlinkDeployment", Name: example, Lifecycle: "STABLE"}
	for name, row := range map[string]struct {
		state follow.State
		want  string
	}{
		"nothing": {follow.State{}, ""},
		"on its way": {
			follow.State{Resources: []view.Resource{{Name: example, Lifecycle: "DEPLOYED"}}, Pods: []pods.Pod{pod}}, "",
		},
		"no pod yet": {follow.State{Resources: []view.Resource{stable}}, ""},
		"another pod": {
			follow.State{Resources: []view.Resource{stable}, Pods: []pods.Pod{{Name: "other/x-1", Page: "http://x"}}}, "",
		},
		"there": {follow.State{Resources: []view.Resource{stable}, Pods: []pods.Pod{pod}}, pod.Page},
		"another's is": {
			follow.State{Resources: []view.Resource{{Name: "other/x", Lifecycle: "STABLE"}}, Pods: []pods.Pod{pod}}, "",
		},
	} {
		if got := page(row.state); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

func TestTheHintsSayWhereToLook(t *testing.T) {
	w := &watch{options: options{dir: "/checkout/.local"}, console: "http://127.0.0.1:8300/open?token=x"}
	text := strings.Join(w.hints("http://127.1.1.1:8081"), "\n")
	for _, want := range []string{
		"export KUBECONFIG=/checkout/.local/kubeconfig\n", "kubectl patch flinkdeployment basic", "http://127.1.1.1:8081",
		"/checkout/.local/log", "in a browser, once: http://127.0.0.1:8300/open?token=x",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if text := strings.Join(w.hints(""), "\n"); strings.Contains(text, "basic") {
		t.Errorf("there is no example, and it says\n%s", text)
	}
}
