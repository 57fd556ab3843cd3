package records

import (
	"context"
	"crypto/rand"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/otlp"
)

// ended keeps spans that have ended.
type ended struct{ r *Records }

// OnStart does nothing.
func (ended) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd keeps a span, if there is room.
func (e ended) OnEnd(s sdktrace.ReadOnlySpan) {
	if !s.SpanContext().IsSampled() {
		return
	}
	e.r.mu.Lock()
	defer e.r.mu.Unlock()
	if len(e.r.spans) >= mostSpans {
		e.r.dropped++
		return
	}
	e.r.spans = append(e.r.spans, otlp.Span(s))
}

// Shutdown does nothing: the gate pushes.
func (ended) Shutdown(context.Context) error { return nil }

// ForceFlush does nothing: the gate pushes.
func (ended) ForceFlush(context.Context) error { return nil }

// ofEvents gives a span that has none above it the trace of its event.
type ofEvents struct{}

// NewIDs is the trace of the context, or a random one, and a new span.
func (g ofEvents) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	id, err := trace.TraceIDFromHex(telemetry.TraceOf(ctx))
	if err != nil {
		_, _ = rand.Read(id[:]) // it never fails
	}
	return id, g.NewSpanID(ctx, id)
}

// NewSpanID is a random one.
func (ofEvents) NewSpanID(context.Context, trace.TraceID) (id trace.SpanID) {
	_, _ = rand.Read(id[:]) // it never fails
	return id
}
