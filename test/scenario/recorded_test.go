package scenario

import (
	"fmt"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

func init() {
	for name, s := range recordedScenarios {
		scenarios[name] = s
	}
}

// recorded keeps snapshots in the job's own status.
func recorded(spec map[string]any) {
	option("kubernetes.operator.snapshot.resource.enabled", "false")(spec)
}

func nonce(n int64) change { return jobField("savepointTriggerNonce", n) }

// savepoints are those that the status names: how many there are in the history, and why the last one was taken.
func (h *harness) savepoints(name string) string {
	h.t.Helper()
	info := h.status(name).JobStatus.SavepointInfo
	if info == nil || info.LastSavepoint == nil {
		return "none"
	}
	if info.TriggerID != nil {
		return "in flight"
	}
	return fmt.Sprintf("%d, last %s", len(info.SavepointHistory), info.LastSavepoint.TriggerType)
}

// stored counts the savepoints that there are.
func (h *harness) stored() int {
	n := 0
	for _, s := range h.w.Storage.Snapshots() {
		if s.Savepoint {
			n++
		}
	}
	return n
}

func (h *harness) untilSavepoints(name, want string) {
	h.t.Helper()
	h.until("the savepoints of "+name+" are "+want, func() bool { return h.savepoints(name) == want })
}

// recordedScenarios are about snapshots without FlinkStateSnapshots.
var recordedScenarios = map[string]scenario{
	"a savepoint recorded in status": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), recorded))
		h.untilStable("demo")
		h.edit("demo", nonce(1), jobField("checkpointTriggerNonce", int64(1)))
		h.untilSavepoints("demo", "1, last MANUAL")
		h.until("the checkpoint is recorded", func() bool {
			info := h.status("demo").JobStatus.CheckpointInfo
			return info != nil && info.LastCheckpoint != nil && info.TriggerID == nil
		})
		expect(h.t, "savepoints for one nonce", h.stored(), 1)
		h.edit("demo", nonce(2))
		h.untilSavepoints("demo", "2, last MANUAL")
		expect(h.t, "savepoints for two nonces", h.stored(), 2)
		h.untilStable("demo")
		h.sees("demo", stable, "nothing")
		h.tells("demo", "JobStatusChanged Submit")
	}, "one nonce is one savepoint, wherever a pass dies"},

	"an upgrade waits for a recorded savepoint": {func(h *harness) {
		h.w.Flink.ScriptJob("demo", job.Script{SnapshotSteps: 10})
		h.apply("demo", application(stateful("savepoint"), recorded))
		h.untilStable("demo")
		h.edit("demo", nonce(1))
		h.until("it is in flight", func() bool {
			info := h.status("demo").JobStatus.SavepointInfo
			return info != nil && info.TriggerID != nil
		})
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
		expect(h.t, "the savepoints", h.savepoints("demo"), "2, last UPGRADE")
		history := h.status("demo").JobStatus.SavepointInfo.SavepointHistory
		expect(h.t, "the first one", history[0].TriggerType, v1beta1.SnapshotTriggerManual)
	}, "what was asked for first is done first, and both are in the history"},

	"a recorded savepoint outlives a fail-over": {func(h *harness) {
		h.w.Flink.ScriptJob("demo", job.Script{SnapshotSteps: 1000})
		h.apply("demo", application(stateful("savepoint"), recorded, highlyAvailable))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", nonce(1))
		h.until("it is in flight", func() bool {
			info := h.status("demo").JobStatus.SavepointInfo
			return info != nil && info.TriggerID != nil
		})
		h.w.Flink.ScriptJob("demo", job.Script{})
		h.w.Nodes.Crash(namespace, h.jobManagerPod("demo"), "oom")
		h.until("it runs again", func() bool { return len(h.w.Flink.Starts(namespace, "demo")) == 2 && h.running("demo") == "RUNNING" })
		h.untilSavepoints("demo", "1, last MANUAL")
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, high-availability data(checkpoint)")
	}, "a job that fails over delays a savepoint, it does not abandon it"},

	"recorded savepoints each five minutes": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), recorded,
			option("kubernetes.operator.periodic.savepoint.interval", "5 min"), option("kubernetes.operator.savepoint.history.max.count", "2")))
		h.untilStable("demo")
		h.pass(32 * time.Minute)
		h.edit("demo", option("kubernetes.operator.periodic.savepoint.interval", "0"))
		h.untilSavepoints("demo", "2, last PERIODIC")
		expect(h.t, "savepoints that are left", h.stored(), 2)
		h.sees("demo", stable, "nothing")
	}, "the history is no longer than asked for, and what leaves it is disposed of"},

	"a recorded savepoint that fails": {func(h *harness) {
		h.w.Flink.ScriptJob("demo", job.Script{SnapshotFails: "the store is full"})
		h.apply("demo", application(stateful("savepoint"), recorded))
		h.untilStable("demo")
		h.edit("demo", nonce(1))
		h.until("the failure is told", func() bool { return strings.Contains(h.reasons("demo"), "SavepointError") })
		h.w.Flink.ScriptJob("demo", job.Script{})
		h.untilSavepoints("demo", "1, last MANUAL")
		expect(h.t, "savepoints", h.stored(), 1)
		h.sees("demo", stable, "nothing")
	}, "within its grace period it is asked for again"},

	"suspended with a recorded savepoint": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), recorded))
		h.untilStable("demo")
		h.edit("demo", jobState("suspended"))
		h.untilSuspended("demo")
		expect(h.t, "the savepoints", h.savepoints("demo"), "1, last UPGRADE")
		h.edit("demo", jobState("running"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
		expect(h.t, "the savepoints", h.savepoints("demo"), "1, last UPGRADE")
	}, "the record outlives the job"},
}
