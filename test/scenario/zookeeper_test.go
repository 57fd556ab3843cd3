package scenario

import (
	"strings"

	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

func init() {
	for name, s := range zookeeperScenarios {
		scenarios[name] = s
	}
}

// onZooKeeper adds high availability by ZooKeeper.
func onZooKeeper(spec map[string]any) {
	highlyAvailable(spec)
	option("high-availability.type", "zookeeper")(spec)
	option("high-availability.zookeeper.quorum", "zk:2181")(spec)
}

// outOfSight keeps that where nobody but Flink can look.
var outOfSight = option("high-availability.zookeeper.client.acl", "creator")

// unseen says whether only Flink can look at the high-availability data: a job graph that it leaves is not seen.
func (r *run) unseen() bool { return strings.HasSuffix(r.mode, "out of sight") }

// onZooKeeperWithCheckpoint is a job with a checkpoint in ZooKeeper.
func (h *harness) onZooKeeperWithCheckpoint() {
	h.t.Helper()
	h.apply("demo", application(stateful("last-state"), onZooKeeper))
	h.untilStable("demo")
	h.checkpoints("demo")
}

// zookeeperRefuses has ZooKeeper refuse every look (NoAuth), as long as that holds.
func (h *harness) zookeeperRefuses(holds func() bool) {
	f := wire.Fault{Status: 403, Match: func(q wire.Request) bool { return q.System == "zookeeper" && holds() }}
	h.standing = append(h.standing, f)
	h.w.Tap.Inject(f)
}

// zookeeperScenarios keep a job's high-availability data in ZooKeeper.
var zookeeperScenarios = map[string]scenario{
	"on ZooKeeper, an upgrade by last state": {func(h *harness) {
		h.onZooKeeperWithCheckpoint()
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, high-availability data(checkpoint)")
	}, "the cluster goes, its data stays"},

	"on ZooKeeper, a lost JobManager": {func(h *harness) {
		h.onZooKeeperWithCheckpoint()
		h.loseDeployment("demo")
		h.until("it runs again", func() bool { return h.starts("demo") == "nothing, high-availability data(checkpoint)" })
		h.untilStable("demo")
	}, "the job goes on from its newest checkpoint"},

	"on ZooKeeper, a stateless upgrade": {func(h *harness) {
		h.apply("demo", application(onZooKeeper))
		h.untilStable("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, nothing")
	}, "what the first job left is gone before the second begins"},

	"on ZooKeeper out of sight, a stateless upgrade": {func(h *harness) {
		h.apply("demo", application(onZooKeeper, outOfSight))
		h.untilStable("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, nothing")
	}, "where only Flink can look, it is the end of the first job that removes what it left"},

	"on ZooKeeper that refuses to be read, a stateless upgrade": {func(h *harness) {
		h.apply("demo", application(onZooKeeper))
		h.untilStable("demo")
		refuses := true
		h.zookeeperRefuses(func() bool { return refuses })
		h.edit("demo", parallelism(4))
		h.steps(90)
		expect(h.t, "what runs", h.running("demo"), "RUNNING")
		h.says("demo", "Reconciling", "HighAvailabilityUnknown")
		refuses = false
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, nothing")
	}, "what goes with the job could not go, and the job would be down meanwhile"},

	"on ZooKeeper that refuses to be read in the middle of an upgrade": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), onZooKeeper))
		h.untilStable("demo")
		refuses := true
		h.zookeeperRefuses(func() bool { return refuses && h.running("demo") != "RUNNING" })
		h.edit("demo", parallelism(4))
		h.until("somebody is called", func() bool {
			return strings.Contains(h.condition("demo", "Stalled"), "HighAvailabilityUnknown")
		})
		refuses = false
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "the job is down, and only a person can let us read"},

	"on ZooKeeper, deleted while it runs": deleted(func(h *harness) { h.onZooKeeperWithCheckpoint() }),

	"on ZooKeeper, made again after a deletion": {func(h *harness) {
		h.onZooKeeperWithCheckpoint()
		h.remove("demo")
		h.untilGone("demo")
		expect(h.t, "nodes that are left", len(h.w.Flink.Nodes("/flink/demo")), 0)
		h.apply("demo", application(stateful("last-state"), onZooKeeper))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, nothing")
	}, "a new resource of an old name is a new one"},
}
