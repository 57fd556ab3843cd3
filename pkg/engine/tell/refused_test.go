package tell

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/restarts"
)

// What was refused is left out, and with it all that is done after it; what is done before it is done again.
func TestWhatFollowsARefusedActionIsLeftOut(t *testing.T) {
	refused := plan.CancelJob{JobID: "refused"}
	before, after := plan.CancelJob{JobID: "before"}, plan.CancelJob{JobID: "after"}
	v := guesttest.NewLife(t, func(s *world.Seen) {
		s.Resource.Status.Refused = &v1beta1.Refused{Effect: refused.String(), Retry: v1beta1.Retry{
			Generation: 1, After: metav1.NewTime(guesttest.Noon.Add(time.Minute)),
		}}
	})
	r := decision.Result{
		Actions: []plan.Action{before}, Finish: []plan.Action{before, refused, after}, Last: []plan.Action{after},
	}
	if held := holdRefused(v, &r); !held || len(r.Actions) != 1 || len(r.Finish) != 1 || len(r.Last) != 0 {
		t.Errorf("held %t: %v, %v, %v", held, r.Actions, r.Finish, r.Last)
	}
}

// The next attempt is told of what is waited for, and of the spec that it is for.
func TestWhenTheNextAttemptIs(t *testing.T) {
	soon, later := metav1.NewTime(guesttest.Noon.Add(time.Minute)), metav1.NewTime(guesttest.Noon.Add(time.Hour))
	rows := map[string]struct {
		waitsFor   plan.Reason
		generation int64 // of what was refused; the spec's is 1
		want       time.Time
	}{
		"what was refused":                   {"Forbidden", 1, soon.Time},
		"what was refused, and is not asked": {"Forbidden", 0, time.Time{}},
		"what failed":                        {"StopFailed", 1, later.Time},
		"something else":                     {"JobNotRunning", 1, time.Time{}},
		"a restart, and none is due":         {restarts.Pending, 1, time.Time{}},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				s.Resource.Status.Refused = &v1beta1.Refused{Retry: v1beta1.Retry{
					Generation: row.generation, Reason: "Forbidden", After: soon,
				}}
				s.Resource.Status.Retry = &v1beta1.Retry{Reason: "StopFailed", After: later}
			})
			if got := nextAttempt(v, row.waitsFor); !got.Equal(row.want) {
				t.Errorf("at %s, want %s", got, row.want)
			}
		})
	}
}
