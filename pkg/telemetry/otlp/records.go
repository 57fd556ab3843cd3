package otlp

import (
	"encoding/hex"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// Span is the message for a span.
func Span(s sdktrace.ReadOnlySpan) *tracepb.Span {
	traceID, spanID := s.SpanContext().TraceID(), s.SpanContext().SpanID()
	message := &tracepb.Span{
		TraceId: traceID[:], SpanId: spanID[:], Name: s.Name(), Kind: tracepb.Span_SpanKind(s.SpanKind()),
		StartTimeUnixNano: nanos(s.StartTime()), EndTimeUnixNano: nanos(s.EndTime()),
		Attributes: attributes(s.Attributes()), Status: &tracepb.Status{Message: s.Status().Description},
	}
	if above := s.Parent().SpanID(); above.IsValid() {
		message.ParentSpanId = above[:]
	}
	if s.Status().Code == codes.Error {
		message.Status.Code = tracepb.Status_STATUS_CODE_ERROR
	}
	return message
}

// Spans is the message for spans of one resource.
func Spans(resource []attribute.KeyValue, scope string, all []*tracepb.Span) *tracepb.ResourceSpans {
	return &tracepb.ResourceSpans{
		Resource: &resourcepb.Resource{Attributes: attributes(resource)},
		ScopeSpans: []*tracepb.ScopeSpans{
			{Scope: &commonpb.InstrumentationScope{Name: scope}, Spans: all},
		},
	}
}

// Line is one log line.
type Line struct {
	// At is its time.
	At time.Time
	// Level is its word.
	Level string
	// Severity is the level in OpenTelemetry's scale: 5 debug, 9 info, 13 warn, 17 error.
	Severity int
	// Message is what it says.
	Message string
	// Trace is that of its event in hexadecimal digits; empty is none.
	Trace string
	// Fields are what stands beside the message.
	Fields map[string]any
}

// message is the message for a log line.
func (l Line) message() *logspb.LogRecord {
	record := &logspb.LogRecord{
		TimeUnixNano: nanos(l.At), ObservedTimeUnixNano: nanos(l.At), SeverityText: l.Level,
		SeverityNumber: logspb.SeverityNumber(l.Severity), Body: text(l.Message),
	}
	if id, err := hex.DecodeString(l.Trace); err == nil && len(id) == 16 {
		record.TraceId = id
	}
	for name, value := range l.Fields {
		record.Attributes = append(record.Attributes, &commonpb.KeyValue{Key: name, Value: text(fmt.Sprint(value))})
	}
	return record
}

// Lines is the message for log lines of one resource.
func Lines(resource []attribute.KeyValue, scope string, all []Line) *logspb.ResourceLogs {
	records := make([]*logspb.LogRecord, 0, len(all))
	for _, l := range all {
		records = append(records, l.message())
	}
	return &logspb.ResourceLogs{
		Resource: &resourcepb.Resource{Attributes: attributes(resource)},
		ScopeLogs: []*logspb.ScopeLogs{
			{Scope: &commonpb.InstrumentationScope{Name: scope}, LogRecords: records},
		},
	}
}

func text(s string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: s}}
}
