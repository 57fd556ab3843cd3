package failed

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// What is refused is tried at each look for ten seconds, then less and less.
func TestWhenARefusedActionIsTriedAgain(t *testing.T) {
	remove := plan.RemoveFinalizer{Finalizer: "f"}
	since := func(d time.Duration) *metav1.Time { at := metav1.NewTime(guesttest.Noon.Add(-d)); return &at }
	before := func(effect string) *v1beta1.Refused { return &v1beta1.Refused{Effect: effect} }
	for name, row := range map[string]struct {
		action plan.Action
		before *v1beta1.Refused
		moves  *metav1.Time
		counts bool
	}{
		"none":                                {nil, nil, nil, false},
		"one that nobody refuses":             {plan.WakeClock{}, nil, nil, false},
		"one of a movement that just began":   {remove, nil, since(9 * time.Second), false},
		"one of a movement of ten seconds":    {remove, nil, since(10 * time.Second), true},
		"one of no movement":                  {remove, nil, nil, true},
		"one that was refused before":         {remove, before(remove.String()), since(time.Second), true},
		"another one that was refused before": {remove, before("another"), since(time.Second), false},
	} {
		v := guesttest.NewLife(t, func(s *world.Seen) {
			s.Resource.Status.Refused, s.Resource.Status.PaceSince = row.before, row.moves
		})
		if _, counts := Again(v, row.action, "Forbidden", "no"); counts != row.counts {
			t.Errorf("%s: counted %t, want %t", name, counts, row.counts)
		}
	}
}
