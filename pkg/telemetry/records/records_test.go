package records

import (
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"

	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/otlp"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/otlpsim"
)

func pod(t *testing.T, rate float64) (*Records, *otlpsim.Records, *kubesim.Clock) {
	t.Helper()
	c, clock := otlpsim.NewRecords(t), kubesim.NewClock()
	r, err := New(Setup{
		Function: "reconcile", Namespace: "flink-system", Rate: rate, Now: clock.Now, Log: zap.NewNop().Sugar(),
		Traces: otlp.Endpoint{Signal: otlp.Traces, URL: c.URL + "/v1/traces", Timeout: time.Second},
		Logs:   otlp.Endpoint{Signal: otlp.Logs, URL: c.URL + "/v1/logs", Timeout: time.Second},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r, c, clock
}

func request(h http.Handler) {
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", nil))
}

const (
	traceID = "0123456789abcdef0123456789abcdef"
	above   = "1122334455667788"
)

// pass is what a function does with an event: a pass, with a call that fails, and a log line.
func pass(r *Records, traceparent string, peer http.RoundTripper) (h http.Handler, handedOn *string) {
	handedOn = new(string)
	log := telemetry.NewLogger("reconcile", nil, r.Core)
	return r.Handler(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		ctx := telemetry.WithTrace(q.Context(), traceparent, "source", "1")
		ctx, end := telemetry.Begin(ctx, "pass", trace.SpanKindInternal)
		call, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://flink:8081/jobs?token=hunter2", nil)
		_, err := telemetry.Calls("flink", peer).RoundTrip(call)
		telemetry.Traced(ctx, log).Warnw("round", telemetry.Key, "a/b/c", "password", "password=hunter2")
		telemetry.Traced(ctx, log).Debugw("not of this level")
		*handedOn = telemetry.Traceparent(ctx, "2")
		end(err)
	})), handedOn
}

type peer func(*http.Request) (*http.Response, error)

func (p peer) RoundTrip(r *http.Request) (*http.Response, error) { return p(r) }

func gone(*http.Request) (*http.Response, error) {
	return nil, errors.New("no route, password=hunter2")
}

func answers(status int) peer {
	return func(*http.Request) (*http.Response, error) { return &http.Response{StatusCode: status}, nil }
}

func TestATraceFromTheEventToItsCalls(t *testing.T) {
	r, c, _ := pod(t, 1)
	h, handedOn := pass(r, "00-"+traceID+"-"+above+"-00", peer(gone))
	request(h)
	of, call := c.Span(t, "pass"), c.Span(t, "GET")
	for _, s := range []*tracepb.Span{of, call} {
		if hex.EncodeToString(s.TraceId) != traceID || s.Status.Code != tracepb.Status_STATUS_CODE_ERROR ||
			s.EndTimeUnixNano < s.StartTimeUnixNano {
			t.Errorf("span %v", s)
		}
	}
	if hex.EncodeToString(of.ParentSpanId) != above || string(call.ParentSpanId) != string(of.SpanId) {
		t.Errorf("the pass is below %x, its call below %x", of.ParentSpanId, call.ParentSpanId)
	}
	if a := otlpsim.Texts(call.Attributes); a["peer.service"] != "flink" || a["url.path"] != "/jobs" ||
		call.Kind != tracepb.Span_SPAN_KIND_CLIENT || a["server.address"] != "flink" {
		t.Errorf("call %v %v", call.Kind, a)
	}
	if want := "00-" + traceID + "-" + hex.EncodeToString(of.SpanId) + "-01"; *handedOn != want {
		t.Errorf("handed on %s, want %s", *handedOn, want)
	}
	if len(c.Lines()) != 1 {
		t.Fatalf("%d lines", len(c.Lines()))
	}
	line := c.Lines()[0]
	if hex.EncodeToString(line.TraceId) != traceID || line.Body.GetStringValue() != "round" ||
		line.SeverityNumber != logspb.SeverityNumber_SEVERITY_NUMBER_WARN || line.SeverityText != "WARN" ||
		otlpsim.Texts(line.Attributes)["key"] != "a/b/c" {
		t.Errorf("line %v", line)
	}
	if c.Resource()["service.name"] != "reconcile" || c.Resource()["service.namespace"] != "flink-system" ||
		c.Resource()["service.instance.id"] == "" {
		t.Errorf("of %v", c.Resource())
	}
	for _, m := range []proto.Message{of, call, line} {
		if text, _ := proto.Marshal(m); strings.Contains(string(text), "hunter2") {
			t.Errorf("a secret is told: %v", m)
		}
	}
}

