package decision

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestRequeueIsAsDrawn(t *testing.T) {
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row string
		o   Result
	}{
		"another round":            {"R1", Result{Situation: plan.Steady, Again: true}},
		"another round, of a stop": {"R1", Result{Situation: plan.Stopping, Again: true, Pods: true}},
		"a stop":                   {"R4", Result{Situation: plan.Stopping}},
		"a stop, its pods end":     {"R3", Result{Situation: plan.Stopping, Pods: true}},
		"a stop, a person acts":    {"R2", Result{Situation: plan.Stopping, Pods: true, Stall: &plan.Cause{}}},
		"the last of a deletion": {
			"R2", Result{Situation: plan.Deleting, Finish: []plan.Action{plan.RemoveFinalizer{}}},
		},
		"a start":          {"R6", Result{Situation: plan.Starting}},
		"pods, but no end": {"R6", Result{Situation: plan.Waiting, Pods: true}},
	}
	drawn := drawing.Read(t, "../../plan/requeue.go", "Requeue")
	shown := []string{"R5"} // of a pair during its handover: TestAPairWithoutARunningJobChecksQuickly in pkg/bluegreen
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			requeue := string(row.o.Requeue())
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
