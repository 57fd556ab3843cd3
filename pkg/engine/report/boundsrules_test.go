package report

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func TestInWhichSituationSomethingFailed(t *testing.T) {
	at := metav1.NewTime(guesttest.Noon)
	lost := &v1beta1.LostProgress{Suspected: &at}
	for name, row := range map[string]struct {
		stored plan.Situation
		lost   *v1beta1.LostProgress
		want   plan.Situation
	}{
		"none yet":                                  {"", nil, plan.Waiting},
		"its state is lost":                         {plan.StateLost, nil, plan.Waiting},
		"nobody knows what became of it":            {plan.Unaccounted, nil, plan.Waiting},
		"it is steady":                              {plan.Steady, nil, plan.Steady},
		"it is steady, and may have lost progress":  {plan.Steady, lost, plan.Waiting},
		"it is stopped":                             {plan.Stopping, nil, plan.Stopping},
		"it is stopped, and may have lost progress": {plan.Stopping, lost, plan.Stopping},
	} {
		v := guesttest.NewLife(t, func(s *world.Seen) {
			s.Resource.Status.Situation, s.Resource.Status.LostProgress = string(row.stored), row.lost
		})
		if got := TriedIn(v); got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}
