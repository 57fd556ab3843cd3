package scenario

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

func init() {
	for name, s := range statefulScenarios {
		scenarios[name] = s
	}
	for name, s := range deletionScenarios {
		scenarios[name] = s
	}
}

// statefulScenarios keep the state of a job over what happens to it.
var statefulScenarios = map[string]scenario{
	"an upgrade by savepoint": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
		h.tells("demo", "JobStatusChanged SpecChanged Submit Suspended")
	}, "no record is lost and none counted twice"},

	"an upgrade by last state": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), highlyAvailable))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, high-availability data(checkpoint)")
	}, "the cluster goes, its high-availability data stays"},

	"an upgrade by cancellation": {func(h *harness) {
		h.apply(
			"demo",
			application(
				stateful("last-state"),
				option("execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION"),
			),
		)
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(checkpoint)")
	}, "without high availability the retained checkpoint is the last state"},

	"suspended with a savepoint and resumed": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.edit("demo", jobState("suspended"))
		h.untilSuspended("demo")
		if path := h.status("demo").JobStatus.UpgradeSavepointPath; !strings.HasPrefix(path, "s3://s/savepoint-") {
			h.t.Errorf("upgradeSavepointPath is %q", path)
		}
		h.edit("demo", jobState("running"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "the savepoint waits for the resumption"},

	"suspended with last state and resumed": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), highlyAvailable))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", jobState("suspended"))
		h.untilSuspended("demo")
		h.edit("demo", jobState("running"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, high-availability data(checkpoint)")
	}, "the high-availability data waits for the resumption"},

	"suspended with a savepoint and high availability, and resumed": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), highlyAvailable))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", jobState("suspended"))
		h.untilSuspended("demo")
		h.edit("demo", jobState("running"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "the kept JobManager goes before the next one starts"},

	"another Flink version": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), highlyAvailable))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", field("image", "flink:2.2"), field("flinkVersion", "v2_2"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "the high-availability data of one version is no start for another"},

	"a savepoint that fails, then succeeds": {func(h *harness) {
		h.w.Flink.ScriptJob("demo", job.Script{SnapshotFails: "the store is full"})
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.edit("demo", parallelism(4))
		h.until("the failure is told", func() bool { return strings.Contains(h.status("demo").Error, "the store is full") })
		expect(h.t, "the job goes on", h.starts("demo"), "nothing")
		h.w.Flink.ScriptJob("demo", job.Script{})
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
		expect(h.t, "status.error", h.status("demo").Error, "")
	}, "a failed stop takes nothing away and is tried again"},

	"an upgrade by savepoint while Flink does not respond for a moment": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), highlyAvailable))
		h.untilStable("demo")
		h.checkpoints("demo")
		mute := h.w.Tap.Inject(wire.Fault{
			Match: func(r wire.Request) bool { return r.System == "flink" }, Err: wire.Timeout,
		})
		h.edit("demo", parallelism(4))
		h.steps(3)
		mute()
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "a call that times out does not turn a savepoint into something else"},

	"a slow savepoint": {func(h *harness) {
		h.w.Flink.ScriptJob("demo", job.Script{SnapshotSteps: 20})
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "nobody waits inside a pass"},

	"redeployed from a savepoint": {func(h *harness) {
		h.w.Storage.Put(job.Snapshot{Path: "s3://s/savepoint-mine", Savepoint: true, Progress: 5})
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.edit(
			"demo", jobField("initialSavepointPath", "s3://s/savepoint-mine"), jobField("savepointRedeployNonce", int64(1)),
		)
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
		starts := h.w.Flink.Starts(namespace, "demo")
		expect(h.t, "the state of the second start", starts[len(starts)-1].From, "s3://s/savepoint-mine")
	}, "the nonce asks for that state and no other"},

	"suspended and told to start from a savepoint": {func(h *harness) {
		h.w.Storage.Put(job.Snapshot{Path: "s3://s/savepoint-mine", Savepoint: true, Progress: 5})
		h.apply("demo", application(stateful("last-state"), highlyAvailable))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit(
			"demo", jobState("suspended"), jobField("initialSavepointPath", "s3://s/savepoint-mine"),
			jobField("savepointRedeployNonce", int64(1)),
		)
		h.untilSuspended("demo")
		h.edit("demo", jobState("running"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "the one thing that was asked for is what the resumption does"},

	"first started from a savepoint": {func(h *harness) {
		h.w.Storage.Put(job.Snapshot{Path: "s3://s/savepoint-mine", Savepoint: true, Progress: 5})
		h.apply("demo", application(stateful("savepoint"), jobField("initialSavepointPath", "s3://s/savepoint-mine")))
		h.untilStable("demo")
		h.sees("demo", stable, "path(savepoint)")
	}, "a job that moves here brings its state"},

	"a JobManager of a highly available job crashes": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), highlyAvailable))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.w.Nodes.Crash(namespace, h.jobManagerPod("demo"), "oom")
		h.until("it runs again", func() bool {
			return len(h.w.Flink.Starts(namespace, "demo")) == 2 &&
				h.running("demo") == "RUNNING"
		})
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, high-availability data(checkpoint)")
	}, "Flink itself goes on, and nobody interferes"},

	"a broken image in an upgrade by last state": {func(h *harness) {
		h.image("flink:broken", controllers.Script{Waiting: "ImagePullBackOff", Message: "no such image"})
		h.apply("demo", application(stateful("last-state"), highlyAvailable))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", field("image", "flink:broken"))
		h.untilSituation("demo", "Broken")
		h.edit("demo", field("image", "flink:1.20"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, high-availability data(checkpoint)")
	}, "the way out of a broken upgrade loses no state"},

	"a broken image in an upgrade by savepoint": {func(h *harness) {
		h.image("flink:broken", controllers.Script{Waiting: "ImagePullBackOff", Message: "no such image"})
		h.apply("demo", application(stateful("savepoint"), highlyAvailable))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", field("image", "flink:broken"))
		h.untilSituation("demo", "Broken")
		h.edit("demo", field("image", "flink:1.20"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "a savepoint that was taken is never forgotten"},

	"an edit of a job whose state is lost": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.loseDeployment("demo")
		h.untilSituation("demo", "StateLost")
		h.edit("demo", parallelism(4))
		h.until("the edit is refused", func() bool {
			return strings.Contains(h.status("demo").Error, "make stateful upgrades")
		})
		h.says("demo", "Stalled", "Manual restore required")
		expect(h.t, "what runs", h.starts("demo"), "nothing")
	}, "two things that need a person are told once"},

	"two broken images, then a good one": {func(h *harness) {
		h.image("flink:broken", controllers.Script{Waiting: "ImagePullBackOff", Message: "no such image"})
		h.image("flink:wrong", controllers.Script{Waiting: "ImagePullBackOff", Message: "no such image either"})
		h.apply("demo", application(stateful("savepoint"), highlyAvailable, field("image", "flink:broken")))
		h.untilSituation("demo", "Broken")
		h.edit("demo", field("image", "flink:wrong"))
		h.until("the second is broken, too", func() bool {
			return strings.Contains(h.condition("demo", "Stalled"), "no such image either")
		})
		h.edit("demo", field("image", "flink:1.20"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing")
	}, "what never ran left no state, however often it was tried"},

	"a crash loop after an upgrade by savepoint": {func(h *harness) {
		h.image(
			"flink:broken",
			controllers.Script{Waiting: "CrashLoopBackOff", Message: "back-off 5m0s", Terminated: "no such class"},
		)
		h.apply("demo", application(stateful("savepoint"), highlyAvailable))
		h.untilStable("demo")
		h.edit("demo", field("image", "flink:broken"))
		h.untilSituation("demo", "Broken")
		h.edit("demo", field("image", "flink:1.20"))
		h.until("the edit is refused", func() bool {
			return strings.Contains(h.status("demo").Error, "Manual restore required")
		})
		h.rest()
		h.says("demo", "Stalled", "savepointRedeployNonce")
		h.says("demo", "ClusterAvailable", "False CrashLoopBackOff: [flink-main-container] CrashLoop - no such class")
		if h.undisturbed() {
			h.quiet()
		}
		h.edit(
			"demo", jobField("initialSavepointPath", h.status("demo").JobStatus.UpgradeSavepointPath),
			jobField("savepointRedeployNonce", int64(1)),
		)
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "what ran may have gone further: a person decides, and is told once"},
}

// deletionScenarios delete a resource in each state.
var deletionScenarios = map[string]scenario{
	"deleted in the foreground, with a savepoint first": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), option("kubernetes.operator.job.savepoint-on-deletion", "true")))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.removeBy("demo", metav1.DeletePropagationForeground)
		h.untilGone("demo")
		if h.undisturbed() && !strings.Contains(h.reasons("demo"), "SavepointSkipped") {
			h.t.Errorf("nobody was told that no savepoint was taken: %s", h.reasons("demo"))
		}
	}, "Kubernetes deletes the JobManager before anybody can act"},

	"deleted while it runs": deleted(func(h *harness) { h.apply("demo", application()); h.untilStable("demo") }),
	"deleted while it runs, highly available": deleted(func(h *harness) {
		h.apply("demo", application(stateful("last-state"), highlyAvailable))
		h.untilStable("demo")
		h.checkpoints("demo")
	}),
	"deleted at once":         deleted(func(h *harness) { h.apply("demo", application()) }),
	"deleted while it starts": deleted(func(h *harness) { h.apply("demo", application()); h.step() }),
	"deleted while it is upgraded": deleted(func(h *harness) {
		h.apply("demo", application())
		h.untilStable("demo")
		h.edit("demo", parallelism(4))
		h.step()
	}),
	"deleted while a savepoint is taken": deleted(func(h *harness) {
		h.w.Flink.ScriptJob("demo", job.Script{SnapshotSteps: 1000})
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.edit("demo", parallelism(4))
		h.untilSituation("demo", "Stopping")
	}),
	"deleted while suspended": deleted(func(h *harness) {
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.edit("demo", jobState("suspended"))
		h.untilSuspended("demo")
	}),
	"deleted while broken": deleted(func(h *harness) {
		h.image("flink:broken", controllers.Script{Waiting: "ImagePullBackOff", Message: "no such image"})
		h.apply("demo", application(field("image", "flink:broken")))
		h.untilSituation("demo", "Broken")
	}),
	"deleted while invalid": deleted(func(h *harness) {
		h.apply("demo", application(parallelism(0)))
		h.untilSituation("demo", "Invalid")
	}),
	"deleted after it failed": deleted(func(h *harness) {
		h.apply("demo", application())
		h.untilStable("demo")
		h.flink("demo", func(j *job.Job) { j.Fail("java.lang.IllegalStateException", "no such topic", h.w.Clock.Now()) })
		h.until("it is FAILED", h.settled("demo", v1beta1.LifecycleFailed))
	}),
	"deleted with its state lost": deleted(func(h *harness) {
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.loseDeployment("demo")
		h.untilSituation("demo", "StateLost")
	}),
	"deleted after high availability was switched off while it was suspended": deleted(func(h *harness) {
		h.apply("demo", application(stateful("last-state"), highlyAvailable))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.edit("demo", jobState("suspended"))
		h.untilSuspended("demo")
		h.edit("demo", withoutHighAvailability, upgradeMode("stateless"), jobState("running"))
		h.untilStable("demo")
	}),
	"a session cluster, deleted after high availability was switched off": deleted(func(h *harness) {
		h.apply("demo", sessionCluster(highlyAvailable))
		h.untilStable("demo")
		h.edit("demo", withoutHighAvailability)
		h.untilStable("demo")
	}),
	"a session cluster with a running job": {func(h *harness) {
		h.apply("demo", sessionCluster())
		h.untilStable("demo")
		id := h.runJar("demo")
		h.remove("demo")
		h.until("it says what blocks", func() bool { return strings.Contains(h.condition("demo", "Stalled"), id) })
		h.tells("demo", "CleanupFailed Submit")
		h.w.Flink.Do(namespace, "demo", id, func(j *job.Job) { j.Finish(h.w.Clock.Now()) })
		h.untilGone("demo")
	}, "nobody's job is taken away by the deletion of its cluster"},
	"made again after a deletion": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), highlyAvailable))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.remove("demo")
		h.untilGone("demo")
		h.apply("demo", application(stateful("last-state"), highlyAvailable))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, nothing")
	}, "a new resource of an old name is a new one"},
}

// deleted deletes the resource after some beginning and expects that nothing is left.
func deleted(beginning func(h *harness)) scenario {
	return scenario{func(h *harness) {
		beginning(h)
		held := len(h.resource("demo").GetFinalizers()) > 0
		h.remove("demo")
		h.untilGone("demo")
		if held { // what was never started goes without us
			h.hears("demo", v1beta1.LifecycleDeleted)
		}
		h.rest()
		expect(h.t, "what is left", h.end(), "\n")
		expect(h.t, "JobManagers", h.w.Flink.JobManagers(namespace, "demo"), 0)
	}, "a deletion always ends and leaves nothing"}
}
