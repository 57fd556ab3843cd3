package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

// id makes the 32 hexadecimal digits that stand for the n-th job, trigger or checkpoint of the recording.
func id(kind string, n int) string { return fmt.Sprintf("%s%030x", kind, n) }

func job(n int) string     { return id("aa", n) }
func trigger(n int) string { return id("bb", n) }

type object = map[string]any

func playSession(r *recorder, c *cluster, jar string) {
	playStart(r)
	jarID := playJars(r, jar)
	playRunning(r, jarID)
	playSavepoints(r, c)
	playCheckpoints(r)
	playUnknown(r)
	stopped := playStop(r, c, jarID)
	playOtherEnds(r, c, jarID)
	playRestore(r, jarID, stopped)
	playSlowMain(r, jarID)
	playJarsEnd(r, jarID)
	r.call("cluster-shutdown", http.MethodDelete, "/cluster", nil)
}

// playStart records the answers of a JobManager on its way to leadership, then those of an empty cluster.
func playStart(r *recorder) {
	check(await("the first answer", func() bool {
		status, answer, err := get(r.base + "/jobs/overview")
		if err == nil && status != http.StatusOK {
			r.save("starting", "GET /v1/jobs/overview", nil, status, answer)
		}
		return err == nil && status == http.StatusOK
	}))
	check(await("a TaskManager", func() bool { return r.field("/overview", "taskmanagers") == "1" }))
	r.get("overview-empty", "/overview")
	r.get("config", "/config")
	r.get("jobmanager-config", "/jobmanager/config")
	r.get("taskmanagers", "/taskmanagers")
	r.get("jobs-empty", "/jobs/overview")
	r.get("jars-empty", "/jars")
	r.get("no-such-path", "/no-such-path")
	r.call("no-such-path-post", http.MethodPost, "/no-such-path", object{})
}

func playJars(r *recorder, jar string) string {
	jarID := r.upload("jar-upload", jar, "operation.jar")
	r.upload("jar-upload-not-a-jar", jar, "operation.txt")
	r.get("jars", "/jars")
	r.call("jar-run-unknown-jar", http.MethodPost, "/jars/no-such.jar/run", object{"jobId": job(9)})
	r.call(
		"jar-run-main-fails", http.MethodPost, "/jars/"+jarID+"/run",
		object{"jobId": job(9), "programArgsList": []string{"--fail-main"}},
	)
	r.call(
		"jar-run-no-class", http.MethodPost, "/jars/"+jarID+"/run", object{"jobId": job(9), "entryClass": "no.such.Main"},
	)
	r.call("jar-run-bad-job-id", http.MethodPost, "/jars/"+jarID+"/run", object{"jobId": "xyz"})
	return jarID
}

// playRunning starts job 1 and records it while it runs.
func playRunning(r *recorder, jarID string) {
	run := object{
		"jobId": job(1), "parallelism": 2, "programArgsList": []string{"--checkpoint-ms", "1000", "--snapshot-ms", "700"},
	}
	r.call("jar-run", http.MethodPost, "/jars/"+jarID+"/run", run)
	awaitState(r, job(1), "RUNNING")
	check(await("a checkpoint", func() bool {
		return r.field("/jobs/"+job(1)+"/checkpoints", "latest.completed.id") != ""
	}))
	r.call("jar-run-again-while-running", http.MethodPost, "/jars/"+jarID+"/run", run)
	r.get("overview", "/overview")
	r.get("jobs", "/jobs/overview")
	at := "/jobs/" + job(1)
	r.get("job", at)
	r.get("job-config", at+"/config")
	r.get("job-exceptions-none", at+"/exceptions")
	answer := r.get("checkpoints", at+"/checkpoints")
	r.get("checkpoint-details", at+"/checkpoints/details/"+pick(answer, "latest.completed.id"))
	r.get("checkpoint-details-unknown", at+"/checkpoints/details/99999")
	r.get("checkpoint-config", at+"/checkpoints/config")
	r.get("execution-result-running", at+"/execution-result")
	r.get("resource-requirements-default-scheduler", at+"/resource-requirements")
	if r.modern() { // 1.15 and 1.16 cannot fetch metrics on Java 17
		playMetrics(r, at)
	}
}

