package purity

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func TestWhatIsNotPure(t *testing.T) {
	r, calls := &v1beta1.FlinkDeployment{}, 0
	rows := map[string]struct {
		decide func() plan.Plan
		pure   bool
	}{
		"it decides the same": {func() plan.Plan { return plan.Plan{Rule: "a"} }, true},
		"it changes what was read": {func() plan.Plan {
			r.Generation = 7
			return plan.Plan{}
		}, false},
		"it writes another status": {func() plan.Plan {
			calls++
			return plan.Plan{Status: &v1beta1.FlinkDeploymentStatus{ObservedGeneration: int64(calls)}}
		}, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			r.Generation = 0
			if _, err := Decide(r, row.decide); (err == nil) != row.pure {
				t.Errorf("%v, want it to be pure: %t", err, row.pure)
			}
		})
	}
}
