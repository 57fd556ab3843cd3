package workloads

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	collectorpb "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/protobuf/proto"
)

// record is a log line as a backend of OTLP gets it.
type record struct {
	at                     time.Time
	severity, logger, text string
	number                 int32
	deployment, namespace  string
	pod, component         string
	attributes             map[string]string
}

// otlpBackend takes log lines over HTTP, unless it is away. test/otlpsim cannot be linked with Kubernetes: both know
// OTLP's messages by another package.
type otlpBackend struct {
	url  string
	away atomic.Bool

	mu      sync.Mutex
	refused int
	records []record
}

// newOTLPBackend starts one that ends with the test.
func newOTLPBackend(t *testing.T) *otlpBackend {
	t.Helper()
	b := &otlpBackend{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.away.Load() {
			b.refused++
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if err := b.take(r); err != nil {
			t.Error(err)
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	t.Cleanup(server.Close)
	b.url = server.URL
	return b
}

func (b *otlpBackend) take(r *http.Request) error {
	body, err := gzip.NewReader(r.Body)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	var message collectorpb.ExportLogsServiceRequest
	if r.URL.Path != "/v1/logs" {
		return errors.New("nothing is taken at " + r.URL.Path)
	}
	if err := proto.Unmarshal(text, &message); err != nil {
		return err
	}
	for _, resource := range message.GetResourceLogs() {
		of := texts(resource.GetResource().GetAttributes())
		for _, scope := range resource.GetScopeLogs() {
			for _, l := range scope.GetLogRecords() {
				b.records = append(b.records, record{
					at: time.Unix(0, int64(l.GetTimeUnixNano())), severity: l.GetSeverityText(),
					number: int32(l.GetSeverityNumber()), logger: scope.GetScope().GetName(),
					text: l.GetBody().GetStringValue(), attributes: texts(l.GetAttributes()),
					deployment: of["service.name"], namespace: of["k8s.namespace.name"],
					pod: of["k8s.pod.name"], component: of["component"],
				})
			}
		}
	}
	return nil
}

// texts are attributes by their names.
func texts(all []*commonpb.KeyValue) map[string]string {
	found := map[string]string{}
	for _, a := range all {
		found[a.GetKey()] = a.GetValue().GetStringValue()
	}
	return found
}

// of are the records of a pod that hold, in their order.
func (b *otlpBackend) of(pod string, holds func(record) bool) (found []record) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.records {
		if r.pod == pod && holds(r) {
			found = append(found, r)
		}
	}
	return found
}

// all are the records that came.
func (b *otlpBackend) all() []record {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.records
}

// says is about records with a text.
func says(text string) func(record) bool {
	return func(r record) bool { return strings.Contains(r.text, text) }
}

// eventually waits for a record of a pod.
func (b *otlpBackend) eventually(t *testing.T, what, pod string, holds func(record) bool) record {
	t.Helper()
	var found []record
	ns.Eventually(t, what+" is forwarded", func(context.Context) (bool, error) {
		found = b.of(pod, holds)
		return len(found) > 0, nil
	})
	return found[0]
}
