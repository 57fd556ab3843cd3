package main

import (
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/startup"
	"github.com/kn-flink/kn-flink/pkg/telemetry/otlp"
	"github.com/kn-flink/kn-flink/pkg/telemetry/records"
	"github.com/kn-flink/kn-flink/test/otlpsim"
)

// TestATraceGoesOnWithWhatAPassPublishes: the event's trace has the pass, its requests and its log lines. An event that
// the pass publishes is below the pass.
func TestATraceGoesOnWithWhatAPassPublishes(t *testing.T) {
	const trace, above = "0123456789abcdef0123456789abcdef", "1122334455667788"
	c, i := otlpsim.NewRecords(t), install(t)
	noted, err := records.New(records.Setup{
		Function: "reconcile", Rate: 1, Now: time.Now, Log: zap.NewNop().Sugar(),
		Traces: otlp.Endpoint{Signal: otlp.Traces, URL: c.URL + "/v1/traces", Timeout: 10 * time.Second},
		Logs:   otlp.Endpoint{Signal: otlp.Logs, URL: c.URL + "/v1/logs", Timeout: 10 * time.Second},
	})
	if err != nil {
		t.Fatal(err)
	}
	f, s := &startup.Function{Client: i.function(nil).Client, Records: noted}, i.settings
	s.Extensions.Validators = []flinkconf.Extension{{
		Name: "down", URL: "http://127.0.0.1:1/rules", Kinds: []string{"FlinkDeployment"}, Timeout: time.Second, Ignore: true,
	}}
	handler, err := newHandler(f, s, i.kube.Clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	i.handler = noted.Handler(handler)
	event := change()
	event.Set("Ce-Traceparent", "00-"+trace+"-"+above+"-00")
	i.post(event)

	process, pass := c.Span(t, "process dev.knative.apiserver.ref.update"), c.Span(t, "pass")
	if hex.EncodeToString(process.ParentSpanId) != above || string(pass.ParentSpanId) != string(process.SpanId) {
		t.Errorf("the event is below %x, and the pass below %x", process.ParentSpanId, pass.ParentSpanId)
	}
	if got := otlpsim.Texts(pass.Attributes)["key"]; got != "flink/FlinkDeployment/demo" {
		t.Errorf("a pass of %q", got)
	}
	peers := map[string]bool{}
	for _, s := range c.Spans() {
		if hex.EncodeToString(s.TraceId) != trace {
			t.Errorf("span %s is of trace %x", s.Name, s.TraceId)
		}
		peers[otlpsim.Texts(s.Attributes)["peer.service"]] = true
	}
	if !peers["broker"] || !peers["extension"] {
		t.Errorf("spans of requests to %v only, want those to the Broker and to the validator, too", peers)
	}
	for _, parent := range i.traceparents {
		if !strings.HasPrefix(parent, "00-"+trace+"-"+hex.EncodeToString(pass.SpanId)) {
			t.Errorf("an event was published with traceparent %s, and the pass is %x", parent, pass.SpanId)
		}
	}
	rounds := 0
	for _, l := range c.Lines() {
		if l.Body.GetStringValue() == "round" && hex.EncodeToString(l.TraceId) == trace {
			rounds++
		}
	}
	if rounds == 0 || len(i.traceparents) == 0 {
		t.Errorf("%d rounds in the log, %d events", rounds, len(i.traceparents))
	}
}
