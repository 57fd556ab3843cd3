package telemetry

import (
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

func TestATraceGoesFromEventToEvent(t *testing.T) {
	const given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	first := WithTrace(t.Context(), given, "/source", "1")
	if got := TraceOf(first); got != "4bf92f3577b34da6a3ce929d0e0e4736" {
		t.Errorf("trace %q", got)
	}
	next := Traceparent(first, "2")
	if second := WithTrace(t.Context(), next, "/other", "2"); TraceOf(second) != TraceOf(first) || next == given {
		t.Errorf("%s follows %s", next, given)
	}
	if got := Traceparent(t.Context(), "3"); got != "" || TraceOf(t.Context()) != "" {
		t.Errorf("a trace from nowhere: %q", got)
	}
}

func TestAnEventWithoutATraceHasTheSameInEachPod(t *testing.T) {
	for _, wrong := range []string{"", "nonsense", "00-short-00f067aa0ba902b7-01"} {
		one, same := WithTrace(t.Context(), wrong, "/s", "1"), WithTrace(t.Context(), "", "/s", "1")
		other := WithTrace(t.Context(), "", "/s", "2")
		if len(TraceOf(one)) != 32 || TraceOf(one) != TraceOf(same) || TraceOf(one) == TraceOf(other) {
			t.Errorf("%q: %s, %s, %s", wrong, TraceOf(one), TraceOf(same), TraceOf(other))
		}
	}
}

func TestLinesHaveTheTrace(t *testing.T) {
	core, lines := observer.New(zap.InfoLevel)
	log := zap.New(core).Sugar()
	ctx := WithTrace(t.Context(), "", "/s", "1")
	Traced(ctx, log).Infow("round")
	Traced(t.Context(), log).Infow("start")
	all := lines.All()
	if got := all[0].ContextMap()[TraceID]; got != TraceOf(ctx) {
		t.Errorf("trace %v", got)
	}
	if _, there := all[1].ContextMap()[TraceID]; there || strings.Contains(all[1].Message, "trace") {
		t.Error("a line without an event has a trace")
	}
}
