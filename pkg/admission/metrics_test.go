package admission

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
	"github.com/kn-flink/kn-flink/pkg/telemetry/otlp"
	"github.com/kn-flink/kn-flink/test/otlpsim"
)

func TestReviewsAreCountedByTheirOutcome(t *testing.T) {
	collector := otlpsim.New(t)
	measured, err := metrics.New(metrics.Setup{
		Function: "admit", Endpoint: otlp.Endpoint{URL: collector.URL, Timeout: time.Minute}, Now: time.Now,
		Log: zap.NewNop().Sugar(),
	})
	if err != nil {
		t.Fatal(err)
	}
	send := func(judge Judge, path, body string) {
		h := measured.Handler(Handler{Judge: judge, Log: zap.NewNop().Sugar(), Metrics: measured})
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", path, strings.NewReader(body)))
	}
	good := review("CREATE", "FlinkSessionJob", plain)
	send(nothing, ValidatePath, good)
	send(warning, ValidatePath, good)
	send(wrong, ValidatePath, good)
	send(nothing, MutatePath, good)
	send(nothing, ValidatePath, "no review")
	send(broken, ValidatePath, good)
	send(panics, ValidatePath, good)
	for labels, want := range map[string]uint64{
		"/validate allowed": 2, "/validate denied": 1, "/mutate allowed": 1, "/validate failed": 3,
	} {
		path, outcome, _ := strings.Cut(labels, " ")
		got := collector.Count(
			string(metrics.ReviewDuration), "flink.operator.review.path="+path, "flink.operator.review.outcome="+outcome,
		)
		if got != want {
			t.Errorf("%s: %d reviews, want %d", labels, got, want)
		}
	}
}
