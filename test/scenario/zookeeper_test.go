package scenario

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

// onZooKeeperWithCheckpoint is a job with a checkpoint in ZooKeeper.
func (h *harness) onZooKeeperWithCheckpoint() {
	h.t.Helper()
	h.apply("demo", application(stateful("last-state"), onZooKeeper))
	h.untilStable("demo")
	h.checkpoints("demo")
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
		h.apply("demo", application(onZooKeeper, option("high-availability.zookeeper.client.acl", "creator")))
		h.untilStable("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, nothing")
	}, "where only Flink can look, it is the end of the first job that removes what it left"},

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
