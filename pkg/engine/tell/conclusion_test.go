package tell

import (
	"slices"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// The clock looks often while something is under way: who stores that it is wakes it, and nobody else does.
func TestWhoWakesTheClock(t *testing.T) {
	rows := map[string]struct {
		stored v1beta1.Pace
		r      decision.Result
		again  bool // the round before stored the same
		want   bool
	}{
		"an operation begins": {
			v1beta1.PaceSlow,
			decision.Result{Situation: plan.Stopping, Record: "intent"},
			false,
			true,
		},
		"something is waited for":       {v1beta1.PaceSlow, decision.Result{Situation: plan.Waiting}, false, true},
		"it is waited for, as recorded": {v1beta1.PaceFast, decision.Result{Situation: plan.Waiting}, true, false},
		"all is well":                   {v1beta1.PaceFast, decision.Result{Situation: plan.Steady}, false, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) { s.Resource.Status.Pace = row.stored })
			if row.again {
				status, _ := Plan(v, row.r).Status.(*v1beta1.FlinkDeploymentStatus)
				v = guesttest.NewLife(t, func(s *world.Seen) { s.Resource.Status = *status })
			}
			if got := slices.Contains(Plan(v, row.r).Actions, plan.Action(plan.WakeClock{})); got != row.want {
				t.Errorf("woken: %t, want %t", got, row.want)
			}
		})
	}
}