func playMetrics(r *recorder, at string) {
	check(await("metrics", func() bool {
		_, answer, err := get(r.base + at + "/metrics?get=numRestarts")
		return err == nil && strings.Contains(string(answer), "numRestarts")
	}))
	r.get("metrics", at+"/metrics?get=numRestarts,fullRestarts,numberOfCompletedCheckpoints")
	r.get("metrics-one-unknown", at+"/metrics?get=numRestarts,noSuchMetric")
	r.get("jobmanager-metrics", "/jobmanager/metrics?get=taskSlotsTotal,taskSlotsAvailable")
	r.get("taskmanager-metrics", "/taskmanagers/metrics?get=Status.JVM.Memory.Heap.Max,Status.JVM.Memory.Heap.Used")
	r.get("taskmanager-metrics-one-unknown", "/taskmanagers/metrics?get=Status.JVM.Memory.Heap.Max,noSuchMetric")
	vertex := firstVertex(r.get("", at))
	check(await("busy time", func() bool {
		_, answer, err := get(r.base + at + "/vertices/" + vertex + "/subtasks/metrics?get=busyTimeMsPerSecond")
		return err == nil && strings.Contains(string(answer), "max")
	}))
	r.get("vertex-metric-names", at+"/vertices/"+vertex+"/subtasks/metrics")
	r.get("vertex-metrics", at+"/vertices/"+vertex+"/subtasks/metrics?get=busyTimeMsPerSecond,numRecordsOut")
	r.get("vertex-metrics-unknown-vertex", at+"/vertices/"+id("cc", 1)+"/subtasks/metrics?get=numRecordsOut")
}

func firstVertex(answer []byte) string {
	var details struct{ Vertices []struct{ ID string } }
	check(json.Unmarshal(answer, &details))
	return details.Vertices[0].ID
}

// playSavepoints triggers one savepoint three times under one ID and counts what is on disk.
func playSavepoints(r *recorder, c *cluster) {
	at, dir := "/jobs/"+job(1)+"/savepoints", c.work+"/savepoints"
	body := object{
		"target-directory": "file://" + dir, "cancel-job": false, "formatType": "NATIVE", "triggerId": trigger(1),
	}
	r.call("savepoint-trigger", http.MethodPost, at, body)
	r.call("savepoint-trigger-again", http.MethodPost, at, body)
	r.get("savepoint-in-progress", at+"/"+trigger(1))
	awaitOperation(r, at+"/"+trigger(1))
	r.get("savepoint-completed", at+"/"+trigger(1))
	r.call("savepoint-trigger-after-completion", http.MethodPost, at, body)
	time.Sleep(2 * time.Second) // for a second savepoint to show, if there were one
	r.fact("savepoints-made-by-three-triggers-of-one-id", entries(dir))
	location := r.field(at+"/"+trigger(1), "operation.location")

	r.call("savepoint-no-directory", http.MethodPost, at, object{"cancel-job": false, "triggerId": trigger(2)})
	r.call(
		"savepoint-bad-trigger-id", http.MethodPost, at, object{"target-directory": "file://" + dir, "triggerId": "xyz"},
	)
	r.call("savepoint-bad-format", http.MethodPost, at, object{"target-directory": "file://" + dir, "formatType": "xyz"})
	r.call("savepoint-unknown-field", http.MethodPost, at,
		object{"target-directory": "file://" + dir, "triggerId": trigger(12), "no-such-field": 1})
	r.call(
		"savepoint-to-nowhere", http.MethodPost, at,
		object{"target-directory": "file:///dev/null/x", "triggerId": trigger(3)},
	)
	awaitOperation(r, at+"/"+trigger(3))
	r.get("savepoint-failed", at+"/"+trigger(3))
	r.get("savepoint-unknown-trigger", at+"/"+trigger(99))

	answer := r.dispose("disposal-trigger", location)
	r.get("disposal-unknown-trigger", "/savepoint-disposal/"+trigger(99))
	awaitOperation(r, "/savepoint-disposal/"+answer)
	r.get("disposal-completed", "/savepoint-disposal/"+answer)
	answer = r.dispose("", location)
	awaitOperation(r, "/savepoint-disposal/"+answer)
	r.get("disposal-again", "/savepoint-disposal/"+answer)
}

