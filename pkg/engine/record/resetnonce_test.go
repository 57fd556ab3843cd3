package record

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
)

// A nonce that resets the autoscaler is recorded with a start only where nothing is kept any more: what is kept would
// bring the old size back.
func TestWhenAResetIsRecorded(t *testing.T) {
	kept := plan.Present(autoscaled.Store{Data: map[string]string{"parallelismOverrides": "x"}})
	rows := map[string]struct {
		on       string
		store    plan.Observed[autoscaled.Store]
		recorded bool
	}{
		"something is kept":           {"true", kept, false},
		"nobody could look":           {"true", plan.Unknown[autoscaled.Store]("Forbidden"), false},
		"it was emptied":              {"true", plan.Present(autoscaled.Store{}), true},
		"nothing was ever kept":       {"true", plan.Absent[autoscaled.Store](), true},
		"the autoscaler is not asked": {"false", plan.Observed[autoscaled.Store]{}, true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			nonce := int64(2)
			v := guesttest.NewLife(t, func(s *world.Seen) {
				s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"job.autoscaler.enabled":"` + row.on + `"}`)
				s.Resource.Spec.Job.AutoscalerResetNonce, s.Autoscaled = &nonce, row.store
			})
			target := *v.Spec.DeepCopy()
			keepNonces(v, &target)
			if got := target.Job.AutoscalerResetNonce; (got != nil) != row.recorded {
				t.Errorf("recorded %v, want it recorded: %t", got, row.recorded)
			}
		})
	}
}
