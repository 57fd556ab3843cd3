package main

import (
	"net/http"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
	"github.com/kn-flink/kn-flink/pkg/telemetry/otlp"
	"github.com/kn-flink/kn-flink/test/otlpsim"
)

// TestAPassIsCountedBeforeItsEventIsAnswered: the pod may be frozen or gone after the answer.
func TestAPassIsCountedBeforeItsEventIsAnswered(t *testing.T) {
	collector := otlpsim.New(t)
	measured, err := metrics.New(metrics.Setup{
		Function: component, Namespace: "flink-system", Endpoint: otlp.Endpoint{URL: collector.URL, Timeout: time.Minute},
		Now: time.Now, Log: zap.NewNop().Sugar(),
	})
	if err != nil {
		t.Fatal(err)
	}
	i := installWith(t, measured)
	if answer := i.post(change()); answer.Code != http.StatusOK {
		t.Fatalf("answer %d", answer.Code)
	}
	kind := "flink.resource.kind=FlinkDeployment"
	if got := collector.Count(string(metrics.PassDuration), kind); got != 1 {
		t.Errorf("%d passes, want 1", got)
	}
	if got := collector.Total(string(metrics.Rounds), kind); got < 3 {
		t.Errorf("%v rounds, want those of a first start", got)
	}
	for _, action := range []string{"AddFinalizer", "PrepareStart", "Release"} {
		if got := collector.Total(string(metrics.Effects), kind, "flink.operator.action="+action); got != 1 {
			t.Errorf("%s: %v times, want once", action, got)
		}
	}
	if got := collector.Total(string(metrics.Effects), "error.type=Transient"); got != 0 {
		t.Errorf("%v effects failed", got)
	}
	to := []string{kind, "k8s.namespace.name=flink", "flink.state=DEPLOYED"}
	if got := collector.Total(string(metrics.Transitions), to...); got != 1 {
		t.Errorf("%v changes to DEPLOYED, want 1", got)
	}
	if got := collector.Count(string(metrics.CallDuration), "peer.service=broker"); got == 0 {
		t.Error("the posts to the Broker are not measured")
	}
}