func (r *recorder) dispose(name, location string) string {
	_, answer := r.call(name, http.MethodPost, "/savepoint-disposal", object{"savepoint-path": location})
	return pick(answer, "request-id")
}

func entries(dir string) int {
	list, err := os.ReadDir(dir)
	check(err)
	return len(list)
}

func playCheckpoints(r *recorder) {
	at := "/jobs/" + job(1) + "/checkpoints"
	body := object{"checkpointType": "FULL", "triggerId": trigger(4)}
	if status, _ := r.call("checkpoint-trigger", http.MethodPost, at, body); status >= 300 {
		return // before 1.17
	}
	r.call("checkpoint-trigger-again", http.MethodPost, at, body)
	r.get("checkpoint-in-progress", at+"/"+trigger(4))
	awaitOperation(r, at+"/"+trigger(4))
	r.get("checkpoint-completed", at+"/"+trigger(4))
	r.get("checkpoint-unknown-trigger", at+"/"+trigger(99))
	r.call(
		"checkpoint-incremental", http.MethodPost, at, object{"checkpointType": "INCREMENTAL", "triggerId": trigger(5)},
	)
}

// playUnknown asks for a job that never was.
func playUnknown(r *recorder) {
	at := "/jobs/" + job(404)
	for name, path := range map[string]string{
		"job": "", "job-config": "/config", "job-exceptions": "/exceptions", "checkpoints": "/checkpoints",
		"checkpoint-config": "/checkpoints/config", "checkpoint-details": "/checkpoints/details/1",
		"execution-result": "/execution-result", "metrics": "/metrics?get=numRestarts",
		"resource-requirements": "/resource-requirements",
		"vertex-metrics":        "/vertices/" + id("cc", 1) + "/subtasks/metrics",
	} {
		r.get(name+"-unknown-job", at+path)
	}
	r.get("job-bad-id", "/jobs/xyz")
	r.call("cancel-unknown-job", http.MethodPatch, at+"?mode=cancel", nil)
	r.call(
		"savepoint-trigger-unknown-job", http.MethodPost, at+"/savepoints",
		object{"target-directory": "file:///x", "triggerId": trigger(6)},
	)
	time.Sleep(300 * time.Millisecond)
	r.get("savepoint-status-unknown-job", at+"/savepoints/"+trigger(6))
	r.call(
		"stop-unknown-job", http.MethodPost, at+"/stop", object{"targetDirectory": "file:///x", "triggerId": trigger(7)},
	)
	time.Sleep(300 * time.Millisecond)
	r.get("stop-status-unknown-job", at+"/savepoints/"+trigger(7))
}

