package scenario

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// What stands between us and the clock: the webhook of Knative Eventing is asked about each change of a PingSource.
func TestAnUnwritableClockHoldsUpNothing(t *testing.T) {
	for _, name := range names(clockFaults) {
		for host, onSession := range map[string]bool{"an application": false, "a session job": true} {
			t.Run(name+", "+host, func(t *testing.T) {
				h := newHarness(t)
				h.onSession = onSession
				h.w.Tap.Inject(clockFaults[name])
				h.apply(demo, application())
				if took := h.took("the start", h.settled(demo, "STABLE")); took > 2*time.Minute {
					t.Errorf("a start took %s", took)
				}
				h.untilStable(demo)
				h.edit(demo, parallelism(4))
				if took := h.took("the upgrade", h.settled(demo, "STABLE")); took > 2*time.Minute {
					t.Errorf("an upgrade took %s", took)
				}
				h.remove(demo)
				if took := h.took("the deletion", func() bool { return h.resource(demo) == nil }); took > 2*time.Minute {
					t.Errorf("a deletion took %s", took)
				}
			})
		}
	}
}

// clockFaults keep a pass from writing the clock.
var clockFaults = map[string]wire.Fault{
	"the webhook is down":        {Match: wakes, Status: 500},
	"the webhook does not reply": {Match: wakes, Err: wire.Timeout},
	"the pass may not":           {Match: wakes, Status: 403},
	"nobody may write it":        {Match: wire.On("patch", "pingsources"), Status: 500},
	"the pass may not even look": {Match: func(r wire.Request) bool {
		return r.Agent == "reconcile" &&
			r.Resource == "pingsources"
	}, Status: 403},
}

func wakes(r wire.Request) bool {
	return r.Agent == "reconcile" && r.Verb == "patch" && r.Resource == "pingsources"
}
