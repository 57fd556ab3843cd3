package scenario

import (
	"maps"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

func init() { maps.Copy(scenarios, disposalScenarios) }

// seldom makes no checkpoint in a story, keeps one savepoint, and disposes of all others.
func seldom(spec map[string]any) {
	option("execution.checkpointing.interval", "10 h")(spec)
	option("kubernetes.operator.savepoint.history.max.count", "1")(spec)
	option("kubernetes.operator.savepoint.dispose-on-delete", "true")(spec)
}

// savesOften takes savepoints until those before would have been cleaned up.
func (h *harness) savesOften(name string) {
	h.t.Helper()
	h.edit(name, option("kubernetes.operator.periodic.savepoint.interval", "5 min"))
	h.pass(22 * time.Minute)
	h.edit(name, option("kubernetes.operator.periodic.savepoint.interval", "0"))
}

// goesBackTo upgrades a job, whose new run makes no checkpoint, and says which savepoint that was started from.
func (h *harness) goesBackTo(name string) string {
	h.t.Helper()
	h.edit(name, parallelism(4))
	h.untilStarts(name, 2)
	h.untilStable(name)
	return h.w.Flink.Starts(namespace, name)[1].From
}

// keeps holds that a savepoint is there, and that a job which fails over goes on.
func (h *harness) keeps(name, path string) {
	h.t.Helper()
	if _, there := h.w.Storage.Get(path); !there {
		h.t.Errorf("the savepoint %s is gone, which %s goes back to", path, name)
	}
	h.until("the older savepoints are cleaned up", func() bool { return h.stored() <= 3 })
	before := len(h.w.Flink.Starts(namespace, name))
	h.w.Nodes.Crash(namespace, h.jobManagerPod(name), "oom")
	h.until("it runs again", func() bool {
		return len(h.w.Flink.Starts(namespace, name)) > before && h.running(name) == "RUNNING"
	})
}

// disposalScenarios hold that nobody disposes of a savepoint that somebody may still read.
var disposalScenarios = map[string]scenario{
	"old savepoints of the record go, but for the one that the job was started from": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), seldom, recorded))
		h.untilStable("demo")
		from := h.goesBackTo("demo")
		h.savesOften("demo")
		h.keeps("demo", from)
	}, "without high availability the JobManager begins from it again"},

	"old savepoints go, but for the one that the job was started from": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), seldom, highlyAvailable))
		h.untilStable("demo")
		from := h.goesBackTo("demo")
		h.savesOften("demo")
		h.keeps("demo", from)
	}, "high availability has no other state before the first checkpoint"},

	"old savepoints go after a last-state upgrade, but for the one that was first started from": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), seldom, highlyAvailable))
		h.untilStable("demo")
		from := h.goesBackTo("demo")
		h.edit("demo", upgradeMode("last-state"), parallelism(2))
		h.untilStarts("demo", 3)
		h.untilStable("demo")
		h.savesOften("demo")
		h.keeps("demo", from)
	}, "the data that the job went on from names it"},

	"a person deletes the snapshot that the job was started from": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), seldom))
		h.untilStable("demo")
		from := h.goesBackTo("demo")
		for _, u := range h.w.Kube.PeekAll(kubesim.FlinkStateSnapshots, namespace, nil) {
			h.drops(u.GetName())
		}
		h.keeps("demo", from)
	}, "its job may go back to it at any time"},

	"a snapshot of one job stands for the savepoint of another": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), seldom))
		h.apply("other", application(stateful("savepoint"), seldom))
		h.untilStable("demo")
		h.untilStable("other")
		h.edit("demo", jobState("suspended"))
		h.untilSuspended("demo")
		path := h.status("demo").JobStatus.UpgradeSavepointPath
		h.take("mine", of("other", map[string]any{
			"savepoint": map[string]any{"alreadyExists": true, "path": path, "disposeOnDelete": true},
		}))
		h.untilSnapshot("mine", v1beta1.SnapshotCompleted)
		h.drops("mine")
		h.edit("demo", jobState("running"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "before a disposal all resources of the namespace are asked"},

	"a snapshot stands for what a clone is to start from": {func(h *harness) {
		const path = "s3://mine/savepoint-1"
		h.w.Storage.Put(job.Snapshot{Path: path, Savepoint: true, Progress: 5})
		h.apply("demo", application(stateful("savepoint"), seldom))
		h.untilStable("demo")
		h.apply("clone", application(
			stateful("savepoint"), seldom, jobState("suspended"), jobField("initialSavepointPath", path+"/"),
		))
		h.take("mine", of("demo", map[string]any{"savepoint": map[string]any{"alreadyExists": true, "path": path}}))
		h.untilSnapshot("mine", v1beta1.SnapshotCompleted)
		h.drops("mine")
		h.edit("clone", jobState("running"))
		h.untilStable("clone")
		expect(h.t, "the clone starts from", strings.TrimSuffix(h.w.Flink.Starts(namespace, "clone")[0].From, "/"), path)
	}, "a path in a spec may be read at any time"},

	"with LEGACY nothing that checkpoints may be built on goes": {func(h *harness) {
		h.apply("demo", application(
			stateful("savepoint"), seldom, recorded, option("execution.savepoint-restore-mode", "LEGACY"),
		))
		h.untilStable("demo")
		from := h.goesBackTo("demo")
		h.edit("demo", parallelism(3))
		h.untilStarts("demo", 3)
		h.savesOften("demo")
		if _, there := h.w.Storage.Get(from); !there {
			h.t.Errorf("the savepoint %s is gone, which checkpoints may be built on", from)
		}
	}, "their files may be shared for ever"},
}
