package scenario

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"go.uber.org/zap"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/admission"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
	"github.com/kn-flink/kn-flink/pkg/telemetry/otlp"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

var rewriteHealthyHour = flag.Bool("rewrite-healthy-hour", false, "write the recording for test/alerts again")

// healthyHourPath is what the functions push in an hour in which all is well: OTLP as JSON, a message a line.
// test/alerts feeds it to Prometheus, and holds that no alert fires.
var healthyHourPath = filepath.Join("..", "alerts", "testdata", "healthy-hour.jsonl.gz")

// recorder keeps what is pushed to it. What a pod counts has the machine's time: it gets that of the story.
type recorder struct {
	t     *testing.T
	clock func() time.Time

	mu    sync.Mutex
	last  time.Time
	names map[string]bool
	lines bytes.Buffer
}

// ServeHTTP takes one message.
func (r *recorder) ServeHTTP(_ http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var message metricspb.MetricsData
	body, err := io.ReadAll(q.Body)
	if err == nil {
		err = proto.Unmarshal(body, &message)
	}
	if err != nil {
		r.t.Error(err)
		return
	}
	began := r.last
	if r.last = r.clock(); !r.last.After(began) { // no moment of a pod is another one's, too
		r.last = began.Add(time.Millisecond)
	}
	for _, of := range message.ResourceMetrics {
		for _, scope := range of.ScopeMetrics {
			for _, m := range scope.Metrics {
				r.names[m.Name] = true
				r.move(m, uint64(began.UnixNano()), uint64(r.last.UnixNano()))
			}
		}
	}
	line, err := protojson.MarshalOptions{UseEnumNumbers: true}.Marshal(&message)
	if err != nil {
		r.t.Error(err)
	}
	r.lines.Write(append(line, '\n'))
}

func (r *recorder) move(m *metricspb.Metric, began, ended uint64) {
	for _, p := range m.GetSum().GetDataPoints() {
		p.StartTimeUnixNano, p.TimeUnixNano = began, ended
	}
	for _, p := range m.GetHistogram().GetDataPoints() {
		p.StartTimeUnixNano, p.TimeUnixNano = began, ended
	}
}

// measures gives the functions pods of their own, whose metrics are recorded. end ends those pods.
func (h *harness) measures(t *testing.T, url string) (admit http.Handler, end func()) {
	t.Helper()
	pods := map[string]*metrics.Metrics{}
	for _, function := range []string{"admit", "observe", "reconcile"} {
		m, err := metrics.New(metrics.Setup{
			Function: function, Namespace: system, Endpoint: otlp.Endpoint{URL: url, Timeout: time.Minute},
			Now: h.w.Clock.Now, Log: zap.NewNop().Sugar(),
		})
		if err != nil {
			t.Fatal(err)
		}
		pods[function] = m
	}
	h.measured = pods["observe"]
	h.observe = h.newObserve("observe")
	h.measured = pods["reconcile"]
	h.reconcile, h.uploads = h.newReconcile("reconcile"), h.passing("reconcile", true)
	judges := admission.Judges{Lookup: admission.Lookup{Reader: h.kube("admit")}, Operator: h.installed.Operator}
	return pods["admit"].Handler(admission.Handler{Judge: judges.Judge, Log: h.log(), Metrics: pods["admit"]}), func() {
		for _, m := range pods {
			m.Close(t.Context())
		}
	}
}

// recordHealthyHour has jobs come, change, stop, go on and be scaled. Each ten minutes the functions run in other pods.
func recordHealthyHour(t *testing.T) (lines []byte, names []string) {
	h := newHarness(t)
	r := &recorder{t: t, clock: h.w.Clock.Now, last: h.w.Clock.Now(), names: map[string]bool{}}
	collector := httptest.NewServer(r)
	defer collector.Close()
	checked := stateful("savepoint")
	healthy := func(spec map[string]any) {
		checked(spec)
		option("kubernetes.operator.cluster.health-check.enabled", "true")(spec)
		option("kubernetes.operator.cluster.health-check.checkpoint-progress.enabled", "true")(spec)
	}
	edits := []func(){
		func() {
			h.watches(demo + "-canary")
			h.apply(demo, application(healthy))
			h.apply("host", sessionCluster())
			h.submit("hosted", sessionJob("host", checked))
		},
		func() { h.edit(demo, parallelism(3)) },
		func() { h.edit(demo, jobState("suspended")) },
		func() { h.edit(demo, jobState("running")) },
		func() { h.loads("scaled", 3500); h.apply("scaled", application(checked, adaptive, autoscaled)) },
		func() { h.edit("hosted", parallelism(1)) },
	}
	for _, edit := range edits {
		admit, end := h.measures(t, collector.URL)
		answer := httptest.NewRecorder()
		body := review(t, v1beta1.KindFlinkDeployment, application(healthy))
		admit.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, admission.ValidatePath, bytes.NewReader(body)))
		if !strings.Contains(answer.Body.String(), `"allowed":true`) {
			t.Errorf("admit answers %s", answer.Body)
		}
		edit()
		h.flush()
		h.pass(10 * time.Minute)
		end()
	}
	for _, name := range []string{demo, "host", "hosted", "scaled"} {
		h.untilStable(name)
	}
	return r.lines.Bytes(), slices.Sorted(maps.Keys(r.names))
}

// watches makes a canary.
func (h *harness) watches(name string) {
	h.t.Helper()
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1beta1.APIVersion, "kind": v1beta1.KindFlinkDeployment, "spec": map[string]any{},
	}}
	u.SetNamespace(namespace)
	u.SetName(name)
	u.SetLabels(map[string]string{"flink.apache.org/canary": "true"})
	if _, err := h.w.Kube.Create(kubesim.FlinkDeployments, u); err != nil {
		h.t.Fatal(err)
	}
}

// The recording of test/alerts tells of all that the functions tell in such an hour today.
func TestHealthyHour(t *testing.T) {
	t.Parallel()
	lines, names := recordHealthyHour(t)
	if *rewriteHealthyHour {
		var packed bytes.Buffer
		w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(lines); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(healthyHourPath, packed.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Open(healthyHourPath)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !bytes.Contains(recorded, []byte(`"`+name+`"`)) {
			t.Errorf("%s has no %s: make healthy-hour", healthyHourPath, name)
		}
	}
}
