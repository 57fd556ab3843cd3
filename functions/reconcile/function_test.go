package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/startup"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// installation is the function over a model API server, with a Broker for users' listeners.
type installation struct {
	kube    *kubesim.Server
	tap     *wire.Tap
	handler http.Handler

	mu           sync.Mutex
	posted       []string
	traceparents []string
	settings     settings.Settings
}

func install(t *testing.T, namespaces ...string) *installation {
	t.Helper()
	return installWith(t, nil, namespaces...)
}

// function is what the function stands on.
func (i *installation) function(measured *metrics.Metrics) *startup.Function {
	return &startup.Function{Client: kube.New(i.kube.Dynamic("reconcile")), Metrics: measured}
}

// installWith measures what the function does.
func installWith(t *testing.T, measured *metrics.Metrics, namespaces ...string) *installation {
	t.Helper()
	i := &installation{tap: wire.New()}
	i.kube = kubesim.New(t, kubesim.NewClock(), i.tap)
	broker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.posted = append(i.posted, r.Header.Get("Ce-Type")+" "+r.Header.Get("Ce-Subject"))
		i.traceparents = append(i.traceparents, r.Header.Get("Ce-Traceparent"))
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(broker.Close)
	s := settings.Settings{
		Namespace: "flink-system", Clock: "flink-clock", EventsBroker: broker.URL, Namespaces: namespaces,
		Operator: flinkconf.NewOperator(nil),
	}
	i.settings = s
	handler, err := newHandler(i.function(measured), s, i.kube.Clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	i.handler = handler
	i.create(t, map[string]any{
		"apiVersion": "sources.knative.dev/v1", "kind": "PingSource",
		"metadata": map[string]any{"namespace": "flink-system", "name": "flink-clock"},
		"spec":     map[string]any{"schedule": clock.Asleep.Schedule()},
	})
	i.create(t, map[string]any{
		"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment",
		"metadata": map[string]any{"namespace": "flink", "name": "demo"},
		"spec": map[string]any{
			"image": "flink:1.20", "flinkVersion": "v1_20", "serviceAccount": "flink",
			"jobManager":  map[string]any{"resource": map[string]any{"memory": "1024m", "cpu": 0.5}},
			"taskManager": map[string]any{"resource": map[string]any{"memory": "1024m", "cpu": 0.5}},
		},
	})
	return i
}

func (i *installation) create(t *testing.T, object map[string]any) {
	t.Helper()
	gvr := kubesim.FlinkDeployments
	if object["kind"] == "PingSource" {
		gvr = kubesim.PingSources
	}
	if _, err := i.kube.Create(gvr, &unstructured.Unstructured{Object: object}); err != nil {
		t.Fatal(err)
	}
}

// change is the event of the ApiServerSource for a change of demo, in binary mode.
func change() http.Header {
	h := http.Header{}
	for name, value := range map[string]string{
		"specversion": "1.0", "id": "1", "source": "https://10.0.0.1:443", "type": "dev.knative.apiserver.ref.update",
		"subject":    "/apis/flink.apache.org/v1beta1/namespaces/flink/flinkdeployments/demo",
		"apiversion": "flink.apache.org/v1beta1",
		"kind":       "FlinkDeployment", "namespace": "flink", "name": "demo",
	} {
		h.Set("Ce-"+name, value)
	}
	return h
}

func (i *installation) post(header http.Header) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(""))
	r.Header = header
	answer := httptest.NewRecorder()
	i.handler.ServeHTTP(answer, r)
	return answer
}

func TestAnEventRunsAPass(t *testing.T) {
	i := install(t)
	answer := i.post(change())
	body, err := io.ReadAll(answer.Body)
	if answer.Code != http.StatusOK || len(body) > 0 || err != nil {
		t.Errorf(
			"answer %d %q %v, want 200 without a body: a body that is no event counts as a failed delivery", answer.Code,
			body, err,
		)
	}
	d := i.kube.Get(kubesim.Deployments, "flink", "demo")
	if d == nil {
		t.Fatal("the pass made no Deployment")
	}
	if replicas, _, _ := unstructured.NestedInt64(d.Object, "spec", "replicas"); replicas != 1 {
		t.Errorf("%d replicas, want a released start", replicas)
	}
	for _, want := range []string{
		"org.apache.flink.operator.status.v1 flink/FlinkDeployment/demo",
		"org.apache.flink.operator.event.v1 flink/FlinkDeployment/demo",
	} {
		if !strings.Contains(strings.Join(i.posted, "\n"), want) {
			t.Errorf("listeners got %q, want %s", i.posted, want)
		}
	}
	clockNow := i.kube.Get(kubesim.PingSources, "flink-system", "flink-clock")
	if schedule, _, _ := unstructured.NestedString(
		clockNow.Object, "spec", "schedule",
	); clock.Of(schedule) != clock.Transition {
		t.Errorf("schedule %q, want the clock awake", schedule)
	}
	i.tap.Forget()
	if i.post(change()); i.tap.Count(wire.Request.IsWrite) != 0 {
		t.Errorf("the event of its own write made it write: %v", i.tap.Effects())
	}
}

