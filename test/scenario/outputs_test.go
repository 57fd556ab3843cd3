package scenario

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clientrest "k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
	"github.com/kn-flink/kn-flink/pkg/telemetry/otlp"
)

// outputs are all texts by which the functions tell anybody anything:
//
//	logs         at level debug, by the logger of the functions
//	events       of Kubernetes
//	status       each that is stored, and what else is changed in one of the four kinds
//	CloudEvents  to both Brokers, with their extensions: the trace is one
//	metrics      as they are pushed
//	answers      to AdmissionReviews
//
// Objects that Flink needs hold secrets, and so do the parts of a spec in a status: whoever reads it may read the spec.
type outputs struct {
	log   string // the file of the logs
	says  string // what the log of each container ends with
	mu    sync.Mutex
	heard map[string][]string
}

// kept are the fields of a status that the next pass goes on from: what a spec says, and where a state is.
var kept = [][]string{
	{"reconciliationStatus", "lastReconciledSpec"}, {"reconciliationStatus", "lastStableSpec"},
	{"jobStatus", "upgradeSavepointPath"}, {"intent", "specChange"}, {"intent", "from", "path"},
	{"lastReconciledSpec"}, {"transition", "spec"}, {"transition", "path"},
}

func newOutputs(t *testing.T) *outputs {
	return &outputs{heard: map[string][]string{}, log: filepath.Join(t.TempDir(), "log")}
}

func (o *outputs) hear(output, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.heard[output] = append(o.heard[output], text)
}

// told is all that an output told.
func (o *outputs) told(output string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if output == "logs" {
		lines, err := os.ReadFile(o.log)
		if err != nil {
			return ""
		}
		return string(lines)
	}
	return strings.Join(o.heard[output], "\n")
}

// logger is that of the functions.
func (o *outputs) logger() *zap.SugaredLogger {
	config, _ := json.Marshal(map[string]any{ // texts always print
		"level": "debug", "encoding": "json", "outputPaths": []string{o.log}, "errorOutputPaths": []string{o.log},
		"encoderConfig": map[string]string{"messageKey": "msg", "stacktraceKey": "stack", "levelKey": "level"},
	})
	return telemetry.NewLogger("reconcile", map[string]string{"zap-logger-config": string(config)}, nil)
}

// metrics are pushed to a collector that hears all.
func (o *outputs) metrics(t *testing.T, now func() time.Time) *metrics.Metrics {
	t.Helper()
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		o.hear("metrics", string(body))
	}))
	t.Cleanup(collector.Close)
	made, err := metrics.New(metrics.Setup{
		Function: "reconcile", Namespace: system, Endpoint: otlp.Endpoint{URL: collector.URL, Timeout: time.Minute},
		Now: now, Log: o.logger(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// kube is a client whose writes are heard.
func (o *outputs) kube(t testing.TB, config *clientrest.Config, agent string) *kube.Client {
	t.Helper()
	config.Wrap(func(way http.RoundTripper) http.RoundTripper { return overheard{o, way} })
	client, err := kube.ForConfig(config, agent)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

type overheard struct {
	o   *outputs
	way http.RoundTripper
}

// RoundTrip hears what is written, and answers for the kubelet.
func (w overheard) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/log") {
		return &http.Response{
			StatusCode: http.StatusOK, Request: r, Body: io.NopCloser(strings.NewReader(w.o.says)),
			Header: http.Header{"Content-Type": {"text/plain"}},
		}, nil
	}
	if r.Method != http.MethodGet && r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		switch {
		case strings.Contains(r.URL.Path, "/events"):
			w.o.hear("events", string(body))
		case strings.Contains(r.URL.Path, "/flink.apache.org/"):
			w.o.hear("status", withoutKept(body))
		}
	}
	return w.way.RoundTrip(r)
}

func withoutKept(body []byte) string {
	var object map[string]any
	if json.Unmarshal(body, &object) != nil {
		return string(body)
	}
	delete(object, "spec") // it is as it was read
	for _, path := range kept {
		unstructured.RemoveNestedField(object, append([]string{"status"}, path...)...)
	}
	text, err := json.Marshal(object)
	if err != nil {
		return string(body)
	}
	return string(text)
}
