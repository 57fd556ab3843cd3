package telemetry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"regexp"

	"go.uber.org/zap"
)

// traceKey is where a context keeps its trace.
type traceKey struct{}

// parent is the form of a traceparent (W3C Trace Context): version, trace, span, flags.
var parent = regexp.MustCompile(`^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}`)

// WithTrace gives a context the trace of the event that it is for: that of its traceparent, or else one that follows
// from its source and ID, so that it is the same in each pod that the event comes to.
func WithTrace(ctx context.Context, traceparent, source, id string) context.Context {
	hash := sha256.Sum256([]byte(source + "\n" + id))
	trace := hex.EncodeToString(hash[:16])
	if m := parent.FindStringSubmatch(traceparent); m != nil {
		trace = m[1]
	}
	return context.WithValue(ctx, traceKey{}, trace)
}

// TraceOf is the trace of a context, 32 hexadecimal digits; empty when it has none.
func TraceOf(ctx context.Context) string {
	trace, _ := ctx.Value(traceKey{}).(string)
	return trace
}

// Traceparent is what hands the trace of a context on with an event of this ID; empty when it has none.
func Traceparent(ctx context.Context, id string) string {
	trace := TraceOf(ctx)
	if trace == "" {
		return ""
	}
	span := sha256.Sum256([]byte(id))
	return "00-" + trace + "-" + hex.EncodeToString(span[:8]) + "-01"
}

// Traced is a logger whose lines have the trace of a context.
func Traced(ctx context.Context, log *zap.SugaredLogger) *zap.SugaredLogger {
	if trace := TraceOf(ctx); trace != "" {
		return log.With(TraceID, trace)
	}
	return log
}