// playStop stops job 1 with a savepoint, asks twice under one ID, and returns the savepoint.
func playStop(r *recorder, c *cluster, jarID string) string {
	at, dir := "/jobs/"+job(1), c.work+"/stops"
	body := object{"targetDirectory": "file://" + dir, "drain": false, "formatType": "CANONICAL", "triggerId": trigger(8)}
	r.call("stop-trigger", http.MethodPost, at+"/stop", body)
	r.call("stop-trigger-again", http.MethodPost, at+"/stop", body)
	r.get("stop-in-progress", at+"/savepoints/"+trigger(8))
	awaitOperation(r, at+"/savepoints/"+trigger(8))
	r.get("stop-completed", at+"/savepoints/"+trigger(8))
	awaitState(r, job(1), "FINISHED")
	r.call("stop-trigger-after-the-end", http.MethodPost, at+"/stop", body)
	r.get("stop-completed-after-the-end", at+"/savepoints/"+trigger(8))
	r.fact("savepoints-made-by-three-stops-of-one-id", entries(dir))
	body["triggerId"] = trigger(10)
	r.call("stop-other-id-after-the-end", http.MethodPost, at+"/stop", body)
	awaitOperation(r, at+"/savepoints/"+trigger(10))
	r.get("stop-failed-job-ended", at+"/savepoints/"+trigger(10))

	r.get("job-finished", at)
	r.get("checkpoints-finished", at+"/checkpoints")
	r.get("execution-result-finished", at+"/execution-result")
	r.call("cancel-finished", http.MethodPatch, at+"?mode=cancel", nil)
	r.call("jar-run-again-after-the-end", http.MethodPost, "/jars/"+jarID+"/run", object{"jobId": job(1)})
	return r.field(at+"/savepoints/"+trigger(8), "operation.location")
}

// playOtherEnds records a job without checkpoints that is cancelled, one that fails, and one whose stop goes wrong.
func playOtherEnds(r *recorder, c *cluster, jarID string) {
	run := func(n int, args ...string) {
		r.call("", http.MethodPost, "/jars/"+jarID+"/run", object{"jobId": job(n), "programArgsList": args})
	}
	run(2)
	awaitState(r, job(2), "RUNNING")
	r.get("checkpoints-not-enabled", "/jobs/"+job(2)+"/checkpoints")
	r.get("checkpoint-config-not-enabled", "/jobs/"+job(2)+"/checkpoints/config")
	r.call("cancel", http.MethodPatch, "/jobs/"+job(2)+"?mode=cancel", nil)
	awaitState(r, job(2), "CANCELED")
	r.call("cancel-canceled", http.MethodPatch, "/jobs/"+job(2)+"?mode=cancel", nil)
	r.get("job-canceled", "/jobs/"+job(2))
	r.get("execution-result-canceled", "/jobs/"+job(2)+"/execution-result")
	r.call("jar-run-again-after-cancel", http.MethodPost, "/jars/"+jarID+"/run", object{"jobId": job(2)})

	if r.modern() {
		r.call("jar-run-batch", http.MethodPost, "/jars/"+jarID+"/run",
			object{"jobId": job(8), "flinkConfiguration": object{"execution.runtime-mode": "BATCH"}})
		awaitState(r, job(8), "RUNNING")
		r.get("checkpoints-batch", "/jobs/"+job(8)+"/checkpoints")
		r.get("checkpoint-config-batch", "/jobs/"+job(8)+"/checkpoints/config")
		r.call("", http.MethodPatch, "/jobs/"+job(8)+"?mode=cancel", nil)
	}

	run(3, "--checkpoint-ms", "500", "--fail-after", "150")
	awaitState(r, job(3), "FAILED")
	r.get("job-failed", "/jobs/"+job(3))
	r.get("job-exceptions", "/jobs/"+job(3)+"/exceptions")
	r.get("job-exceptions-limited", "/jobs/"+job(3)+"/exceptions?maxExceptions=1")
	r.get("execution-result-failed", "/jobs/"+job(3)+"/execution-result")
	r.get("checkpoints-failed", "/jobs/"+job(3)+"/checkpoints")
	r.call("cancel-failed", http.MethodPatch, "/jobs/"+job(3)+"?mode=cancel", nil)

	run(4, "--checkpoint-ms", "500", "--fail-close")
	check(await("a checkpoint", func() bool {
		return r.field("/jobs/"+job(4)+"/checkpoints", "latest.completed.id") != ""
	}))
	r.call(
		"", http.MethodPost, "/jobs/"+job(4)+"/stop",
		object{"targetDirectory": "file://" + c.work + "/stops", "triggerId": trigger(11)},
	)
	awaitOperation(r, "/jobs/"+job(4)+"/savepoints/"+trigger(11))
	r.get("stop-failed-after-savepoint", "/jobs/"+job(4)+"/savepoints/"+trigger(11))
	r.call("", http.MethodPatch, "/jobs/"+job(4)+"?mode=cancel", nil)
	r.get("jobs-of-all-sorts", "/jobs/overview")
}

