package scenario

import (
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

func init() {
	for name, s := range sessionChangeScenarios {
		scenarios[name] = s
	}
}

// sessionChangeScenarios change a session cluster under its jobs, run by TestScenarios.
var sessionChangeScenarios = map[string]scenario{
	"high availability of a session cluster, off and on again": {func(h *harness) {
		h.runs("etl", sessionJob("session"), session(highlyAvailable))
		h.edit("session", withoutHighAvailability)
		h.startsAgain("etl", 2)
		h.edit("session", highlyAvailable)
		h.startsAgain("etl", 3)
		h.rest()
		h.sees("etl", stable, "nothing, nothing, nothing")
		expect(h.t, "jobs that run", h.live("session"), 1)
	}, "what an earlier configuration kept is no job of anybody's: it would run beside the new one"},

	"high availability of a session cluster, off and on in ZooKeeper": {func(h *harness) {
		h.runs("etl", sessionJob("session"), session(onZooKeeper))
		h.edit("session", withoutHighAvailability)
		h.startsAgain("etl", 2)
		h.edit("session", onZooKeeper)
		h.startsAgain("etl", 3)
		h.rest()
		h.sees("etl", stable, "nothing, nothing, nothing")
		expect(h.t, "jobs that run", h.live("session"), 1)
	}, "the same for what lies in ZooKeeper"},

	"high availability of a session cluster, and its jobs deleted and suspended in between": {func(h *harness) {
		h.runs("etl", sessionJob("session"), session(highlyAvailable))
		h.runs("other", sessionJob("session"), session(highlyAvailable))
		h.edit("session", withoutHighAvailability)
		h.startsAgain("etl", 2)
		h.startsAgain("other", 2)
		h.remove("other")
		h.untilGone("other")
		h.edit("etl", jobState("suspended"))
		h.untilSuspended("etl")
		h.edit("session", highlyAvailable)
		h.untilStable("session")
		h.rest()
		expect(h.t, "jobs that run", h.live("session"), 0)
		h.sees("etl", h.columns("etl"), "nothing, nothing")
	}, "what was ended stays ended"},

	"a stateful session job whose cluster is highly available again": {func(h *harness) {
		h.runs("etl", sessionJob("session", stateful("last-state"), retained), session(highlyAvailable))
		h.checkpoints("etl")
		id := h.status("etl").JobStatus.JobID
		h.edit("session", withoutHighAvailability)
		h.untilStable("session")
		h.untilSituation("etl", "StateLost")
		h.edit("session", highlyAvailable)
		h.until("it is back", func() bool { return len(h.startsOf("etl")) == 2 })
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, high-availability data(checkpoint)")
		expect(h.t, "the job's ID", h.status("etl").JobStatus.JobID, id)
	}, "its resource still has that job, and the data is its newest state"},

	"a stateful session job that was redeployed while its cluster was not highly available": {func(h *harness) {
		h.runs("etl", sessionJob("session", stateful("last-state"), retained), session(highlyAvailable))
		h.checkpoints("etl")
		h.edit("session", withoutHighAvailability)
		h.untilStable("session")
		h.untilSituation("etl", "StateLost")
		h.w.Storage.Put(job.Snapshot{Path: "s3://s/savepoint-mine", Savepoint: true, Progress: 5})
		h.edit("etl", jobField("initialSavepointPath", "s3://s/savepoint-mine"), jobField("savepointRedeployNonce", int64(1)))
		h.startsAgain("etl", 2)
		h.edit("etl", jobState("suspended"))
		h.untilSuspended("etl")
		h.edit("session", highlyAvailable)
		h.untilStable("session")
		h.edit("etl", jobState("running"))
		h.startsAgain("etl", 3)
		h.rest()
		expect(h.t, "jobs that run", h.live("session"), 1)
		if starts := h.startsOf("etl"); starts[2].From == "" || starts[2].Progress < 5 {
			h.t.Errorf("it went on from %s", starts[2])
		}
	}, "what it was before does not come back beside it"},

	"a session cluster is edited while its job is stopped with a savepoint": {func(h *harness) {
		h.w.Flink.ScriptJob("etl", job.Script{SnapshotSteps: 40})
		h.runs("etl", sessionJob("session", stateful("savepoint")), session())
		h.checkpoints("etl")
		h.edit("etl", parallelism(4))
		h.untilSituation("etl", "Stopping")
		h.edit("session", option("taskmanager.numberOfTaskSlots", "4"))
		h.until("the cluster waits", func() bool {
			return strings.Contains(h.condition("session", "Reconciling"), "SessionJobsBusy")
		})
		h.until("the change runs", func() bool { j := h.job("etl"); return j != nil && j.Parallelism == 4 })
		h.untilStable("session")
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, path(savepoint)")
	}, "the savepoint is recorded before the JobManager that knows it goes"},

	"a job of nobody's on a session cluster that stays highly available": {func(h *harness) {
		h.apply("session", session(highlyAvailable))
		h.untilStable("session")
		id := h.runJar("session")
		h.edit("session", option("taskmanager.numberOfTaskSlots", "4"))
		h.until("it is back", func() bool {
			starts := h.w.Flink.Starts(namespace, "session")
			return len(starts) == 2 && starts[1].JobID == id
		})
		h.untilStable("session")
		h.rest()
		expect(h.t, "jobs that run", h.live("session"), 1)
	}, "the data is that of what ran last: Flink brings back what a person had submitted"},
}

// startsAgain waits until the job of a session job has begun for the nth time, and runs.
func (h *harness) startsAgain(name string, n int) {
	h.t.Helper()
	h.until("start "+strings.Repeat("I", n), func() bool { return len(h.startsOf(name)) >= n })
	h.untilStable("session")
	h.untilStable(name)
}

// live is how many jobs of a session cluster have not ended.
func (h *harness) live(cluster string) int {
	var ids []string
	for _, s := range h.w.Flink.Starts(namespace, cluster) {
		j := h.w.Flink.Job(namespace, cluster, s.JobID)
		if j != nil && !j.State.Ended() && !slices.Contains(ids, s.JobID) {
			ids = append(ids, s.JobID)
		}
	}
	return len(ids)
}
