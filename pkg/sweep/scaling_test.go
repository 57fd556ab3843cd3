package sweep

import (
	"context"
	"errors"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
)

func TestASampleThatCannotBeTakenIsCounted(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for name, row := range map[string]struct {
		ctx  context.Context
		kind fail.Kind
		want float64
	}{
		"Flink does not answer": {t.Context(), fail.Transient, 1},
		"it may not be kept":    {t.Context(), fail.Denied, 1},
		"another one kept one":  {t.Context(), fail.Conflict, 0},
		"it is looked at again": {ended, fail.Transient, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, 0)
			collector, push := f.measured(t)
			key := event.Key{Kind: v1beta1.KindFlinkSessionJob, Namespace: "flink", Name: "etl"}
			f.dropped(row.ctx, measured{key: key}, fail.As(row.kind, "take a sample", "No", errors.New("no")))
			push()
			got := collector.Total(string(metrics.Cycles), "flink.resource.kind=FlinkSessionJob", "k8s.namespace.name=flink",
				"flink.resource.name=etl", "flink.operator.autoscaler.outcome=Failed", "error.type="+string(row.kind))
			if got != row.want {
				t.Errorf("%v cycles failed, want %v", got, row.want)
			}
		})
	}
}
