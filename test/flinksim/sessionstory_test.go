package flinksim

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
)

// recordedOptions are those of the recorded clusters, for a session cluster.
func (p *play) recordedOptions() map[string]string {
	config := session(map[string]string{
		"execution.target": "remote", "$internal.flink.version": "v" + strings.ReplaceAll(p.version, ".", "_"),
		"taskmanager.numberOfTaskSlots": "4", "parallelism.default": "1",
		"restart-strategy.type": "fixed-delay", "restart-strategy.fixed-delay.attempts": "1",
		"state.checkpoints.dir": "file:///flink-data/checkpoints",
	})
	delete(config, "state.savepoints.dir")
	delete(config, "execution.checkpointing.interval")
	return config
}

// aSession begins a session cluster of one TaskManager and uploads the jar.
func aSession(more map[string]string) func(p *play) {
	return func(p *play) {
		p.w = NewWorld(p.t)
		config := p.recordedOptions()
		maps.Copy(config, more)
		standalone(p.t, p.w, config, 1)
		p.w.Settle()
		p.ask(step{asks: "jar-upload"})
	}
}

// sessionStory is what test/flinksim/record did in playSession, but for a main that is slow.
func sessionStory() story {
	return story{func(p *play) {
		p.w = NewWorld(p.t)
		p.w.Flink.Script("flink", "demo", process.Script{ElectionSteps: 2})
		standalone(p.t, p.w, p.recordedOptions(), 1)
		for range 100 {
			if _, listens := p.w.Flink.Reach(Host("flink", "demo")); listens {
				return
			}
			p.w.Step()
		}
	}, steps(
		starting(), aRunningJob(), savepoints(), checkpoints(), unknown(), stops(), otherEnds(), restores(),
		"jar-delete", "jar-delete-again",
	)}
}

func starting() []step {
	return steps(
		"starting", do(func(p *play) { p.w.Settle() }),
		but("overview-empty", map[string]string{".slots-": "its TaskManager had just come"}), "config",
		but("jobmanager-config", map[string]string{"": "it is of another cluster"}),
		but("taskmanagers", map[string]string{"[0].freeSlots": "the model tells of none", "[0].id": "a pod's name"}),
		"jobs-empty", "jars-empty", "no-such-path", "no-such-path-post", "jar-upload", "jar-upload-not-a-jar", "jars",
		"jar-run-unknown-jar", "jar-run-main-fails", "jar-run-bad-job-id",
	)
}

// aRunningJob are the answers while job 1 runs. Its statistics are of a moment at which a checkpoint was in progress,
// which is complete by the time of the answer.
func aRunningJob() []step {
	at := "/jobs/" + jobOf(1) + "/checkpoints"
	return steps(
		"jar-run", waits(10), "jar-run-again-while-running", "overview", "jobs", "job",
		but("job-config", map[string]string{".execution-config.restart-strategy": "a text for people"}),
		"job-exceptions-none", posts(at, byHand(70)), looks(at), waits(2), "checkpoints", waits(5),
		"checkpoint-details", "checkpoint-details-unknown", "checkpoint-config", "execution-result-running",
		"resource-requirements-default-scheduler", do(func(p *play) {
			set, source := p.w.Flink.SetMetric, job.VertexID(recordJob, "source")
			set("jobmanager", "taskSlotsTotal", "4")
			set("jobmanager", "taskSlotsAvailable", "2")
			set("vertex/"+source, "busyTimeMsPerSecond", "1000")
			set("vertex/"+source, "numRecordsOut", "0")
		}),
		but("metrics", map[string]string{".numberOfCompletedCheckpoints": "a metric that is behind"}),
		"metrics-one-unknown", "jobmanager-metrics",
		but("taskmanager-metrics", map[string]string{".Status.JVM.Memory.Heap": "of another machine"}),
		"taskmanager-metrics-one-unknown",
		but("vertex-metric-names", map[string]string{"": "the model has those that it is told"}),
		but("vertex-metrics", map[string]string{
			".busyTimeMsPerSecond.sum": "the model's is of one subtask", ".numRecordsOut": "of another moment",
		}),
		"vertex-metrics-unknown-vertex",
	)
}

func savepoints() []step {
	return steps(
		fails(""), "savepoint-trigger", "savepoint-trigger-again", "savepoint-in-progress", waits(5),
		"savepoint-completed", "savepoint-trigger-after-completion", waits(5),
		fact("savepoints-made-by-three-triggers-of-one-id", stored("/savepoints/")),
		"savepoint-no-directory", "savepoint-bad-trigger-id", "savepoint-bad-format", "savepoint-unknown-field", waits(5),
		fails("An Exception occurred while triggering the checkpoint. IO-problem detected."),
		"savepoint-to-nowhere", waits(5), "savepoint-failed", "savepoint-unknown-trigger", fails(""),
		"disposal-trigger", "disposal-unknown-trigger", "disposal-completed", do(disposeAgain), "disposal-again",
	)
}

// disposeAgain asks for a disposal that was recorded by its result alone.
func disposeAgain(p *play) {
	var first, again recording
	read(p.t, p.version, "disposal-trigger", &first)
	read(p.t, p.version, "disposal-again", &again)
	_, answer := p.send(http.MethodPost, "/v1/savepoint-disposal", "", first.Sent)
	p.drawn = append(p.drawn, again.Request[strings.LastIndex(again.Request, "/")+1:],
		decoded(p.t, answer).(map[string]any)["request-id"].(string))
}

