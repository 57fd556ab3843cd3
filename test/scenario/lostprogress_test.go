package scenario

import (
	"maps"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
)

func init() { maps.Copy(scenarios, lostProgressScenarios) }

// lostProgressScenarios are about jobs that begin again from their old state.
var lostProgressScenarios = map[string]scenario{
	"a JobManager of a job without high availability crashes": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.w.Nodes.Crash(namespace, h.jobManagerPod("demo"), "oom")
		h.untilStarts("demo", 2)
		h.until("it is told", func() bool { return h.condition("demo", "StateSafe") != "-" })
		h.untilStable("demo")
		h.says("demo", "StateSafe", "False JobRestarted: ")
		h.says("demo", "StateSafe", "savepointRedeployNonce")
		h.sees("demo", stable, "nothing, nothing")
		h.w.Storage.Put(job.Snapshot{Path: "s3://c/found", JobID: "found"})
		h.edit("demo", jobField("initialSavepointPath", "s3://c/found"), jobField("savepointRedeployNonce", int64(1)))
		h.untilStarts("demo", 3)
		h.untilStable("demo")
		h.expectNoCondition("demo", "StateSafe")
	}, "Kubernetes replaced it, and the job began again with nothing: a person has to know"},

	"a highly available job fails as its JobManager ends": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), highlyAvailable))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.until("a checkpoint is known", func() bool {
			known := h.status("demo").JobStatus.Checkpoint
			return known != nil && known.Path != ""
		})
		h.failAsItEnds("demo")
		h.untilStarts("demo", 2)
		h.sees("demo", h.columns("demo"), "nothing, nothing")
		h.until("it is told", func() bool { return h.condition("demo", "StateSafe") != "-" })
		h.untilStable("demo")
		h.says("demo", "StateSafe", "False JobRestarted: ")
		h.w.Storage.Put(job.Snapshot{Path: "s3://c/found", JobID: "found"})
		h.edit("demo", jobField("initialSavepointPath", "s3://c/found"), jobField("savepointRedeployNonce", int64(1)))
		h.untilStarts("demo", 3)
		h.untilStable("demo")
		h.expectNoCondition("demo", "StateSafe")
	}, "Flink removes the data of a job that fails for good, and its JobManager was replaced before anybody looked"},

	"a job that was upgraded by last-state fails as its JobManager ends": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), highlyAvailable))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.failAsItEnds("demo")
		h.untilSituation("demo", "Broken")
		h.untilLost("demo")
		h.says("demo", "StateSafe", "False RestoreFailed: ")
		h.says("demo", "ClusterAvailable", "False CrashLoopBackOff: ")
		h.edit("demo", parallelism(2))
		h.untilSituation("demo", "StateLost")
		h.w.Storage.Put(job.Snapshot{Path: "s3://c/found", JobID: "found"})
		h.edit("demo", jobField("initialSavepointPath", "s3://c/found"), jobField("savepointRedeployNonce", int64(1)))
		h.untilStarts("demo", 3)
		h.untilStable("demo")
		h.expectNoCondition("demo", "StateSafe")
		h.expectNoCondition("demo", "Stalled")
	}, "the start path keeps the next JobManager from beginning from nothing, so a person says where to go on"},
}

// failAsItEnds lets a job fail for good as its JobManager ends, as when TaskManagers and JobManager are told to end in
// the same moment: what Flink clears away is gone before its process is.
func (h *harness) failAsItEnds(name string) {
	h.t.Helper()
	pod := h.jobManagerPod(name)
	h.w.Flink.Script(namespace, name, process.Script{CleanUpSteps: 3})
	h.flink(name, func(j *job.Job) {
		j.Fail("java.lang.IllegalStateException", "its TaskManager went away", h.w.Clock.Now())
	})
	h.w.Step()
	h.w.Nodes.Crash(namespace, pod, "told to end")
}

func (h *harness) expectNoCondition(name, kind string) {
	h.t.Helper()
	expect(h.t, "condition "+kind, h.condition(name, kind), "-")
}
