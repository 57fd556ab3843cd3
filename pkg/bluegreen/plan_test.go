package bluegreen

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/drawing"
)

// While no side has a running job, the pass that moves the job checks each tenth of a second.
func TestAPairWithoutARunningJobChecksQuickly(t *testing.T) {
	drawn := drawing.Read(t, "../plan/requeue.go", "Requeue")
	for name, row := range map[string]struct {
		drawn    string
		decision Decision
	}{
		"another round":                   {"R1", Decision{Again: true, Soon: true}},
		"a step that ends by itself":      {"R4", Decision{Soon: true}},
		"a step during which no job runs": {"R5", Decision{Quick: true, Soon: true}},
		"nothing is under way":            {"R6", Decision{}},
	} {
		t.Run(name, func(t *testing.T) {
			view := newView(Snapshot{Now: time.Unix(0, 0), Resource: &v1beta1.FlinkBlueGreenDeployment{}})
			requeue := string(finish(view, row.decision).Requeue)
			if requeue == "" {
				requeue = "-"
			}
			if err := drawn.Holds(row.drawn, drawing.Row{"requeue": requeue}); err != nil {
				t.Error(err)
			}
		})
	}
}
