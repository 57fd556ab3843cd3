package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/plugin"
	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

// ask asks an example as a pass does.
func ask(t *testing.T, url string, d *v1beta1.FlinkDeployment) extension.Said {
	t.Helper()
	q, err := extension.Question(v1beta1.KindFlinkDeployment, v1beta1.FlinkDeploymentGVR, d)
	if err != nil {
		t.Fatal(err)
	}
	return extension.Asker{}.Validate(
		t.Context(), []flinkconf.Extension{{Name: "it", URL: url, Timeout: 10 * time.Second}}, q,
	)
}

func deployment(namespace, image string, parallelism int32) *v1beta1.FlinkDeployment {
	d := &v1beta1.FlinkDeployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "demo", UID: "u"}}
	d.Spec.Image = image
	d.Spec.Job = &v1beta1.JobSpec{Parallelism: parallelism}
	return d
}

func TestTheGoExample(t *testing.T) {
	server := httptest.NewServer(handler("registry.example.org/"))
	defer server.Close()
	said := ask(t, server.URL, deployment("a", "registry.example.org/flink:2.2", 1))
	if said.Refusal+said.Unanswered != "" {
		t.Errorf("%+v", said)
	}
	said = ask(t, server.URL, deployment("a", "flink:2.2", 1))
	if !strings.Contains(said.Refusal, "images come from registry.example.org/") {
		t.Errorf("%+v", said)
	}
	q, err := extension.Question(v1beta1.KindFlinkDeployment, v1beta1.FlinkDeploymentGVR, deployment("a", "", 1))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := extension.Asker{}.Ask(
		t.Context(), flinkconf.Extension{URL: server.URL + "/mutate", Timeout: 10 * time.Second}, q,
	)
	if err != nil || string(answer.Patch) != `[{"op":"add","path":"/metadata/labels","value":{"team":"unknown"}}]` {
		t.Errorf("%v %+v", err, answer)
	}
	nothing, err := http.Post(server.URL, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if nothing.Body.Close(); nothing.StatusCode != http.StatusBadRequest {
		t.Errorf("status %d for what is no review", nothing.StatusCode)
	}
}

// script runs the script of an example's ConfigMap, and answers its address and what it prints.
func script(t *testing.T, file string) (url string, printed func() string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "python", file+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var object struct{ Data map[string]string }
	if err := yaml.Unmarshal([]byte(strings.Split(string(text), "\n---\n")[0]), &object); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "it.py"), []byte(object.Data[file+".py"]), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	listener.Close()
	output, err := os.Create(filepath.Join(dir, "output"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, "python3", filepath.Join(dir, "it.py"))
	command.Env = append(os.Environ(), "PORT="+port, "LISTEN_HOST=127.0.0.1")
	command.Stdout = output
	if err := command.Start(); err != nil {
		t.Fatalf("the examples need python3: %v", err)
	}
	t.Cleanup(func() { cancel(); _ = command.Wait(); output.Close() })
	for {
		connection, err := net.DialTimeout("tcp", "127.0.0.1:"+port, time.Second)
		if err == nil {
			connection.Close()
			break
		}
		if t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
	return "http://127.0.0.1:" + port, func() string {
		text, err := os.ReadFile(output.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

func TestThePythonValidator(t *testing.T) {
	url, _ := script(t, "validator")
	for namespace, want := range map[string]string{
		"test-a": "9 is more than the 8 of a test namespace", "production": "",
	} {
		said := ask(t, url, deployment(namespace, "", 9))
		if !strings.Contains(said.Refusal, want) || (want == "") != (said.Refusal == "") || said.Unanswered != "" {
			t.Errorf("%s: %+v", namespace, said)
		}
	}
}

func TestThePythonExecutor(t *testing.T) {
	url, _ := script(t, "executor")
	for largest, row := range map[string]struct{ parallelism, problem string }{
		"3": {"map[a:5 b:4]", ""}, "": {"map[a:6 b:4]", ""}, "few": {"map[]", "'few'"},
	} {
		q := plugin.Question{
			Kind: plugin.KindExecutor, Settings: conf.Config{"largest": largest}, Vertices: []plugin.Vertex{
				{ID: "a", Parallelism: 2, Wanted: 9, MaxParallelism: 9},
				{ID: "b", Parallelism: 6, Wanted: 4, MaxParallelism: 9},
			},
		}
		if largest == "" {
			delete(q.Settings, "largest")
		}
		body, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		text, err := extension.Asker{}.Post(t.Context(), url, 10*time.Second, body)
		if err != nil {
			t.Fatal(err)
		}
		a := q.Read(text)
		if fmt.Sprint(a.Parallelism) != row.parallelism || !strings.Contains(a.Problem, row.problem) ||
			(a.Problem == "") != (row.problem == "") {
			t.Errorf("a step of %q at the most: %+v", largest, a)
		}
	}
}

func TestThePythonListener(t *testing.T) {
	url, printed := script(t, "listener")
	for i, state := range []string{"RUNNING", "FAILED"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(
			fmt.Sprintf(`{"generation":1,"jobState":%q,"error":"why"}`, state),
		))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Ce-Id", fmt.Sprint(i))
		request.Header.Set("Ce-Subject", "a/FlinkDeployment/demo")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Body.Close(); answer.StatusCode != http.StatusAccepted {
			t.Errorf("status %d", answer.StatusCode)
		}
	}
	if got := printed(); got != "1 a/FlinkDeployment/demo why\n" {
		t.Errorf("printed %q", got)
	}
}
