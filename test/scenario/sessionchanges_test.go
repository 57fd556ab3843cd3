package scenario

import (
	"net/http"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
)

func init() {
	for name, s := range sessionChangeScenarios {
		scenarios[name] = s
	}
}

// sessionChangeScenarios change a session cluster under its jobs, run by TestScenarios.
var sessionChangeScenarios = map[string]scenario{
	"high availability of a session cluster, off and on again": {func(h *harness) {
		h.runs("etl", sessionJob("session"), sessionCluster(highlyAvailable))
		h.edit("session", withoutHighAvailability)
		h.startsAgain("etl", 2)
		h.edit("session", highlyAvailable)
		h.startsAgain("etl", 3)
		h.rest()
		h.sees("etl", stable, "nothing, nothing, nothing")
		expect(h.t, "jobs that run", h.live("session"), 1)
	}, "what an earlier configuration kept is no job of anybody's: it would run beside the new one"},

	"high availability of a session cluster, off and on in ZooKeeper": {func(h *harness) {
		h.runs("etl", sessionJob("session"), sessionCluster(onZooKeeper))
		h.edit("session", withoutHighAvailability)
		h.startsAgain("etl", 2)
		h.edit("session", onZooKeeper)
		h.startsAgain("etl", 3)
		h.rest()
		h.sees("etl", stable, "nothing, nothing, nothing")
		expect(h.t, "jobs that run", h.live("session"), 1)
	}, "the same for what lies in ZooKeeper"},

	"high availability of a session cluster, and its jobs deleted and suspended in between": {func(h *harness) {
		h.runs("etl", sessionJob("session"), sessionCluster(highlyAvailable))
		h.runs("other", sessionJob("session"), sessionCluster(highlyAvailable))
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

	"a highly available session cluster, to Flink 2.2 and back": {func(h *harness) {
		h.runs("etl", sessionJob("session"), sessionCluster(highlyAvailable))
		h.runs("other", sessionJob("session"), sessionCluster(highlyAvailable))
		h.edit("session", field("image", "flink:2.2"), field("flinkVersion", "v2_2"))
		h.startsAgain("etl", 2)
		h.startsAgain("other", 2)
		h.remove("other")
		h.untilGone("other")
		h.edit("session", field("image", "flink:1.20"), field("flinkVersion", "v1_20"))
		h.startsAgain("etl", 3)
		h.untilStable("session")
		h.rest()
		h.sees("etl", stable, "nothing, nothing, nothing")
		expect(h.t, "jobs that run", h.live("session"), 1)
		expect(h.t, "starts", len(h.w.Flink.Starts(namespace, "session")), 5)
	}, "Flink 2 does not look where Flink 1 keeps what is to run: that was lost, and is old when Flink 1 is back"},

	"a stateful session job whose cluster is highly available again": {func(h *harness) {
		h.runs("etl", sessionJob("session", stateful("last-state"), retained), sessionCluster(highlyAvailable))
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
		h.runs("etl", sessionJob("session", stateful("last-state"), retained), sessionCluster(highlyAvailable))
		h.checkpoints("etl")
		h.edit("session", withoutHighAvailability)
		h.untilStable("session")
		h.untilSituation("etl", "StateLost")
		h.w.Storage.Put(job.Snapshot{Path: "s3://s/savepoint-mine", Savepoint: true, Progress: 5})
		h.edit("etl", jobField("initialSavepointPath", "s3://s/savepoint-mine"), jobField("savepointRedeployNonce", int64(1)))
		h.startsAgain("etl", 2)
		h.checkpoints("etl")
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
		h.runs("etl", sessionJob("session", stateful("savepoint")), sessionCluster())
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

	"a highly available session cluster is rolled back under its job": {func(h *harness) {
		h.brokenCluster(sessionJob("session", stateful("last-state"), retained), highlyAvailable)
		h.until("the job is back", func() bool { return len(h.startsOf("etl")) == 2 })
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, high-availability data(checkpoint)")
	}, "the cluster that was broken led nobody, and the data is still that of the job"},

	"an upgraded session job that never becomes stable is rolled back": {func(h *harness) {
		h.runs("etl", sessionJob("session", stateful("savepoint"), retained, rolledBack,
			option("kubernetes.operator.deployment.readiness.timeout", "3 min")), sessionCluster(highlyAvailable))
		h.checkpoints("etl")
		h.jars.refuse(otherJar, http.StatusServiceUnavailable)
		h.edit("etl", parallelism(4), jobField("jarURI", otherJar))
		h.until("its jar is waited for", func() bool { return strings.Contains(h.condition("etl", "Ready"), "response 503") })
		h.w.Flink.ScriptJob("etl", job.Script{KeepsRestarting: true})
		h.jars.refuse(otherJar, 0)
		h.until("it is taken back", func() bool {
			state := h.status("etl").ReconciliationStatus.State
			return state == v1beta1.ReconciliationRollingBack || state == v1beta1.ReconciliationRolledBack
		})
		h.w.Flink.ScriptJob("etl", job.Script{})
		h.until("it is rolled back", func() bool {
			return h.settled("etl", v1beta1.LifecycleRolledBack)() && h.status("etl").Situation == "Steady"
		})
		starts := "nothing, path(savepoint), path(savepoint)"
		if h.uncounted = true; !h.undisturbed() { // the jar may have come too late
			starts = h.starts("etl")
		}
		h.sees("etl", "RUNNING ROLLED_BACK True Steady", starts)
		expect(h.t, "its parallelism", h.job("etl").Parallelism, 2)
	}, "the old spec goes on from the savepoint that the new one began from"},

	"a job of nobody's on a session cluster that stays highly available": {func(h *harness) {
		h.apply("session", sessionCluster(highlyAvailable))
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

// brokenCluster runs a job on a session cluster that is then edited to an image which does not exist, and rolled back.
func (h *harness) brokenCluster(spec map[string]any, changes ...change) {
	h.t.Helper()
	h.image("flink:broken", controllers.Script{Waiting: "ImagePullBackOff", Message: "no such image"})
	h.runs("etl", spec, sessionCluster(append(changes, rolledBack)...))
	h.checkpoints("etl")
	h.edit("session", field("image", "flink:broken"))
	h.until("the cluster is rolled back", func() bool {
		return h.settled("session", v1beta1.LifecycleRolledBack)() && h.status("session").Situation == "Steady"
	})
}

// startsAgain waits until the job of a session job has begun for the nth time, and runs.
func (h *harness) startsAgain(name string, n int) {
	h.t.Helper()
	h.until("start "+strings.Repeat("I", n), func() bool { return len(h.startsOf(name)) >= n })
	h.until(name+" is settled", func() bool { return h.status(name).Situation == "Steady" })
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