// TestWhichTracesAreNoted: each function decides by the trace alone, so that all note the same ones.
func TestWhichTracesAreNoted(t *testing.T) {
	for name, row := range map[string]struct {
		rate   float64
		parent string
		answer int
		spans  int
		failed bool
	}{
		"all":                           {1, "", http.StatusOK, 2, false},
		"all, and the call fails":       {1, "", http.StatusConflict, 2, true},
		"none, although the source did": {0, "00-" + traceID + "-" + above + "-01", http.StatusOK, 0, false},
	} {
		r, c, _ := pod(t, row.rate)
		h, handedOn := pass(r, row.parent, answers(row.answer))
		request(h)
		if len(c.Spans()) != row.spans || len(c.Lines()) != 1 || !strings.HasPrefix(*handedOn, "00-") {
			t.Errorf("%s: %d spans, %d lines, handed on %q", name, len(c.Spans()), len(c.Lines()), *handedOn)
		}
		if row.spans > 0 && (c.Span(t, "GET").Status.Code == tracepb.Status_STATUS_CODE_ERROR) != row.failed {
			t.Errorf("%s: %v", name, c.Span(t, "GET"))
		}
	}
}

func TestAnEndpointThatIsDownGetsAllLater(t *testing.T) {
	r, c, clock := pod(t, 1)
	h, _ := pass(r, "", answers(http.StatusOK))
	c.Answer(http.StatusServiceUnavailable)
	request(h)
	request(h)
	if c.Posts() != 2 {
		t.Errorf("%d posts, want one for each signal: they failed a moment ago", c.Posts())
	}
	c.Answer(http.StatusOK)
	clock.Advance(time.Minute)
	request(h)
	if len(c.Spans()) != 6 || len(c.Lines()) != 3 {
		t.Errorf("%d spans and %d lines, want those of three passes", len(c.Spans()), len(c.Lines()))
	}
	r.Close(t.Context())
	if c.Posts() != 4 {
		t.Errorf("%d posts, want 4: nothing is left", c.Posts())
	}
}

func TestTooManyRecordsAreDropped(t *testing.T) {
	r, c, _ := pod(t, 1)
	c.Answer(http.StatusServiceUnavailable)
	ctx := telemetry.WithTracer(t.Context(), r.tracer)
	for range mostSpans + 3 {
		_, end := telemetry.Begin(ctx, "look", trace.SpanKindInternal)
		end(nil)
	}
	if len(r.spans) != mostSpans || r.dropped != 3 {
		t.Errorf("%d spans wait, %d were dropped", len(r.spans), r.dropped)
	}
}

func TestWithoutEndpointsNothingIsNoted(t *testing.T) {
	none, err := New(Setup{Now: time.Now, Log: zap.NewNop().Sugar()})
	if err != nil || none != nil || none.Core(zap.NewAtomicLevel()) != nil {
		t.Errorf("%v %v", none, err)
	}
	h := http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		if ctx, end := telemetry.Begin(q.Context(), "pass", trace.SpanKindInternal); ctx != q.Context() || end == nil {
			t.Error("a span without a tracer")
		}
	})
	request(none.Handler(h))
	none.Close(context.Background())
}

func TestRecordsThatCannotBeMadeAreNoReasonNotToRun(t *testing.T) {
	for name, config := range map[string]map[string]string{
		"gRPC":       {"tracing-protocol": "grpc", "tracing-endpoint": "http://c:4317"},
		"no address": {"logs-protocol": "http/protobuf"},
		"a rate":     {"tracing-protocol": "http/protobuf", "tracing-endpoint": "http://c", "tracing-sampling-rate": "2"},
	} {
		if r := Start(Setup{Now: time.Now, Log: zap.NewNop().Sugar()}, config); r != nil {
			t.Errorf("%s: %v", name, r)
		}
	}
	r := Start(Setup{Now: time.Now, Log: zap.NewNop().Sugar()}, map[string]string{
		"tracing-protocol": "http/protobuf", "tracing-endpoint": "http://c:4318", "tracing-sampling-rate": "0.25",
	})
	if r == nil || r.Traces.URL != "http://c:4318/v1/traces" || r.Rate != 0.25 || r.logs != nil {
		t.Errorf("%+v", r)
	}
}
