package scenario

import (
	"net/http"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/flinksim"
)

func init() {
	for name, s := range sessionJobScenarios {
		scenarios[name] = s
	}
}

var blocksOnNothing = option("kubernetes.operator.session.deletion.block-on-session-jobs", "false")

// sessionJobScenarios are those of session jobs alone, run by TestScenarios.
var sessionJobScenarios = map[string]scenario{
	"a session job comes up": {func(h *harness) {
		h.apply("session", sessionCluster())
		h.untilStable("session")
		h.submit("etl", sessionJob("session"))
		h.untilStable("etl")
		h.sees("etl", stable, "nothing")
		h.tells("etl", "JobStatusChanged Submit")
		if h.undisturbed() { // of two passes that upload at once, one may be late
			expect(h.t, "uploaded jars that are left", h.jarsLeft("session"), 0)
		}
	}, "the first thing that anybody does with a session cluster"},

	"a session job before its cluster": {func(h *harness) {
		h.submit("etl", sessionJob("session"))
		h.untilSituation("etl", "Waiting")
		h.says("etl", "Ready", "SessionClusterMissing")
		h.apply("session", sessionCluster())
		h.untilStable("etl")
		h.sees("etl", stable, "nothing")
	}, "resources come in any order"},

	"two session jobs on one cluster": {func(h *harness) {
		h.apply("session", sessionCluster())
		h.submit("one", sessionJob("session"))
		h.submit("two", sessionJob("session", stateful("savepoint")))
		h.untilStable("one")
		h.untilStable("two")
		h.edit("one", parallelism(4))
		h.edit("two", parallelism(4))
		h.untilStable("one")
		h.untilStable("two")
		h.sees("one", stable, "nothing, nothing")
		h.sees("two", stable, "nothing, path(savepoint)")
	}, "one does not disturb the other"},

	"a session job is upgraded by savepoint": {func(h *harness) {
		h.runs("etl", sessionJob("session", stateful("savepoint")), sessionCluster())
		h.edit("etl", parallelism(4))
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, path(savepoint)")
	}, "the cluster stays, and the job goes on from where it was"},

	"a jar that is not there, then one that is": {func(h *harness) {
		h.jars.refuse(jarURI, http.StatusNotFound)
		h.apply("session", sessionCluster())
		h.submit("etl", sessionJob("session"))
		h.until("it says so", func() bool { return strings.Contains(h.condition("etl", "Ready"), "response 404") })
		if h.undisturbed() {
			expect(h.t, "attempts to fetch it", h.jars.fetched[jarURI], 1)
		}
		h.edit("etl", jobField("jarURI", "https://jars.example.com/other.jar"))
		h.untilStable("etl")
		h.sees("etl", stable, "nothing")
	}, "the message names the URL and what it answered, and an edit is tried at once"},

	"a jar that comes late": {func(h *harness) {
		h.jars.refuse(jarURI, http.StatusServiceUnavailable)
		h.apply("session", sessionCluster())
		h.submit("etl", sessionJob("session"))
		h.until("it says so", func() bool { return strings.Contains(h.condition("etl", "Ready"), "response 503") })
		h.jars.refuse(jarURI, 0)
		h.untilStable("etl")
		h.sees("etl", stable, "nothing")
	}, "what a server fixes by itself needs no edit"},

	"a session job is restarted": {func(h *harness) {
		h.runs("etl", sessionJob("session"), sessionCluster())
		h.edit("etl", field("restartNonce", int64(1)))
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, nothing")
	}, "the nonce asks for it"},

	"a session job is suspended and resumed": {func(h *harness) {
		h.runs("etl", sessionJob("session"), sessionCluster())
		h.edit("etl", jobState("suspended"))
		h.untilSuspended("etl")
		expect(h.t, "the job", h.running("etl"), "CANCELED")
		h.edit("etl", jobState("running"))
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, nothing")
	}, "the cluster stays, its job does not"},

	"a session job is upgraded by last state": {func(h *harness) {
		h.runs("etl", sessionJob("session", stateful("last-state"), retained), sessionCluster(highlyAvailable))
		h.checkpoints("etl")
		h.edit("etl", parallelism(4))
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, path(checkpoint)")
		h.checkpoints("etl")
		h.edit("etl", jobState("suspended"))
		h.untilSuspended("etl")
		h.edit("etl", jobState("running"))
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, path(checkpoint), path(checkpoint)")
	}, "it is cancelled, and goes on from its retained checkpoint"},

	"a cluster is upgraded under a stateless session job": {func(h *harness) {
		h.runs("etl", sessionJob("session"), sessionCluster())
		h.edit("session", option("taskmanager.numberOfTaskSlots", "4"))
		h.untilStable("session")
		h.until("another start", func() bool { return h.starts("etl") == "nothing, nothing" })
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, nothing")
	}, "it is submitted again"},

	"a highly available cluster is upgraded under its session job": {func(h *harness) {
		h.runs("etl", sessionJob("session", stateful("last-state"), retained), sessionCluster(highlyAvailable))
		h.checkpoints("etl")
		id := h.status("etl").JobStatus.JobID
		h.edit("session", option("taskmanager.numberOfTaskSlots", "4"))
		h.until("another start", func() bool { return len(h.startsOf("etl")) == 2 })
		h.untilStable("session")
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, high-availability data(checkpoint)")
		expect(h.t, "the job's ID", h.status("etl").JobStatus.JobID, id)
	}, "Flink brings the job back, and nobody submits it again"},

	"a cluster is upgraded under a stateful session job": {func(h *harness) {
		h.runs("etl", sessionJob("session", stateful("savepoint")), sessionCluster())
		h.checkpoints("etl")
		h.edit("session", option("taskmanager.numberOfTaskSlots", "4"))
		h.untilStable("session")
		h.untilSituation("etl", "StateLost")
		h.says("etl", "StateSafe", "False")
		h.says("etl", "Stalled", "kubectl patch flinksessionjob etl")
		expect(h.t, "the starts", h.starts("etl"), "nothing")
		h.edit("etl", upgradeMode("stateless"))
		h.until("another start", func() bool { return len(h.startsOf("etl")) == 2 })
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, nothing")
	}, "nobody starts it from nothing but a person"},

	"a session cluster with a session job is deleted": {func(h *harness) {
		h.runs("etl", sessionJob("session"), sessionCluster())
		h.remove("session")
		h.until("it says what blocks", func() bool { return strings.Contains(h.condition("session", "Stalled"), "etl") })
		h.sees("etl", h.columns("etl"), "nothing")
		expect(h.t, "the job", h.running("etl"), "RUNNING")
		h.remove("etl")
		h.untilGone("etl")
		h.untilGone("session")
	}, "the cluster waits for its session jobs"},

	"a session cluster that does not wait for its session jobs is deleted": {func(h *harness) {
		h.runs("etl", sessionJob("session"), sessionCluster(blocksOnNothing))
		h.remove("session")
		h.untilGone("session")
		h.untilSituation("etl", "Waiting")
		h.says("etl", "Ready", "SessionClusterMissing")
		h.remove("etl")
		h.untilGone("etl")
	}, "the job goes with its cluster, and its resource can be deleted"},

	"a session job is deleted with a savepoint first": {func(h *harness) {
		h.runs("etl", sessionJob("session", stateful("savepoint"),
			option("kubernetes.operator.job.savepoint-on-deletion", "true")), sessionCluster())
		h.remove("etl")
		h.untilGone("etl")
		expect(h.t, "the job", h.running("etl"), "FINISHED")
		expect(h.t, "savepoints", h.stored(), 1)
	}, "its last state is kept"},
}

// jarsLeft is how many uploaded jars a session cluster has.
func (h *harness) jarsLeft(cluster string) int {
	h.t.Helper()
	client, err := h.connect("person")(plan.Endpoint{URL: "http://" + flinksim.Host(namespace, cluster)})
	if err != nil {
		h.t.Fatal(err)
	}
	jars, err := client.Jars(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	return len(jars)
}
