package scenario

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// FlinkStateSnapshots are refused for good, as by a quota or a policy: the job is upgraded, and its resource says what
// is refused. What is for others keeps nothing out of the status. No story of TestScenarios holds this: after a crash
// in the middle of the upgrade, the refusal may be in no status.
func TestSnapshotsThatAreRefusedForGoodHoldUpNoUpgrade(t *testing.T) {
	for host, onSession := range map[string]bool{"an application": false, "a session job": true} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			h.onSession = onSession
			h.apply("demo", application(stateful("savepoint"), highlyAvailable))
			h.untilStable("demo")
			answers := h.w.Tap.Inject(wire.Fault{
				Match: wire.On("create", "flinkstatesnapshots"), Status: http.StatusForbidden,
			})
			h.refused = true
			h.edit("demo", nonce(1), parallelism(4))
			h.until("it runs and says what is refused", func() bool {
				return strings.HasPrefix(h.condition("demo", "JobRunning"), "True") &&
					strings.Contains(h.condition("demo", "Stalled"), "Forbidden")
			})
			answers()
			h.until("it is ready", func() bool { return strings.HasPrefix(h.condition("demo", "Ready"), "True") })
			h.sees("demo", stable, "nothing, path(savepoint)")
		})
	}
}
