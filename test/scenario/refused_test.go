package scenario

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// A quota or missing rights refuse the FlinkStateSnapshot of the savepoint that a job was stopped with, and the pass
// dies right then: the path is known all the same, whatever becomes of the JobManager that knew it.
func TestARefusedSnapshotsSavepointIsKnown(t *testing.T) {
	creates := wire.On("create", "flinkstatesnapshots")
	faults := map[string]wire.Fault{
		"refused":             {Match: creates, Status: 403},
		"the pass dies there": {Match: creates, Kill: true},
	}
	for _, name := range names(faults) {
		for verb, edit := range map[string]change{"suspended": jobState("suspended"), "changed": parallelism(4)} {
			for host, onSession := range map[string]bool{"an application": false, "a session job": true} {
				t.Run(name+", "+verb+", "+host, func(t *testing.T) {
					h := newHarness(t)
					h.onSession = onSession
					refusesSnapshot(h, faults[name], edit)
				})
			}
		}
	}
}

// refusesSnapshot holds that the savepoint of an edit is known when its FlinkStateSnapshot cannot be made.
func refusesSnapshot(h *harness, fault wire.Fault, edit change) {
	h.apply(demo, application(stateful("savepoint")))
	h.untilStable(demo)
	hit := false
	fault.Do = func() {
		hit = true
		if path := h.status(demo).JobStatus.UpgradeSavepointPath; !strings.HasPrefix(path, "s3://s/savepoint-") {
			h.t.Errorf("nothing names the savepoint but the JobManager; status has %q", path)
		}
	}
	clear := h.w.Tap.Inject(fault)
	h.edit(demo, edit)
	h.until("the snapshot is refused", func() bool { return hit })
	if h.resource(demo).Object["spec"].(map[string]any)["job"].(map[string]any)["state"] == "suspended" {
		h.untilSuspended(demo)
		h.edit(demo, jobState("running"))
	}
	clear()
	h.untilStable(demo)
	h.sees(demo, stable, "nothing, path(savepoint)")
}
