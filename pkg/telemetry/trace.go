package telemetry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"regexp"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/kn-flink/kn-flink/pkg/redact"
)

// traceKey is where a context keeps its trace, tracerKey what makes spans of it.
type (
	traceKey  struct{}
	tracerKey struct{}
)

// parent is the form of a traceparent (W3C Trace Context): version, trace, span, flags.
var parent = regexp.MustCompile(`^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}`)

// WithTrace gives a context the trace of the event that it is for: that of its traceparent, or else one that follows
// from its source and ID, so that it is the same in each pod that the event comes to. Spans that begin in it have the
// span of the traceparent above them.
func WithTrace(ctx context.Context, traceparent, source, id string) context.Context {
	hash := sha256.Sum256([]byte(source + "\n" + id))
	of := hex.EncodeToString(hash[:16])
	if m := parent.FindStringSubmatch(traceparent); m != nil {
		of = m[1]
		traceID, err := trace.TraceIDFromHex(m[1])
		spanID, err2 := trace.SpanIDFromHex(m[2])
		if err == nil && err2 == nil {
			ctx = trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
				TraceID: traceID, SpanID: spanID, TraceFlags: trace.FlagsSampled, Remote: true,
			}))
		}
	}
	return context.WithValue(ctx, traceKey{}, of)
}

// TraceOf is the trace of a context, 32 hexadecimal digits; empty when it has none.
func TraceOf(ctx context.Context) string {
	trace, _ := ctx.Value(traceKey{}).(string)
	return trace
}

// Traceparent is what hands the trace of a context on with an event of this ID: below the span of the context, where it
// has one of its own. Empty when it has no trace.
func Traceparent(ctx context.Context, id string) string {
	of := TraceOf(ctx)
	if of == "" {
		return ""
	}
	if own := trace.SpanContextFromContext(ctx); own.IsValid() && !own.IsRemote() {
		return "00-" + of + "-" + own.SpanID().String() + "-" + own.TraceFlags().String()
	}
	span := sha256.Sum256([]byte(id))
	return "00-" + of + "-" + hex.EncodeToString(span[:8]) + "-01"
}

// Traced is a logger whose lines have the trace of a context.
func Traced(ctx context.Context, log *zap.SugaredLogger) *zap.SugaredLogger {
	if of := TraceOf(ctx); of != "" {
		return log.With(TraceID, of)
	}
	return log
}

// WithTracer gives a context what makes its spans.
func WithTracer(ctx context.Context, t trace.Tracer) context.Context {
	return context.WithValue(ctx, tracerKey{}, t)
}

// Begin begins a span. end ends it, with the error that it ended by; it tells no secret. Without a tracer in the
// context nothing is made.
func Begin(
	ctx context.Context, name string, kind trace.SpanKind, attributes ...attribute.KeyValue,
) (within context.Context, end func(error, ...attribute.KeyValue)) {
	tracer, traced := ctx.Value(tracerKey{}).(trace.Tracer)
	if !traced {
		return ctx, func(error, ...attribute.KeyValue) {}
	}
	ctx, span := tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(attributes...))
	return ctx, func(err error, more ...attribute.KeyValue) {
		span.SetAttributes(more...)
		if err != nil {
			span.SetStatus(codes.Error, redact.Text(err.Error()))
		}
		span.End()
	}
}
