package scenario

import (
	"net/http"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// deletedMark begins the name of a story of a session job that is deleted.
const deletedMark = "a session job is deleted "

func init() {
	for name, s := range sessionFaultScenarios {
		scenarios[name] = s
	}
	for name, beginning := range sessionJobStates {
		scenarios[deletedMark+name] = sessionJobDeleted(beginning)
	}
}

const otherJar = "https://jars.example.com/other.jar"

// killJobManager ends the JobManager's process of a session cluster; its Deployment makes another one.
func (h *harness) killJobManager(name string) {
	h.t.Helper()
	h.w.Nodes.Crash(namespace, h.jobManagerPod(name), "oom")
}

// sessionFaultScenarios are what goes wrong with session jobs, run by TestScenarios.
var sessionFaultScenarios = map[string]scenario{
	"the main of a session job fails, then a good one": {func(h *harness) {
		h.w.Flink.ScriptJob("etl", job.Script{MainFails: "java.lang.IllegalStateException: no such topic"})
		h.apply("session", sessionCluster())
		h.submit("etl", sessionJob("session"))
		h.until("it says so", func() bool { return strings.Contains(h.condition("etl", "Ready"), "no such topic") })
		h.w.Flink.ScriptJob("etl", job.Script{})
		h.edit("etl", jobField("jarURI", otherJar))
		h.untilStable("etl")
		h.sees("etl", stable, "nothing")
		if h.undisturbed() {
			expect(h.t, "uploaded jars that are left", h.jarsLeft("session"), 0)
		}
	}, "the cause is shown, and an edit fixes it"},

	"the main of a session job fails for a while": {func(h *harness) {
		h.w.Flink.ScriptJob("etl", job.Script{MainFails: "java.lang.IllegalStateException: no such topic"})
		h.apply("session", sessionCluster())
		h.submit("etl", sessionJob("session"))
		h.until("it says so", func() bool { return strings.Contains(h.condition("etl", "Ready"), "no such topic") })
		h.w.Flink.ScriptJob("etl", job.Script{})
		h.untilStable("etl")
		h.sees("etl", stable, "nothing")
	}, "it is tried again"},

	"the main of an upgraded session job fails": {func(h *harness) {
		h.runs("etl", sessionJob("session", stateful("savepoint")), sessionCluster())
		h.checkpoints("etl")
		h.w.Flink.ScriptJob("etl", job.Script{MainFails: "java.lang.IllegalStateException: no such topic"})
		h.edit("etl", parallelism(4))
		h.until("it says so", func() bool { return strings.Contains(h.condition("etl", "Ready"), "no such topic") })
		h.w.Flink.ScriptJob("etl", job.Script{})
		h.edit("etl", parallelism(6))
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, path(savepoint)")
	}, "the savepoint that was taken is what the next spec starts from"},

	"the main of a session job is slow": {func(h *harness) {
		h.w.Flink.ScriptJob("etl", job.Script{MainSteps: 20})
		h.runs("etl", sessionJob("session"), sessionCluster())
		h.sees("etl", stable, "nothing")
		h.edit("etl", parallelism(4))
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, nothing")
	}, "no answer is no failure: the job is found by its ID, and asked for once"},

	"the main of a session job hangs, and is corrected": {func(h *harness) {
		h.installs("kubernetes.operator.job.submission.timeout", "1 min")
		h.runs("etl", sessionJob("session", stateful("savepoint")), sessionCluster())
		h.checkpoints("etl")
		h.w.Flink.ScriptJob("etl", job.Script{MainSteps: 1 << 20})
		h.edit("etl", parallelism(4))
		h.until("it says so", func() bool { return strings.Contains(h.condition("etl", "Stalled"), "SubmissionOverdue") })
		h.w.Flink.ScriptJob("etl", job.Script{})
		h.edit("etl", parallelism(6))
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, path(savepoint)")
	}, "the corrected spec does not wait for a main that never ends, and starts from the same savepoint"},

	"a run of a session job is not answered": {func(h *harness) {
		h.w.Flink.Script(namespace, "session", process.Script{RunTimesOut: true})
		h.runs("etl", sessionJob("session", stateful("savepoint")), sessionCluster())
		h.edit("etl", parallelism(4))
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, path(savepoint)")
	}, "what runs although nobody said so is not run again"},

	"a jar that is gone when it is run": {func(h *harness) {
		h.apply("session", sessionCluster())
		h.untilStable("session")
		h.w.Tap.Inject(wire.Fault{
			Match: func(r wire.Request) bool { return r.Resource == "upload" }, Effective: true, After: true, Nth: 1,
			Do: func() { h.killJobManager("session") },
		})
		h.submit("etl", sessionJob("session"))
		h.untilStable("etl")
		h.sees("etl", stable, "nothing")
	}, "the JobManager that had it was replaced, and it is uploaded again"},

	"a JobManager that is killed with a job just submitted": {func(h *harness) {
		killed := false
		h.apply("session", sessionCluster())
		h.untilStable("session")
		h.w.Tap.Inject(wire.Fault{
			Match: func(r wire.Request) bool { return r.Resource == "run" }, Effective: true, After: true, Nth: 1,
			Do: func() { killed = true; h.killJobManager("session") },
		})
		h.submit("etl", sessionJob("session"))
		h.until("a start", func() bool { return len(h.startsOf("etl")) > 0 })
		if !killed { // a crash before took that back
			h.killJobManager("session")
		}
		h.until("another start", func() bool { return len(h.startsOf("etl")) == 2 })
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, nothing")
	}, "a job that is gone is started under another ID"},

	"a session cluster that takes no jars": {func(h *harness) {
		h.apply("session", sessionCluster(option("web.submit.enable", "false")))
		h.submit("etl", sessionJob("session"))
		h.until("it says so", func() bool { return strings.Contains(h.condition("etl", "Ready"), "web.submit.enable") })
		h.edit("session", option("web.submit.enable", "true"))
		h.untilStable("etl")
		h.sees("etl", stable, "nothing")
	}, "the message names the option"},

	"a JobManager with a stateless session job is killed": {func(h *harness) {
		h.runs("etl", sessionJob("session"), sessionCluster())
		h.killJobManager("session")
		h.until("another start", func() bool { return len(h.startsOf("etl")) == 2 })
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, nothing")
	}, "it is submitted again"},

	"a JobManager with a stateful session job is killed": {func(h *harness) {
		h.runs("etl", sessionJob("session", stateful("last-state"), retained), sessionCluster())
		h.checkpoints("etl")
		h.killJobManager("session")
		h.untilSituation("etl", "StateLost")
		h.says("etl", "StateSafe", "False")
		h.w.Storage.Put(job.Snapshot{Path: "s3://s/savepoint-mine", Savepoint: true, Progress: 5})
		h.edit("etl", jobField("initialSavepointPath", "s3://s/savepoint-mine"), jobField("savepointRedeployNonce", int64(1)))
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, path(savepoint)")
	}, "a person says what state it starts from"},

	"a highly available JobManager that is slow to bring its session job back": {func(h *harness) {
		h.runs("etl", sessionJob("session", stateful("last-state"), retained), sessionCluster(highlyAvailable))
		h.checkpoints("etl")
		h.w.Flink.Script(namespace, "session", process.Script{MainSteps: 60})
		h.killJobManager("session")
		h.until("it runs again", func() bool { return len(h.startsOf("etl")) == 2 && h.running("etl") == "RUNNING" })
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, high-availability data(checkpoint)")
	}, "a job that is not listed for two minutes is not lost"},

	"a JobManager is killed while its session job is stopped": {func(h *harness) {
		h.w.Flink.ScriptJob("etl", job.Script{SnapshotSteps: 1000})
		h.runs("etl", sessionJob("session", stateful("savepoint")), sessionCluster())
		h.checkpoints("etl")
		h.edit("etl", parallelism(4))
		h.untilSituation("etl", "Stopping")
		h.steps(3)
		h.killJobManager("session")
		h.untilSituation("etl", "StateLost")
		h.says("etl", "StateSafe", "False")
		expect(h.t, "the starts", h.starts("etl"), "nothing")
	}, "no savepoint was made, and nobody starts it from nothing"},

	"a highly available JobManager is killed while its session job is stopped": {func(h *harness) {
		h.w.Flink.ScriptJob("etl", job.Script{SnapshotSteps: 30})
		h.runs("etl", sessionJob("session", stateful("savepoint")), sessionCluster(highlyAvailable))
		h.checkpoints("etl")
		h.edit("etl", parallelism(4))
		h.untilSituation("etl", "Stopping")
		h.steps(3)
		h.w.Flink.ScriptJob("etl", job.Script{})
		h.killJobManager("session")
		h.until("the change runs", func() bool { j := h.job("etl"); return j != nil && j.Parallelism == 4 })
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, high-availability data(checkpoint), path(savepoint)")
	}, "the job that comes back is stopped again"},

	"an upgraded session job whose jar cannot be had is rolled back": {func(h *harness) {
		h.jars.refuse(otherJar, http.StatusNotFound)
		h.runs("etl", sessionJob("session", stateful("savepoint"), rolledBack), sessionCluster(highlyAvailable))
		h.checkpoints("etl")
		h.edit("etl", jobField("jarURI", otherJar))
		h.until("it is rolled back", func() bool {
			return h.settled("etl", v1beta1.LifecycleRolledBack)() && h.status("etl").Situation == "Steady"
		})
		h.sees("etl", "RUNNING ROLLED_BACK True Steady", "nothing, path(savepoint)")
		h.jars.refuse(otherJar, 0)
		h.edit("etl", parallelism(4))
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, path(savepoint), path(savepoint)")
	}, "the old job runs again from the savepoint, and a new spec ends the rollback"},

	"a session cluster is deleted and made again under a stateless session job": {func(h *harness) {
		h.runs("etl", sessionJob("session"), sessionCluster(blocksOnNothing))
		h.remove("session")
		h.untilGone("session")
		h.apply("session", sessionCluster(blocksOnNothing))
		h.until("another start", func() bool { return len(h.startsOf("etl")) == 2 })
		h.untilStable("etl")
		h.sees("etl", stable, "nothing, nothing")
	}, "a cluster of the same name is another one"},

	"a session cluster is deleted and made again under a stateful session job": {func(h *harness) {
		h.stateGoesWithItsCluster(blocksOnNothing)
	}, "it does not begin empty: a person chooses the state"},

	"a highly available session cluster is deleted and made again under a stateful session job": {func(h *harness) {
		h.stateGoesWithItsCluster(blocksOnNothing, highlyAvailable)
	}, "the data of a deleted cluster goes with it, and the new one of its name brings no job back"},

	"a session cluster with an unmanaged job beside a session job is deleted": {func(h *harness) {
		h.runs("etl", sessionJob("session"), sessionCluster())
		id := h.runJar("session")
		h.remove("session")
		h.until("it waits for the session job", func() bool {
			return strings.Contains(h.condition("session", "Stalled"), "etl")
		})
		h.remove("etl")
		h.untilGone("etl")
		h.until("it waits for the other job", func() bool {
			return strings.Contains(h.condition("session", "Stalled"), id)
		})
		h.w.Flink.Do(namespace, "session", id, func(j *job.Job) { j.Finish(h.w.Clock.Now()) })
		h.untilGone("session")
	}, "nobody's job is taken away by the deletion of its cluster"},

	"a session job and its cluster are edited at once": {func(h *harness) {
		h.runs("etl", sessionJob("session", stateful("last-state"), retained), sessionCluster(highlyAvailable))
		h.checkpoints("etl")
		h.edit("session", option("taskmanager.numberOfTaskSlots", "4"))
		h.edit("etl", parallelism(4))
		h.until("the change runs", func() bool { j := h.job("etl"); return j != nil && j.Parallelism == 4 })
		h.untilStable("session")
		h.untilStable("etl")
		starts := h.startsOf("etl")
		for _, start := range starts[1:] {
			if start.From == "" {
				h.t.Errorf("%s", start)
			}
		}
		h.uncounted = true // whether the cluster or the job goes first
	}, "one waits for the other, and no state is lost"},
}

// sessionJobStates are the states that a session job is deleted in.
var sessionJobStates = map[string]func(h *harness){
	"at once":           func(h *harness) { h.apply("session", sessionCluster()); h.submit("etl", sessionJob("session")) },
	"without a cluster": func(h *harness) { h.submit("etl", sessionJob("session")); h.untilSituation("etl", "Waiting") },
	"while it starts": func(h *harness) {
		h.apply("session", sessionCluster())
		h.untilStable("session")
		h.submit("etl", sessionJob("session"))
		h.step()
	},
	"while its jar cannot be had": func(h *harness) {
		h.jars.refuse(jarURI, http.StatusServiceUnavailable)
		h.apply("session", sessionCluster())
		h.submit("etl", sessionJob("session"))
		h.until("it says so", func() bool { return strings.Contains(h.condition("etl", "Ready"), "response 503") })
	},
	"while its main runs": func(h *harness) {
		h.w.Flink.ScriptJob("etl", job.Script{MainSteps: 5})
		h.apply("session", sessionCluster())
		h.untilStable("session")
		h.submit("etl", sessionJob("session"))
		h.until("it is asked for", func() bool {
			i := h.status("etl").Intent
			return i != nil && i.Release != nil && i.Release.RunAt != nil
		})
	},
	"while it is upgraded": func(h *harness) {
		h.runs("etl", sessionJob("session", stateful("savepoint")), sessionCluster())
		h.edit("etl", parallelism(4))
		h.step()
	},
	"while a savepoint is taken": func(h *harness) {
		h.w.Flink.ScriptJob("etl", job.Script{SnapshotSteps: 1000})
		h.runs("etl", sessionJob("session", stateful("savepoint")), sessionCluster())
		h.edit("etl", parallelism(4))
		h.untilSituation("etl", "Stopping")
	},
	"while it is cancelled slowly": func(h *harness) {
		h.w.Flink.ScriptJob("etl", job.Script{CancelSteps: 30})
		h.runs("etl", sessionJob("session"), sessionCluster())
		h.edit("etl", parallelism(4))
		h.untilSituation("etl", "Stopping")
	},
	"while suspended": func(h *harness) {
		h.runs("etl", sessionJob("session", stateful("savepoint")), sessionCluster())
		h.edit("etl", jobState("suspended"))
		h.untilSuspended("etl")
	},
	"while invalid": func(h *harness) {
		h.apply("session", sessionCluster())
		h.submit("etl", sessionJob("session", parallelism(0)))
		h.untilSituation("etl", "Invalid")
	},
	"after it failed": func(h *harness) {
		h.runs("etl", sessionJob("session"), sessionCluster())
		h.flink("etl", func(j *job.Job) { j.Fail("X", "no such topic", h.w.Clock.Now()) })
		h.until("it is FAILED", h.settled("etl", v1beta1.LifecycleFailed))
	},
	"with its state lost": func(h *harness) {
		h.runs("etl", sessionJob("session", stateful("savepoint")), sessionCluster())
		h.checkpoints("etl")
		h.killJobManager("session")
		h.untilSituation("etl", "StateLost")
	},
	"while its cluster is upgraded": func(h *harness) {
		h.runs("etl", sessionJob("session", stateful("last-state"), retained), sessionCluster(highlyAvailable))
		h.checkpoints("etl")
		h.edit("session", option("taskmanager.numberOfTaskSlots", "4"))
		h.step()
	},
	"while the Deployment of its cluster is lost": func(h *harness) {
		h.runs("etl", sessionJob("session"), sessionCluster())
		h.loseDeployment("session")
	},
	"with a savepoint that fails": func(h *harness) {
		h.w.Flink.ScriptJob("etl", job.Script{SnapshotFails: "the store is full"})
		h.runs("etl", sessionJob("session", stateful("savepoint"),
			option("kubernetes.operator.job.savepoint-on-deletion", "true")), sessionCluster())
	},
	"after its cluster": func(h *harness) {
		h.runs("etl", sessionJob("session"), sessionCluster(blocksOnNothing))
		h.remove("session")
		h.untilGone("session")
	},
}

// sessionJobDeleted deletes a session job, and then its cluster, where that is still there.
func sessionJobDeleted(beginning func(h *harness)) scenario {
	return scenario{func(h *harness) {
		beginning(h)
		held := len(h.resource("etl").GetFinalizers()) > 0
		h.remove("etl")
		h.untilGone("etl")
		if held { // what was never started goes without us
			h.hears("etl", v1beta1.LifecycleDeleted)
		}
		if d := h.w.Kube.Get(kubesim.Deployments, namespace, "session"); d != nil {
			if j := h.job("etl"); j != nil && !j.State.Ended() {
				h.t.Errorf("its job is %s", j.State)
			}
		}
		if h.resource("session") != nil {
			h.remove("session")
			h.untilGone("session")
		}
		h.rest()
		expect(h.t, "what is left", h.end(), "\n")
		expect(h.t, "JobManagers", h.w.Flink.JobManagers(namespace, "session"), 0)
	}, "a deletion always ends and leaves no job"}
}

// stateGoesWithItsCluster has a session cluster deleted under a job that keeps its state, and made again. The job says
// what it could start from, begins nothing by itself, and then goes on from what a person chooses.
func (h *harness) stateGoesWithItsCluster(cluster ...change) {
	h.t.Helper()
	h.runs("etl", sessionJob("session", stateful("last-state"), retained), sessionCluster(cluster...))
	h.checkpoints("etl")
	h.rest()
	id, known := h.status("etl").JobStatus.JobID, h.status("etl").JobStatus.Checkpoint
	if known == nil || known.Path == "" {
		h.t.Fatalf("no checkpoint of it is known: %s", h.describe())
	}
	h.remove("session")
	h.untilGone("session")
	h.apply("session", sessionCluster(cluster...))
	h.untilStable("session")
	h.untilSituation("etl", "StateLost")
	h.rest()
	if told := h.condition("etl", "Stalled"); !strings.Contains(told, known.Path) {
		h.t.Errorf("Stalled says %q, and not from what it could start: %s", told, known.Path)
	}
	if safe := h.condition("etl", "StateSafe"); !strings.Contains(safe, "SessionClusterLost") {
		h.t.Errorf("StateSafe says %q", safe)
	}
	expect(h.t, "jobs that run", h.live("session"), 0)
	h.w.Storage.Put(job.Snapshot{Path: "s3://s/savepoint-mine", Savepoint: true, Progress: 5})
	h.edit("etl", jobField("initialSavepointPath", "s3://s/savepoint-mine"), jobField("savepointRedeployNonce", int64(1)))
	h.startsAgain("etl", 2)
	h.untilStable("etl")
	h.sees("etl", stable, "nothing, path(savepoint)")
	expect(h.t, "jobs that run", h.live("session"), 1)
	if now := h.status("etl").JobStatus.JobID; now == id {
		h.t.Errorf("the job of the new cluster has the ID of the old one's, %s", id)
	}
}
