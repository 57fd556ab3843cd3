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

// recordedScenarios are about snapshots without FlinkStateSnapshots, run by TestScenarios.
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

	"recorded savepoints from start to start": {func(h *harness) {
		for _, name := range []string{"mine", "other"} {
			h.w.Storage.Put(job.Snapshot{Path: "s3://s/savepoint-" + name, Savepoint: true, Progress: 5})
		}
		from := func(start int) string { return h.w.Flink.Starts(namespace, "demo")[start].From }
		given := func() string { return h.status("demo").JobStatus.UpgradeSavepointPath }
		h.apply(
			"demo",
			application(
				stateful("savepoint"), recorded, highlyAvailable, jobField("initialSavepointPath", "s3://s/savepoint-mine"),
			),
		)
		h.untilStable("demo")
		expect(h.t, "the first start is from", from(0), "s3://s/savepoint-mine")
		expect(h.t, "what it was given", given(), "s3://s/savepoint-mine")
		h.edit("demo", jobField("initialSavepointPath", "s3://s/savepoint-other"))
		h.untilStable("demo")
		h.sees("demo", stable, "path(savepoint)")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		first := given()
		expect(h.t, "the upgrade is from", from(1), first)
		h.edit("demo", jobState("suspended"))
		h.untilSuspended("demo")
		expect(h.t, "its JobManager", h.status("demo").JobManagerDeploymentStatus, v1beta1.JobManagerMissing)
		h.says("demo", "Running", "Finished")
		second := given()
		h.edit("demo", jobState("running"))
		h.untilStable("demo")
		expect(h.t, "the resumption is from", from(2), second)
		h.sees("demo", stable, "path(savepoint), path(savepoint), path(savepoint)")
		history := h.status("demo").JobStatus.SavepointInfo.SavepointHistory
		expect(
			h.t, "the history",
			len(history) == 2 && history[0].Location == first && history[1].Location == second && first != second, true,
		)
		h.remove("demo")
		h.untilGone("demo")
		expect(h.t, "its jobs", h.running("demo"), "-")
	}, "no record is lost: the savepoint of each stop is what the next start is from"},

	"an upgrade beside a recorded savepoint": {func(h *harness) {
		h.w.Flink.ScriptJob("demo", job.Script{SnapshotSteps: 30})
		h.apply(
			"demo",
			application(
				stateful("savepoint"), recorded, option("kubernetes.operator.job.upgrade.ignore-pending-savepoint", "true"),
			),
		)
		h.untilStable("demo")
		h.edit("demo", nonce(1))
		h.until("it is in flight", func() bool {
			info := h.status("demo").JobStatus.SavepointInfo
			return info != nil && info.TriggerID != nil
		})
		h.edit("demo", field("image", "flink:1.20.5"))
		h.until("the job is being stopped beside it", func() bool {
			s := h.status("demo")
			return s.Intent != nil && s.Intent.Stop == v1beta1.StopSavepoint
		})
		expect(h.t, "savepoints until then", h.stored(), 0) // Flink gives up a savepoint beside that of a stop
		h.untilStable("demo")
		h.untilSavepoints("demo", "2, last MANUAL")
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
		expect(
			h.t, "the first one", h.status("demo").JobStatus.SavepointInfo.SavepointHistory[0].TriggerType,
			v1beta1.SnapshotTriggerUpgrade,
		)
	}, "a user who does not want to wait has the savepoint of the next run"},

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
		h.until("it runs again", func() bool {
			return len(h.w.Flink.Starts(namespace, "demo")) == 2 &&
				h.running("demo") == "RUNNING"
		})
		h.untilSavepoints("demo", "1, last MANUAL")
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, high-availability data(checkpoint)")
	}, "a job that fails over delays a savepoint, it does not abandon it"},

	"recorded savepoints each five minutes": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), recorded,
			option("kubernetes.operator.periodic.savepoint.interval", "5 min"),
			option("kubernetes.operator.savepoint.history.max.count", "2")))
		h.untilStable("demo")
		h.pass(32 * time.Minute)
		h.edit("demo", option("kubernetes.operator.periodic.savepoint.interval", "0"))
		h.untilSavepoints("demo", "2, last PERIODIC")
		expect(h.t, "savepoints that are left", h.stored(), 2)
		h.sees("demo", stable, "nothing")
	}, "the history is no longer than asked for, and what leaves it is disposed of"},

	"snapshots by the clock, then no longer": {func(h *harness) {
		h.apply(
			"demo",
			application(stateful("savepoint"), recorded, option("kubernetes.operator.periodic.savepoint.interval", "5 min")),
		)
		h.untilStable("demo")
		h.pass(12 * time.Minute)
		h.edit("demo", func(spec map[string]any) {
			delete(spec["flinkConfiguration"].(map[string]any), "kubernetes.operator.periodic.savepoint.interval")
		})
		h.until("the edit is seen", func() bool { return h.status("demo").ObservedGeneration == 2 })
		taken := h.stored()
		h.pass(12 * time.Minute)
		expect(h.t, "savepoints after the option was taken out", h.stored(), taken)
		h.sees("demo", stable, "nothing")
	}, "an option of the operator that is gone counts no more, though the job was deployed with it"},

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
