package event

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	"go.uber.org/zap"

	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// TestOneTraceGoesFromTheSourceThroughTheFunctions: from an event by a Broker to what the first function posts.
func TestOneTraceGoesFromTheSourceThroughTheFunctions(t *testing.T) {
	var traces []string
	second := httptest.NewServer(Receiver{
		Handle: func(ctx context.Context, _ cloudevents.Event) error {
			traces = append(traces, telemetry.TraceOf(ctx))
			return nil
		},
		Log: zap.NewNop().Sugar(),
	})
	defer second.Close()
	first := Receiver{
		Handle: func(ctx context.Context, _ cloudevents.Event) error {
			traces = append(traces, telemetry.TraceOf(ctx))
			e, err := Make(TypePassRequested, Head{
				ID: "2", Source: "/functions/observe", Time: time.Unix(1, 0),
				Key: Key{Kind: "FlinkDeployment", Namespace: "flink", Name: "demo"},
			}, nil)
			if err != nil {
				return err
			}
			return Publisher{URL: second.URL}.Publish(ctx, e)
		},
		Log: zap.NewNop().Sugar(),
	}
	post := func(more http.Header) {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(""))
		r.Header = more
		for name, value := range map[string]string{"specversion": "1.0", "id": "1", "source": "/s", "type": "t"} {
			r.Header.Set("Ce-"+name, value)
		}
		answer := httptest.NewRecorder()
		if first.ServeHTTP(answer, r); answer.Code != http.StatusOK {
			t.Fatalf("answer %d", answer.Code)
		}
	}
	const given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	post(http.Header{})
	post(http.Header{"Traceparent": {given}})
	post(http.Header{"Ce-Traceparent": {given}, "Traceparent": {strings.ReplaceAll(given, "4", "5")}})
	const want = "4bf92f3577b34da6a3ce929d0e0e4736"
	if len(traces) != 6 || len(traces[0]) != 32 || traces[0] != traces[1] || traces[2] != want || traces[3] != want ||
		traces[4] != want || traces[5] != want {
		t.Errorf("traces %v", traces)
	}
}
