package tell

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/samples"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
)

// The condition says how far the autoscaler is, of a job that runs by a spec that counts; what keeps it from scaling is
// told once.
func TestWhatIsToldOfTheAutoscaler(t *testing.T) {
	broken := plan.Present(autoscaled.Store{Data: map[string]string{"parallelismOverrides": "x"}})
	says := func(message string) func(s *world.Seen) {
		return func(s *world.Seen) {
			s.Autoscaled = broken
			s.Resource.Status.Conditions = []metav1.Condition{{
				Type: summary.Autoscaling, Reason: string(plan.ReasonAutoscalerError), Message: message,
			}}
		}
	}
	first := guesttest.NewLife(t, func(s *world.Seen) { guesttest.Autoscales(t, s); s.Autoscaled = broken })
	said, _ := autoscaling(first)
	rows := map[string]struct {
		then    func(s *world.Seen)
		problem string
		want    plan.Reason
		told    int
	}{
		"it collects":         {func(*world.Seen) {}, "", plan.ReasonAutoscalerCollecting, 0},
		"its store is broken": {func(s *world.Seen) { s.Autoscaled = broken }, "", plan.ReasonAutoscalerError, 1},
		"its samples fail": {func(s *world.Seen) {
			s.Autoscaled = plan.Present(autoscaled.Store{Samples: samples.Write(samples.Kept{Job: "a", Problem: "404"})})
		}, "", plan.ReasonAutoscalerError, 1},
		"that was told":       {says(said.Message), "", plan.ReasonAutoscalerError, 0},
		"something else was":  {says("it is full"), "", plan.ReasonAutoscalerError, 1},
		"the spec is invalid": {func(*world.Seen) {}, "it is invalid", "", 0},
		"the resource goes": {
			func(s *world.Seen) { s.Resource.DeletionTimestamp = &metav1.Time{Time: guesttest.Noon} },
			"",
			"",
			0,
		},
		"it is not asked for": {
			func(s *world.Seen) { guesttest.Optioned(t, s, guesttest.TurnedOff, guesttest.TurnedOff) },
			"",
			"",
			0,
		},
		"it was never deployed": {guesttest.NeverDeployed, "", "", 0},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) { guesttest.Autoscales(t, s); row.then(s) })
			v.Problem = row.problem
			c, _ := autoscaling(v)
			if c.Reason != string(row.want) || len(v.Events) != row.told {
				t.Errorf("%s %s, told %d; want %s, %d", c.Reason, c.Message, len(v.Events), row.want, row.told)
			}
		})
	}
}