// playRestore starts a job from a savepoint, and one from a savepoint that is not there.
func playRestore(r *recorder, jarID, savepoint string) {
	mode := "claimMode"
	if strings.HasPrefix(r.version, "1.1") {
		mode = "restoreMode"
	}
	args := []string{"--checkpoint-ms", "500"}
	run := object{
		"jobId": job(5), "savepointPath": savepoint, mode: "NO_CLAIM", "allowNonRestoredState": false,
		"programArgsList": args,
	}
	if r.modern() {
		run["flinkConfiguration"] = object{"pipeline.name": "named by flinkConfiguration"}
	}
	r.call("jar-run-from-savepoint", http.MethodPost, "/jars/"+jarID+"/run", run)
	awaitState(r, job(5), "RUNNING")
	check(await("a checkpoint", func() bool {
		return r.field("/jobs/"+job(5)+"/checkpoints", "latest.completed.id") != ""
	}))
	r.get("checkpoints-restored", "/jobs/"+job(5)+"/checkpoints")
	r.get("job-restored", "/jobs/"+job(5))
	r.call("", http.MethodPatch, "/jobs/"+job(5)+"?mode=cancel", nil)
	r.call("jar-run-savepoint-missing", http.MethodPost, "/jars/"+jarID+"/run",
		object{"jobId": job(6), "savepointPath": "file:///no/such/savepoint", "programArgsList": args})
	time.Sleep(2 * time.Second)
	r.get("job-savepoint-missing", "/jobs/"+job(6))
	r.get("checkpoints-savepoint-missing", "/jobs/"+job(6)+"/checkpoints")
	r.get("execution-result-savepoint-missing", "/jobs/"+job(6)+"/execution-result")
	r.get("job-exceptions-savepoint-missing", "/jobs/"+job(6)+"/exceptions")
	r.call("jar-run-again-after-savepoint-missing", http.MethodPost, "/jars/"+jarID+"/run",
		object{"jobId": job(6), "savepointPath": savepoint, "programArgsList": args})
}

// playSlowMain gives up on a run before main has submitted, then looks whether the job comes all the same.
func playSlowMain(r *recorder, jarID string) {
	body, err := json.Marshal(object{"jobId": job(7), "programArgsList": []string{"--main-ms", "3000"}})
	check(err)
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	_, _, err = send(ctx, http.MethodPost, r.base+"/jars/"+jarID+"/run", body, "application/json")
	r.fact("run-given-up-after-500ms-of-3s", err != nil)
	before := r.field("/jobs/"+job(7), "state")
	again, answer := r.call("jar-run-again-while-main-runs", http.MethodPost, "/jars/"+jarID+"/run",
		object{"jobId": job(7), "programArgsList": []string{"--main-ms", "6000"}})
	r.fact("job-state-while-main-runs", before)
	r.fact("second-run-while-main-runs", fmt.Sprint(again, " ", pick(answer, "jobid")))
	awaitState(r, job(7), "RUNNING")
	r.fact("job-state-after-a-run-that-was-given-up", r.field("/jobs/"+job(7), "state"))
	r.call("", http.MethodPatch, "/jobs/"+job(7)+"?mode=cancel", nil)
}

func playJarsEnd(r *recorder, jarID string) {
	r.call("jar-delete", http.MethodDelete, "/jars/"+jarID, nil)
	r.call("jar-delete-again", http.MethodDelete, "/jars/"+jarID, nil)
}

func awaitState(r *recorder, jobID, state string) {
	check(await(jobID+" "+state, func() bool { return r.field("/jobs/"+jobID, "state") == state }))
}

func awaitOperation(r *recorder, path string) {
	check(await(path, func() bool { return r.field(path, "status.id") == "COMPLETED" }))
}
