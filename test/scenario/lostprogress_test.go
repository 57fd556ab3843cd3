package scenario

import (
	"maps"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
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
}

func (h *harness) expectNoCondition(name, kind string) {
	h.t.Helper()
	expect(h.t, "condition "+kind, h.condition(name, kind), "-")
}
