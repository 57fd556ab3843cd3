package deployment

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestRequeueIsAsDrawn(t *testing.T) {
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row string
		o   result
	}{
		"another round":            {"R1", result{situation: plan.Steady, again: true}},
		"another round, of a stop": {"R1", result{situation: plan.Stopping, again: true, pods: true}},
		"a stop":                   {"R4", result{situation: plan.Stopping}},
		"a stop, its pods end":     {"R3", result{situation: plan.Stopping, pods: true}},
		"a stop, a person acts":    {"R2", result{situation: plan.Stopping, pods: true, stall: &plan.Cause{}}},
		"the last of a deletion": {
			"R2", result{situation: plan.Deleting, finish: []plan.Action{plan.RemoveFinalizer{}}},
		},
		"a start":          {"R5", result{situation: plan.Starting}},
		"pods, but no end": {"R5", result{situation: plan.Waiting, pods: true}},
	}
	drawn := drawing.Read(t, "../requeue.go", "Requeue")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			requeue := string(row.o.requeue())
			if requeue == "" {
				requeue = "-"
			}
			if err := drawn.Holds(row.row, drawing.Row{"requeue": requeue}); err != nil {
				t.Error(err)
			}
		})
	}
	if err := drawn.Shown("Requeue", shown...); err != nil {
		t.Error(err)
	}
}
