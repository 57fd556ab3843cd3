package otlpsim

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Records is a receiver of spans and log lines. Safe for concurrent use.
type Records struct {
	// URL is the endpoint, without a path.
	URL string

	mu       sync.Mutex
	status   int
	posts    int
	spans    []*tracepb.Span
	lines    []*logspb.LogRecord
	resource map[string]string
}

// NewRecords starts a receiver that ends with the test.
func NewRecords(t testing.TB) *Records {
	r := &Records{status: http.StatusOK}
	server := httptest.NewServer(http.HandlerFunc(r.take))
	t.Cleanup(server.Close)
	r.URL = server.URL
	return r
}

// Answer is what the posts to come are answered with. What is answered with an error is not kept.
func (r *Records) Answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// Posts is how many messages came, also those that were answered with an error.
func (r *Records) Posts() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.posts
}

// Spans are those that came, in their order.
func (r *Records) Spans() []*tracepb.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.spans
}

// Lines are those that came, in their order.
func (r *Records) Lines() []*logspb.LogRecord {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lines
}

// Resource is what the newest message is of.
func (r *Records) Resource() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.resource
}

// Span is the first span of a name; the test ends without one.
func (r *Records) Span(t testing.TB, name string) *tracepb.Span {
	t.Helper()
	for _, s := range r.Spans() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no span %q", name)
	return nil
}

func (r *Records) take(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.posts++
	body, err := io.ReadAll(request.Body)
	if err == nil && r.status == http.StatusOK {
		err = r.keep(request.URL.Path, body)
	}
	switch {
	case err != nil:
		w.WriteHeader(http.StatusBadRequest)
	default:
		w.WriteHeader(r.status)
	}
}

func (r *Records) keep(path string, body []byte) error {
	switch path {
	case "/v1/traces":
		var m tracepb.TracesData
		if err := proto.Unmarshal(body, &m); err != nil {
			return err
		}
		for _, of := range m.ResourceSpans {
			r.resource = Texts(of.Resource.Attributes)
			for _, scope := range of.ScopeSpans {
				r.spans = append(r.spans, scope.Spans...)
			}
		}
	case "/v1/logs":
		var m logspb.LogsData
		if err := proto.Unmarshal(body, &m); err != nil {
			return err
		}
		for _, of := range m.ResourceLogs {
			r.resource = Texts(of.Resource.Attributes)
			for _, scope := range of.ScopeLogs {
				r.lines = append(r.lines, scope.LogRecords...)
			}
		}
	}
	return nil
}

// Texts are attributes by their names.
func Texts(all []*commonpb.KeyValue) map[string]string {
	found := map[string]string{}
	for _, a := range all {
		found[a.Key] = a.Value.GetStringValue()
	}
	return found
}