func TestAnswers(t *testing.T) {
	without := func(name string) http.Header { h := change(); h.Del("Ce-" + name); return h }
	with := func(name, value string) http.Header { h := change(); h.Set("Ce-"+name, value); return h }
	rows := map[string]struct {
		header http.Header
		fault  *wire.Fault
		code   int
		reason string
	}{
		"a resource that is gone":   {with("name", "other"), nil, http.StatusOK, "nothing to do is done"},
		"no name":                   {without("name"), nil, http.StatusOK, "it stays wrong however often it is sent"},
		"a type of somebody else's": {with("type", "com.example.thing"), nil, http.StatusOK, "the same"},
		"no CloudEvent": {
			without("specversion"), nil, http.StatusBadRequest, "the same, and not by a source of ours",
		},
		"an unknown kind": {with("kind", "Pod"), nil, http.StatusOK, "the same"},
		"the API server is busy": {change(),
			&wire.Fault{Match: wire.On("get", "flinkdeployments"), Status: http.StatusInternalServerError},
			http.StatusServiceUnavailable, "the Broker sends it again"},
		"another pass was faster": {change(),
			&wire.Fault{Match: wire.On("patch", "flinkdeployments"), Status: http.StatusConflict},
			http.StatusOK, "the write that beat it has its own event"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			i := install(t)
			if row.fault != nil {
				i.tap.Inject(*row.fault)
			}
			if answer := i.post(row.header); answer.Code != row.code {
				t.Errorf("answer %d, want %d: %s", answer.Code, row.code, row.reason)
			}
		})
	}
}

func TestWhatIsNotWatchedIsLeftAlone(t *testing.T) {
	i := install(t, "team-a")
	if answer := i.post(change()); answer.Code != http.StatusOK || len(i.tap.Requests()) != 0 {
		t.Errorf("answer %d with requests %v, want none", answer.Code, i.tap.Requests())
	}
}

func TestWhatIsNotSelectedIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("FLINK_CONF_DIR", dir)
	if err := os.WriteFile(
		filepath.Join(dir, "config.yaml"), []byte("kubernetes.operator.label.selector: team=a"), 0o600,
	); err != nil {
		t.Fatal(err)
	}
	s, err := settings.Load()
	if err != nil {
		t.Fatal(err)
	}
	i := install(t)
	s.Clock = "flink-clock"
	if i.handler, err = newHandler(i.function(nil), s, i.kube.Clock.Now); err != nil {
		t.Fatal(err)
	}
	i.tap.Forget()
	if answer := i.post(change()); answer.Code != http.StatusOK || i.tap.Count(wire.Request.IsWrite) != 0 {
		t.Errorf("answer %d, and writes %v", answer.Code, i.tap.Effects())
	}
	if _, err := i.kube.Update(kubesim.FlinkDeployments, "flink", "demo", func(u *unstructured.Unstructured) {
		u.SetLabels(map[string]string{"team": "a"})
	}); err != nil {
		t.Fatal(err)
	}
	if i.post(change()); i.kube.Get(kubesim.Deployments, "flink", "demo") == nil {
		t.Error("it is selected now, and nothing was made")
	}
}

func TestSettingsWithoutEffectAreLogged(t *testing.T) {
	i := install(t)
	file := filepath.Join(t.TempDir(), "log")
	s := i.settings
	s.Notes = []string{"option a.b has no effect: c", "option d.e has no effect: f"}
	s.Logging = map[string]string{
		"zap-logger-config": `{"level":"warn","encoding":"json","outputPaths":["` + file + `"]}`,
	}
	if _, err := newHandler(i.function(nil), s, i.kube.Clock.Now); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, note := range s.Notes {
		if strings.Count(string(log), note) != 1 {
			t.Errorf("%q is not in the log once: %s", note, log)
		}
	}
}
