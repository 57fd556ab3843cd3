package scenario

import (
	"maps"
	"strings"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

func init() { maps.Copy(scenarios, retentionScenarios) }

// retention says which checkpoints outlive the job that made them.
func retention(policy string) change {
	return option("execution.checkpointing.externalized-checkpoint-retention", policy)
}

// withoutSavepoints takes the directory of savepoints away.
func withoutSavepoints(spec map[string]any) {
	delete(spec["flinkConfiguration"].(map[string]any), "execution.checkpointing.savepoint-dir")
}

// untilLost waits until a person is told that the state is lost, and what to do.
func (h *harness) untilLost(name string) {
	h.t.Helper()
	h.until("the loss is told", func() bool {
		patch := "kubectl patch " + strings.ToLower(kindName(h.kindOf(name)))
		return strings.Contains(h.condition(name, "StateSafe"), patch)
	})
}

// retentionScenarios are jobs whose checkpoints do not outlive a cancellation, and those that lost them.
var retentionScenarios = map[string]scenario{
	"last state, and a cancellation deletes checkpoints": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), retention("DELETE_ON_CANCELLATION")))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "what may not outlive a cancellation is saved before it"},

	"last state, and checkpoints go with the job": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), retention("NO_EXTERNALIZED_CHECKPOINTS")))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", jobState("suspended"))
		h.untilSuspended("demo")
		h.edit("demo", jobState("running"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "a suspension is no other than an upgrade"},

	"last state by cancellation, and that deletes checkpoints": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), highlyAvailable, retention("DELETE_ON_CANCELLATION"),
			option("kubernetes.operator.job.upgrade.last-state.job-cancel.enabled", "true")))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, high-availability data(checkpoint)")
	}, "the high-availability data has what the cancellation would delete"},

	"a cancellation deletes checkpoints, and there is no place for savepoints": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), retention("DELETE_ON_CANCELLATION"), withoutSavepoints))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", parallelism(4))
		h.untilSituation("demo", "Refused")
		h.says("demo", "Stalled", "execution.checkpointing.savepoint-dir")
		expect(h.t, "what runs", h.starts("demo"), "nothing")
		h.edit("demo", option("execution.checkpointing.savepoint-dir", "s3://s"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "the spec that asks for the change may name the place"},

	"suspended while a cancellation deletes checkpoints, and there is no place for savepoints": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), retention("DELETE_ON_CANCELLATION"), withoutSavepoints))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", jobState("suspended"))
		h.untilSituation("demo", "Refused")
		h.says("demo", "Stalled", "CheckpointsNotRetained")
		expect(h.t, "the job", h.running("demo"), "RUNNING")
		h.edit("demo", option("execution.checkpointing.savepoint-dir", "s3://s"))
		h.untilSuspended("demo")
		h.edit("demo", jobState("running"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "it runs on, and says why, until there is a place for what it had done"},

	"an edit while nobody knows whether a cancellation deletes checkpoints": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), retention("RETAIN_ON_CANCELLATION")))
		h.untilStable("demo")
		h.checkpoints("demo")
		unknown := true
		f := wire.Fault{Status: 500, Match: func(q wire.Request) bool {
			return unknown && strings.HasSuffix(q.Path, "/checkpoints/config")
		}}
		h.standing = append(h.standing, f)
		h.w.Tap.Inject(f)
		h.edit("demo", parallelism(4))
		h.until("the edit waits", func() bool {
			return strings.Contains(h.condition("demo", "Reconciling"), "CheckpointRetentionUnknown")
		})
		h.steps(60)
		expect(h.t, "its starts", h.starts("demo"), "nothing")
		unknown = false
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(checkpoint)")
	}, "nothing is cancelled before that is known"},

	"another Flink version, and a cancellation deletes checkpoints": {func(h *harness) {
		h.apply(
			"demo",
			application(stateful("last-state"), highlyAvailable, retention("DELETE_ON_CANCELLATION"), withoutSavepoints),
		)
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", field("image", "flink:2.2"), field("flinkVersion", "v2_2"))
		h.untilSituation("demo", "Refused")
		expect(h.t, "what runs", h.starts("demo"), "nothing")
	}, "nothing that the next version could start from would be left"},

	"an edit of a failing job whose checkpoints a cancellation deletes": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), retention("DELETE_ON_CANCELLATION")))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.flink("demo", func(j *job.Job) { j.Script.KeepsRestarting = true })
		h.edit("demo", parallelism(4))
		h.until("the edit waits", func() bool {
			return strings.Contains(h.condition("demo", "Reconciling"), "CheckpointsNotRetained")
		})
		expect(h.t, "its JobManager", h.starts("demo"), "nothing")
		h.flink("demo", func(j *job.Job) { j.Script.KeepsRestarting = false })
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, fail-over(checkpoint), path(savepoint)")
	}, "a job that fails over is not cancelled: its checkpoint would be deleted"},

	"told to start from its own checkpoint, which a cancellation deletes": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), retention("DELETE_ON_CANCELLATION"), withoutSavepoints))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.flink("demo", func(j *job.Job) { j.Script.NoCheckpoints = true })
		newest := h.w.Flink.Job(namespace, "demo", "").Latest(false).Path
		h.edit("demo", jobField("initialSavepointPath", newest), jobField("savepointRedeployNonce", int64(1)))
		h.untilSituation("demo", "Refused")
		h.says("demo", "Stalled", "CheckpointsNotRetained")
		expect(h.t, "the job", h.running("demo"), "RUNNING")
		h.w.Storage.Put(job.Snapshot{Path: "s3://s/savepoint-copied", Savepoint: true})
		h.edit("demo", jobField("initialSavepointPath", "s3://s/savepoint-copied"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "what would be gone when it is needed is not begun with"},

	"cancelled behind our back, with its checkpoints": {func(h *harness) {
		h.w.Storage.Put(job.Snapshot{Path: "s3://s/savepoint-mine", Savepoint: true, Progress: 5})
		h.apply(
			"demo",
			application(
				stateful("last-state"), jobField("initialSavepointPath", "s3://s/savepoint-mine"),
				retention("DELETE_ON_CANCELLATION"),
			),
		)
		h.untilStable("demo")
		h.checkpoints("demo")
		h.flink("demo", func(j *job.Job) { j.Cancel(h.w.Clock.Now()) })
		h.untilLost("demo")
		expect(h.t, "what runs", h.starts("demo"), "path(savepoint)")
	}, "the savepoint that it began with is older than what was lost"},

	"failed with its checkpoints": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), retention("NO_EXTERNALIZED_CHECKPOINTS")))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.flink("demo", func(j *job.Job) { j.Fail("X", "boom", h.w.Clock.Now()) })
		h.untilLost("demo")
		h.edit("demo", parallelism(4))
		h.untilSituation("demo", "Refused")
		h.untilLost("demo")
		expect(h.t, "what runs", h.starts("demo"), "nothing")
	}, "an edit does not make a loss unseen"},

	"failed with its checkpoints, and restarted when it fails": {func(h *harness) {
		h.apply(
			"demo",
			application(
				stateful("last-state"), retention("NO_EXTERNALIZED_CHECKPOINTS"),
				option("kubernetes.operator.job.restart.failed", "true"),
			),
		)
		h.untilStable("demo")
		h.checkpoints("demo")
		h.flink("demo", func(j *job.Job) { j.Fail("X", "boom", h.w.Clock.Now()) })
		h.untilLost("demo")
		expect(h.t, "what runs", h.starts("demo"), "nothing")
	}, "a restart from nothing is no restart"},

	"finished, as a bounded job does": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), retention("NO_EXTERNALIZED_CHECKPOINTS")))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.flink("demo", func(j *job.Job) { j.Finish(h.w.Clock.Now()) })
		h.until("its end is told", func() bool { return h.status("demo").Situation == "Ended" })
		expect(h.t, "StateSafe", h.condition("demo", "StateSafe"), "-")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, nothing")
	}, "a job that came to its end needs no checkpoint"},

	"a stop whose job fails after its savepoint": {func(h *harness) {
		h.w.Flink.ScriptJob("demo", job.Script{StopFails: true})
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "the savepoint is the newest that the job has"},

	"a stop whose job fails after its savepoint, adaptive": {func(h *harness) {
		h.w.Flink.ScriptJob("demo", job.Script{StopFails: true})
		h.apply("demo", application(stateful("savepoint"), adaptive))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "the adaptive scheduler does not restart such a job, either"},

	"a stop whose job restarts after its savepoint": {func(h *harness) {
		h.w.Flink.ScriptJob("demo", job.Script{StopRestarts: true})
		h.apply("demo", application(stateful("savepoint"), adaptive, option("restart-strategy.type", "exponential-delay"),
			option("execution.checkpointing.interval", "1 s"), retention("RETAIN_ON_CANCELLATION")))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", parallelism(4))
		h.until("the job has restarted", func() bool { return strings.HasSuffix(h.starts("demo"), "fail-over(checkpoint)") })
		h.until("it has a newer checkpoint", func() bool {
			j := h.job("demo")
			return j.State == job.Running && j.Latest(false).ID > j.Latest(true).ID
		})
		h.edit("demo", upgradeMode("last-state"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, fail-over(checkpoint), path(checkpoint)")
	}, "the checkpoint is newer than the savepoint of the stop that failed"},

	"a stop whose tasks never end": {func(h *harness) {
		h.w.Flink.ScriptJob("demo", job.Script{FinishSteps: 1 << 30})
		h.apply("demo", application(stateful("savepoint"), retention("NO_EXTERNALIZED_CHECKPOINTS")))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "the savepoint is there, and nothing else is waited for"},

	"a person's stop soon after one that was given up": {func(h *harness) {
		h.w.Flink.ScriptJob("demo", job.Script{SnapshotFails: "the store is full"})
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.edit("demo", parallelism(4))
		h.until("the failure is told", func() bool { return strings.Contains(h.status("demo").Error, "the store is full") })
		h.flink("demo", func(j *job.Job) { j.Script = job.Script{} })
		h.edit("demo", parallelism(2))
		h.untilStable("demo")
		h.steps(3)
		h.flink("demo", func(j *job.Job) {
			j.Begin(job.Trigger{ID: strings.Repeat("ab", 16), Kind: job.Stop}, h.w.Clock.Now())
		})
		h.until("its end is told", func() bool { return h.status("demo").Situation == "Ended" })
		h.steps(60)
		h.sees("demo", "FINISHED STABLE True Ended", "nothing")
	}, "what a person stops stays stopped"},

	"a stop that comes late": {func(h *harness) {
		h.w.Flink.ScriptJob("demo", job.Script{SnapshotFails: "the store is full"})
		h.apply("demo", application(stateful("savepoint"), highlyAvailable))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", parallelism(4))
		h.until("the failure is told", func() bool { return strings.Contains(h.status("demo").Error, "the store is full") })
		h.w.Flink.ScriptJob("demo", job.Script{})
		h.flink("demo", func(j *job.Job) { j.Script.KeepsRestarting = true })
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, high-availability data(checkpoint)")
		late := h.status("demo").GivenUpStop.TriggerID
		h.flink("demo", func(j *job.Job) { j.Begin(job.Trigger{ID: late, Kind: job.Stop}, h.w.Clock.Now()) })
		h.until("it is started again", func() bool { return strings.HasSuffix(h.starts("demo"), "path(savepoint)") })
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, high-availability data(checkpoint), path(savepoint)")
	}, "a job that nobody wants to end goes on from the savepoint of that stop"},
}
