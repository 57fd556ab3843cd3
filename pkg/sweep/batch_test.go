package sweep

import (
	"fmt"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// TestACrowdIsLookedAtByTheTick: while many resources move, the changes of their Deployments cost no request.
func TestACrowdIsLookedAtByTheTick(t *testing.T) {
	for name, row := range map[string]struct {
		moving int
		after  time.Duration
		gone   bool
		looks  bool
	}{
		"a few":                            {batchFrom - 1, time.Second, false, true},
		"a batch":                          {batchFrom, time.Second, false, false},
		"a batch, and the Deployment went": {batchFrom, time.Second, true, true},
		"a batch, but no tick came":        {batchFrom, batchFor, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, row.moving)
			for i := range row.moving {
				status := map[string]any{"pace": string(v1beta1.PaceFast), "situation": "Waiting"}
				if _, err := f.kube.UpdateStatus(
					kubesim.FlinkDeployments, "flink", fmt.Sprintf("demo-%04d", i), status,
				); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // a sweep, which wakes the clock, and a tick of its new pace
				if err := f.Tick(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			f.kube.Clock.Advance(row.after)
			f.tap.Forget()
			if err := f.Look(t.Context(), "flink", "demo-0000", row.gone); err != nil {
				t.Fatal(err)
			}
			if looked := f.tap.Count(func(wire.Request) bool { return true }) > 0; looked != row.looks {
				t.Errorf("looked: %t, want %t", looked, row.looks)
			}
		})
	}
}
