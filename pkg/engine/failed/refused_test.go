package failed

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A round that was refused before any other shows as one that waits.
func TestTheSituationOfARefusedRound(t *testing.T) {
	for stored, want := range map[string]plan.Situation{"": plan.Waiting, string(plan.Ended): plan.Ended} {
		v := guesttest.NewLife(t, func(s *world.Seen) { s.Resource.Status.Situation = stored })
		if got := refusedIn(v); got != want {
			t.Errorf("%q: %s, want %s", stored, got, want)
		}
	}
}
