package scenario

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/pkg/cli"
	"github.com/kn-flink/kn-flink/test/golden"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

var rewritePlugin = flag.Bool("rewrite-plugin", false, "write testdata/plugin again")

// throughAPI answers services/proxy of the API server by the JobManagers of the model world.
type throughAPI struct {
	next, flink http.RoundTripper
}

// RoundTrip sends what is for a Service to Flink.
func (a throughAPI) RoundTrip(r *http.Request) (*http.Response, error) {
	head, path, is := strings.Cut(r.URL.Path, "/proxy/")
	if !is {
		return a.next.RoundTrip(r)
	}
	parts := strings.Split(strings.Trim(head, "/"), "/") // api v1 namespaces NS services NAME:PORT
	name, port, _ := strings.Cut(parts[5], ":")
	to := r.Clone(r.Context())
	to.URL = &url.URL{
		Scheme: "http", Host: name + "." + parts[3] + ".svc:" + port, Path: "/" + path, RawQuery: r.URL.RawQuery,
	}
	to.Host = to.URL.Host
	answer, err := a.flink.RoundTrip(to)
	if err != nil { // as the API server answers where it reaches nobody
		text := `{"kind":"Status","apiVersion":"v1","status":"Failure","code":503}`
		return &http.Response{
			StatusCode: http.StatusServiceUnavailable, Header: http.Header{}, Request: r,
			Body: readCloser{strings.NewReader(text)},
		}, nil
	}
	return answer, nil
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

// plugin is one run of kn flink by a user, as a transcript.
func (h *harness) plugin(input string, args ...string) string {
	h.t.Helper()
	const agent = "kn-flink"
	var out, notes bytes.Buffer
	root := cli.New(cli.Options{
		In: strings.NewReader(input), Out: &out, Err: &notes, Version: "v0.0.0-test", Now: h.w.Clock.Now,
		Pace: time.Millisecond,
		Config: func() (*rest.Config, string, error) {
			config := h.w.Config(agent)
			config.Transport = throughAPI{config.Transport, h.w.Transport(agent)}
			return config, namespace, nil
		},
	})
	root.SetArgs(args)
	ctx, cancel := context.WithTimeout(h.t.Context(), 20*time.Second)
	defer cancel()
	text := "$ kn flink " + strings.Join(args, " ") + "\n"
	end := cli.ExitOf(ctx, root.ExecuteContext(ctx))
	text += out.String()
	for line := range strings.Lines(notes.String()) {
		text += "2> " + line
	}
	if end != nil {
		text += fmt.Sprintf("exit code %d: %s\n", end.Code, end.Error())
	}
	return masked(text) + "\n"
}

// masked is a text without what differs from run to run.
func masked(text string) string {
	text = ids.ReplaceAllString(text, "<id>")
	text = saved.ReplaceAllString(text, "savepoint-*")
	return chk.ReplaceAllString(text, "chk-*")
}

// written are the writes of the plugin that were no dry runs.
func (h *harness) written() []string {
	all := map[string]bool{}
	for _, r := range h.w.Tap.Requests() {
		if strings.HasPrefix(r.Agent, "kn-flink") && r.IsWrite() {
			all[r.Verb+" "+r.Resource] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// heldPlugin holds transcripts to a file, which have no planted secret.
func heldPlugin(t *testing.T, name, text string) {
	t.Helper()
	golden.Compare(t, "testdata/plugin/"+name, text, *rewritePlugin,
		"go test ./test/scenario -run "+t.Name()+" -rewrite-plugin")
	for line := range strings.Lines(text) {
		if strings.Contains(line, "planted") && !strings.HasPrefix(line, "$ ") { // row C6
			t.Errorf("a secret is told: %s", line)
		}
	}
}

// secretive plants secrets in a spec.
func secretive(spec map[string]any) {
	option("s3.secret-key", "plantedInSpec")(spec)
	jobField("args", []any{"--password", "plantedInArgs"})(spec)
}

// TestPluginPlan shows what kn flink plan says of edits of what really is there.
func TestPluginPlan(t *testing.T) {
	h := newHarness(t)
	h.apply(demo, application(stateful("savepoint"), retained, secretive))
	h.apply("host", sessionCluster())
	h.submit("etl", sessionJob("host"))
	h.applyPair("shop", application(stateful("savepoint"), retained), nil)
	h.untilPair("shop", "ACTIVE_BLUE", "RUNNING")
	h.untilStable(demo)
	h.untilStable("etl")
	h.pass(2 * time.Minute)
	h.flush()
	patch := func(text string) []string { return []string{"plan", demo, "-p", text} }
	var text strings.Builder
	show := func(args ...string) { text.WriteString(h.plugin("", args...)) }
	show("plan", demo)
	show(patch(`{spec: {job: {parallelism: 5}, flinkConfiguration: {s3.secret-key: plantedAnew}}}`)...)
	show(patch(`{spec: {job: {savepointTriggerNonce: 7}}}`)...)
	show(patch(`{spec: {job: {state: suspended}}}`)...)
	show(patch(`{spec: {job: {upgradeMode: stateless, args: [--password, plantedAnew]}}}`)...)
	show(patch(`{spec: {job: {initialSavepointPath: "s3://s/chosen", savepointRedeployNonce: 3}}}`)...)
	show(patch(`{spec: {job: {parallelism: 0}}}`)...)
	show(patch(`{spec: {flinkVersion: v2_0}}`)...)
	show("plan", "etl", "-p", `{spec: {job: {parallelism: 1}}}`)
	show("plan", "host", "-p", `{spec: {restartNonce: 2}}`)
	show("plan", "flinkbgdep/shop", "-p", `{spec: {template: {spec: {job: {parallelism: 1}}}}}`)
	show("plan", "flinkbgdep/shop", "-p", `{spec: {template: {spec: {job: {savepointTriggerNonce: 1}}}}}`)
	show("plan", demo, "-o", "yaml", "-p", `{spec: {job: {parallelism: 1}}}`)
	show("plan", demo, "-p", "{")
	show("plan", "nobody")
	show("plan")
	fresh := "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: fresh}\n" +
		"spec:\n  image: flink:1.20\n  flinkVersion: v1_20\n  serviceAccount: flink\n" +
		"  jobManager: {resource: {memory: 1024m}}\n  taskManager: {resource: {memory: 1024m}}\n" +
		"  job: {jarURI: \"local:///job.jar\", parallelism: 2, upgradeMode: stateless}\n"
	text.WriteString(h.plugin(fresh+"---\nkind: ConfigMap\nmetadata: {name: other}\n", "plan", "-f", "-"))
	text.WriteString(h.plugin("", "plan", "-f", "-"))
	if written := h.written(); len(written) > 0 {
		t.Errorf("a plan wrote: %v", written)
	}
	h.edit(demo, parallelism(3))
	h.flush()
	show(patch(`{spec: {job: {parallelism: 4}}}`)...)
	h.untilStable(demo)
	show("plan", demo, "--to", "1")
	show("plan", demo, "--to", "9")
	heldPlugin(t, "plan.txt", text.String())
}

// podUses is what metrics-server says of a pod.
func (h *harness) podUses(pod, cluster, component, cpu, memory string) {
	h.t.Helper()
	if _, err := h.w.Kube.Create(kubesim.PodMetrics, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "metrics.k8s.io/v1beta1", "kind": "PodMetrics", "metadata": map[string]any{
			"name": pod, "namespace": namespace, "labels": map[string]any{"app": cluster, "component": component},
		},
		"containers": []any{map[string]any{
			"name": "flink-main-container", "usage": map[string]any{"cpu": cpu, "memory": memory},
		}},
	}}); err != nil {
		h.t.Fatal(err)
	}
}

// TestPluginTop shows what kn flink top says of what really runs.
func TestPluginTop(t *testing.T) {
	h := newHarness(t)
	h.apply(demo, application(stateful("savepoint"), retained, secretive))
	h.runs("etl", sessionJob("host"), sessionCluster())
	h.untilStable(demo)
	h.loads(demo, 5000)
	h.pass(2 * time.Minute)
	h.podUses("demo-jobmanager", demo, "jobmanager", "250m", "600Mi")
	h.podUses("demo-taskmanager-1-1", demo, "taskmanager", "1500m", "900Mi")
	var text strings.Builder
	show := func(args ...string) { text.WriteString(h.plugin("", args...)) }
	show("top")
	show("top", demo, "--vertices")
	show("top", "host")
	show("top", "etl", "-o", "yaml")
	show("top", "--vertices")
	show("autoscale", "explain", demo)
	if written := h.written(); len(written) > 0 {
		t.Errorf("a look wrote: %v", written)
	}
	heldPlugin(t, "top.txt", text.String())
}