// stored counts the snapshots whose path has a part.
func stored(part string) func(p *play) any {
	return func(p *play) any {
		n := 0
		for _, s := range p.w.Storage.Snapshots() {
			if strings.Contains(s.Path, part) {
				n++
			}
		}
		return n
	}
}

// fails lets each snapshot of the job fail from now on, or none. From now on there are those that are asked for.
func fails(message string) step {
	return do(func(p *play) {
		p.w.Flink.ScriptJob(recordJob, job.Script{SnapshotFails: message, SnapshotSteps: 1, NoCheckpoints: true})
	})
}

// byHand asks for a checkpoint that was not recorded.
func byHand(n int) map[string]any { return map[string]any{"triggerId": triggerOf(n)} }

func checkpoints() []step {
	return steps("checkpoint-trigger", "checkpoint-trigger-again", "checkpoint-in-progress", waits(5),
		"checkpoint-completed", "checkpoint-unknown-trigger", "checkpoint-incremental")
}

func unknown() []step {
	return steps("job-unknown-job", "job-config-unknown-job", "job-exceptions-unknown-job", "checkpoints-unknown-job",
		"checkpoint-config-unknown-job", "checkpoint-details-unknown-job", "execution-result-unknown-job",
		"metrics-unknown-job", "resource-requirements-unknown-job", "vertex-metrics-unknown-job", "job-bad-id",
		"cancel-unknown-job", "savepoint-trigger-unknown-job", "savepoint-status-unknown-job", "stop-unknown-job",
		"stop-status-unknown-job")
}

// stops are the end of job 1. With 1.20 the stop met a checkpoint that was in progress.
func stops() []step {
	return steps(
		of("1.20", posts("/jobs/"+jobOf(1)+"/checkpoints", byHand(71))),
		"stop-trigger", "stop-trigger-again", "stop-in-progress", waits(5), "stop-completed",
		"stop-trigger-after-the-end", "stop-completed-after-the-end",
		fact("savepoints-made-by-three-stops-of-one-id", stored("/stops/")),
		"stop-other-id-after-the-end", "stop-failed-job-ended", "job-finished", "checkpoints-finished",
		"execution-result-finished", "cancel-finished", "jar-run-again-after-the-end",
	)
}

// runs starts the n-th job, as RecordJob.java runs with these options and arguments.
func runs(n int, options map[string]any, args ...string) step {
	return do(func(p *play) {
		var r recording
		read(p.t, p.version, "jar-run", &r)
		method, path, _ := strings.Cut(p.instead(r.Request), " ")
		text, err := json.Marshal(map[string]any{
			"jobId": jobOf(n), "flinkConfiguration": options, "programArgsList": args,
		})
		if err != nil {
			p.t.Fatal(err)
		}
		if status, answer := p.send(method, path, "", text); status != http.StatusOK {
			p.t.Fatalf("%d %s", status, answer)
		}
		p.w.Settle()
	})
}

// failsOver is a record that RecordJob.java was told to fail at.
func failsOver(j *job.Job, now time.Time) {
	j.Restart("java.lang.IllegalStateException", "record was told to fail", now)
}

// otherEnds are a job without checkpoints that is cancelled, one in batch mode, one that fails, and one whose stop
// fails.
func otherEnds() []step {
	const every = "--checkpoint-ms"
	return steps(
		runs(2, nil), waits(5), "checkpoints-not-enabled", "checkpoint-config-not-enabled", "cancel", waits(5),
		"cancel-canceled", "job-canceled", "execution-result-canceled", "jar-run-again-after-cancel",
		"jar-run-batch", waits(5), "checkpoints-batch", "checkpoint-config-batch", acts(8, cancel),
		runs(3, nil, every, "500"), waits(5), acts(3, failsOver), waits(5), acts(3, failsOver), waits(5),
		but("job-failed", map[string]string{".status-counts": whichTask, ".vertices[0]": whichTask}),
		but("job-exceptions", map[string]string{".Entries[0].concurrentExceptions": noneReads}),
		but("job-exceptions-limited", map[string]string{".Entries[0].concurrentExceptions": noneReads}),
		"execution-result-failed", "checkpoints-failed", "cancel-failed",
		runs(4, nil, every, "500", "--fail-close"), waits(5), stopOf(4, 11), waits(5), "stop-failed-after-savepoint",
		but("jobs-of-all-sorts", map[string]string{
			"[2].tasks": whichTask, "[3].tasks": whichTask, "[4].tasks": "in batch mode not all are there at once",
		}),
	)
}

// Why a value is not compared.
const (
	whichTask = "in the model each task ends as the job does"
	noneReads = "nothing but package flinkrest reads it"
)

// restores are a job from a savepoint, with a checkpoint in progress in 1.20, and one from none.
func restores() []step {
	slow := do(func(p *play) { p.w.Flink.ScriptJob(recordJob, job.Script{SnapshotSteps: 1}) })
	return steps(
		"jar-run-from-savepoint", waits(5), slow, of("1.20", posts("/jobs/"+jobOf(5)+"/checkpoints", byHand(72))),
		"checkpoints-restored", "job-restored", acts(5, cancel),
		"jar-run-savepoint-missing", waits(5), "job-savepoint-missing", "checkpoints-savepoint-missing",
		"execution-result-savepoint-missing", "job-exceptions-savepoint-missing", "jar-run-again-after-savepoint-missing",
	)
}
