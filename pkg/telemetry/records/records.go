package records

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/zap"

	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/otlp"
	"github.com/kn-flink/kn-flink/pkg/telemetry/push"
)

const (
	// mostSpans and mostLines wait for a push; more are dropped, and counted in the log.
	mostSpans, mostLines = 10_000, 5_000
	// scope is the name of our spans' and lines' maker.
	scope = "github.com/kn-flink/kn-flink"
	// keyRate is the share of traces that are noted, 0 to 1, in ConfigMap config-observability, as Knative's own
	// components have it.
	keyRate = "tracing-sampling-rate"
)

// Setup is what the records of a function stand on.
type Setup struct {
	// Function is its name, as service.name.
	Function string
	// Namespace is that of the installation, as service.namespace.
	Namespace string
	// Traces and Logs take the pushes; an empty URL takes none.
	Traces, Logs otlp.Endpoint
	// Rate is the share of traces that are noted, 0 to 1.
	Rate float64
	// Patience bounds a push while somebody waits for an answer; zero means the endpoint's own timeout.
	Patience time.Duration
	// Now is the clock of the machine.
	Now func() time.Time
	// Log is told when a push fails. Its lines are not pushed.
	Log *zap.SugaredLogger
}

// Records are those of one function in one pod. Nil notes nothing. Safe for concurrent use.
type Records struct {
	Setup
	tracer       trace.Tracer // nil: no spans
	traces, logs *otlp.Client // nil: none
	pod          []attribute.KeyValue
	gate         push.Gate

	mu      sync.Mutex
	spans   []*tracepb.Span
	lines   []otlp.Line
	dropped int
}

// New makes the records of a function; nil when neither endpoint is there.
func New(s Setup) (*Records, error) {
	r := &Records{
		Setup: s, gate: push.Gate{Now: s.Now, Patience: s.Patience}, pod: []attribute.KeyValue{
			attribute.String("service.name", s.Function), attribute.String("service.namespace", s.Namespace),
			attribute.String("service.instance.id", uuid.NewString()),
		},
	}
	var err, err2 error
	if s.Traces.URL != "" {
		r.traces, err = otlp.NewClient(s.Traces)
		r.tracer = sdktrace.NewTracerProvider(
			sdktrace.WithSpanProcessor(ended{r}), sdktrace.WithIDGenerator(ofEvents{}),
			sdktrace.WithSampler(sdktrace.TraceIDRatioBased(s.Rate)), sdktrace.WithResource(resource.Empty()),
		).Tracer(scope)
	}
	if s.Logs.URL != "" {
		r.logs, err2 = otlp.NewClient(s.Logs)
	}
	if err = errors.Join(err, err2); err != nil || (r.traces == nil && r.logs == nil) {
		return nil, err
	}
	return r, nil
}

// Start makes the records that the environment or ConfigMap config-observability asks for. What cannot be used is told,
// and nothing is noted then: that is no reason not to run.
func Start(s Setup, config map[string]string) *Records {
	var err, err2, err3 error
	s.Traces, err = otlp.EndpointOf(otlp.Traces, config, os.Getenv)
	s.Logs, err2 = otlp.EndpointOf(otlp.Logs, config, os.Getenv)
	s.Rate = 1
	if text := config[keyRate]; text != "" {
		if s.Rate, err3 = strconv.ParseFloat(text, 64); err3 != nil || s.Rate < 0 || s.Rate > 1 {
			err3 = errors.New(keyRate + " " + strconv.Quote(text) + " is no number from 0 to 1")
		}
	}
	var r *Records
	if err = errors.Join(err, err2, err3); err == nil {
		r, err = New(s)
	}
	if err != nil {
		s.Log.Errorw("no traces and no log lines are pushed", telemetry.Error, err.Error())
		return nil
	}
	return r
}

// Handler gives requests what makes their spans, and pushes when they end; see push.Gate.
func (r *Records) Handler(next http.Handler) http.Handler {
	if r == nil {
		return next
	}
	if r.tracer != nil {
		untraced := next
		next = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			untraced.ServeHTTP(w, q.WithContext(telemetry.WithTracer(q.Context(), r.tracer)))
		})
	}
	return r.gate.Handler(next, func(ctx context.Context) { r.gate.Push(ctx, r.send, func() {}) })
}

// Close pushes what is left, at the end of a pod.
func (r *Records) Close(ctx context.Context) {
	if r != nil {
		r.gate.Last(ctx, r.send)
	}
}

// send sends what was noted since the last time, spans and lines beside each other. What could not be sent is kept for
// the next time, as far as there is room.
func (r *Records) send(ctx context.Context) error {
	r.mu.Lock()
	spans, lines, dropped := r.spans, r.lines, r.dropped
	r.spans, r.lines, r.dropped = nil, nil, 0
	r.mu.Unlock()
	if dropped > 0 {
		r.Log.Warnw("spans and log lines were dropped: too many waited for a push", telemetry.Count, dropped)
	}
	var both sync.WaitGroup
	var ofSpans, ofLines error
	if len(spans) > 0 {
		both.Go(func() { ofSpans = r.traces.SendSpans(ctx, otlp.Spans(r.pod, scope, spans)) })
	}
	if len(lines) > 0 {
		both.Go(func() { ofLines = r.logs.SendLogs(ctx, otlp.Lines(r.pod, scope, lines)) })
	}
	both.Wait()
	for signal, err := range map[otlp.Signal]error{otlp.Traces: ofSpans, otlp.Logs: ofLines} {
		if err != nil {
			r.Log.Warnw("what was noted was not taken", "signal", string(signal), telemetry.Error, err.Error())
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if again(ofSpans) {
		r.spans = append(spans, r.spans...)
		r.spans = r.spans[max(0, len(r.spans)-mostSpans):]
	}
	if again(ofLines) {
		r.lines = append(lines, r.lines...)
		r.lines = r.lines[max(0, len(r.lines)-mostLines):]
	}
	return errors.Join(ofSpans, ofLines)
}

// again reports whether what was sent is to be sent once more.
func again(err error) bool { return err != nil && !errors.Is(err, otlp.ErrRefused) }
