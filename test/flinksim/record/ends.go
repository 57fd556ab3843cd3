package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// playEnds records what is left of the checkpoints of a job after each end, for each retention. It is a cluster of its
// own, because its JobManager is stopped in the end.
func playEnds(r *recorder, c *cluster, jar string) {
	check(await("a TaskManager", func() bool { return r.field("/overview", "taskmanagers") == "1" }))
	jarID := r.upload("", jar, "operation.jar")
	n := 40
	for _, retention := range retentions {
		for _, end := range []string{"CANCELED", "FAILED", "FINISHED", "stop"} {
			playEnd(r, c, jarID, ending{job(n), retention, end})
			n++
		}
	}
	playRetentionInCode(r, jarID, job(n))
	playRestarts(r, jarID, n+1)
	playStopThatFails(r, c, jarID, job(n+10), "")
	playCaches(r, jarID, n+20)
	for i, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		playSignal(r, c, jarID, n+30+10*i, signal)
		if signal == syscall.SIGKILL {
			break
		}
		c.stop()
		check(c.start(sessionClass, nil))
		check(await("a TaskManager", func() bool { return r.field("/overview", "taskmanagers") == "1" }))
		jarID = r.upload("", jar, "operation.jar")
	}
}

// retentions are the values of execution.checkpointing.externalized-checkpoint-retention.
var retentions = []string{"RETAIN_ON_CANCELLATION", "DELETE_ON_CANCELLATION", "NO_EXTERNALIZED_CHECKPOINTS"}

const retentionKey = "execution.checkpointing.externalized-checkpoint-retention"

func (r *recorder) run(jarID, jobID string, conf object, args ...string) {
	status, answer := r.call(
		"", http.MethodPost, "/jars/"+jarID+"/run",
		object{"jobId": jobID, "flinkConfiguration": conf, "programArgsList": args},
	)
	if status != http.StatusOK {
		check(fmt.Errorf("run %s: %d %s", jobID, status, answer))
	}
}

func awaitCheckpoint(r *recorder, jobID string) {
	check(await("a checkpoint of "+jobID, func() bool {
		return r.field("/jobs/"+jobID+"/checkpoints", "latest.completed.id") != ""
	}))
}

// settled is longer than web.refresh-interval, which is 3 s: an answer after it is of now.
const settled = 4 * time.Second

// ending is a job with a retention, and how it ends: its last state, or "stop" with a savepoint.
type ending struct{ job, retention, how string }

// playEnd runs a job to one end and notes what is left of its newest checkpoint.
func playEnd(r *recorder, c *cluster, jarID string, e ending) {
	jobID, retention, end := e.job, e.retention, e.how
	args := []string{"--checkpoint-ms", "500"}
	switch end {
	case "FAILED":
		args = append(args, "--fail-after", "250")
	case "FINISHED":
		args = append(args, "--records", "250")
	}
	r.run(jarID, jobID, object{retentionKey: retention, "restart-strategy.type": "none"}, args...)
	awaitCheckpoint(r, jobID)
	at, state := "/jobs/"+jobID, end
	switch end {
	case "CANCELED":
		r.get("checkpoint-config-"+strings.ToLower(retention), at+"/checkpoints/config")
		r.call("", http.MethodPatch, at+"?mode=cancel", nil)
	case "stop":
		state = "FINISHED"
		r.call(
			"", http.MethodPost, at+"/stop",
			object{"targetDirectory": "file://" + c.work + "/stops", "triggerId": trigger(40)},
		)
	}
	awaitState(r, jobID, state)
	time.Sleep(settled)
	name := ""
	if end == "CANCELED" && retention == "DELETE_ON_CANCELLATION" {
		name = "checkpoints-canceled-delete_on_cancellation"
	}
	answer := r.get(name, at+"/checkpoints")
	r.fact(fmt.Sprintf("newest-checkpoint-after-%s-%s", end, retention), fmt.Sprintf("discarded %s, files there: %t",
		pick(answer, "latest.completed.discarded"), newest(c, jobID)))
}

// newest tells whether a checkpoint of the job is on disk.
func newest(c *cluster, jobID string) bool {
	found, err := filepath.Glob(filepath.Join(c.work, "checkpoints", jobID, "chk-*", "_metadata"))
	check(err)
	return len(found) > 0
}

// playRetentionInCode runs a job whose code sets another retention than its configuration.
func playRetentionInCode(r *recorder, jarID, jobID string) {
	r.run(
		jarID, jobID, object{retentionKey: retentions[0]}, "--checkpoint-ms", "500", "--set",
		retentionKey+"="+retentions[1],
	)
	awaitState(r, jobID, "RUNNING")
	r.get("checkpoint-config-in-code", "/jobs/"+jobID+"/checkpoints/config")
	r.call("", http.MethodPatch, "/jobs/"+jobID+"?mode=cancel", nil)
}

// playRestarts counts how often a job that fails again and again is started, by restart strategy.
func playRestarts(r *recorder, jarID string, n int) {
	for name, row := range map[string]struct {
		conf object
		args []string
	}{
		"none": {object{"restart-strategy.type": "none"}, []string{"--checkpoint-ms", "500"}},
		"fixed-delay-2": {object{"restart-strategy.type": "fixed-delay", "restart-strategy.fixed-delay.attempts": "2",
			"restart-strategy.fixed-delay.delay": "100ms"}, []string{"--checkpoint-ms", "500"}},
	} {
		r.run(jarID, job(n), row.conf, append(row.args, "--fail-after", "60")...)
		awaitState(r, job(n), "FAILED")
		time.Sleep(settled)
		answer := r.get("", "/jobs/"+job(n)+"/exceptions")
		var told struct{ ExceptionHistory struct{ Entries []any } }
		check(decode(answer, &told))
		r.fact("failures-of-a-job-with-restart-strategy-"+name, len(told.ExceptionHistory.Entries))
		n++
	}
}

// playStopThatFails stops a job whose close fails once, under the scheduler of that name: its savepoint is complete,
// and it does not go on, though its restart strategy would allow it.
func playStopThatFails(r *recorder, c *cluster, jarID, jobID, scheduler string) {
	r.run(
		jarID, jobID, object{"restart-strategy.type": "exponential-delay"}, "--checkpoint-ms", "500", "--fail-close-once",
	)
	awaitCheckpoint(r, jobID)
	at, under := "/jobs/"+jobID, ""
	if scheduler != "" {
		under = "-" + scheduler
	}
	r.call(
		"", http.MethodPost, at+"/stop", object{"targetDirectory": "file://" + c.work + "/stops", "triggerId": trigger(41)},
	)
	awaitOperation(r, at+"/savepoints/"+trigger(41))
	time.Sleep(2 * settled)
	r.fact("job-state-after-a-stop-that-failed-after-its-savepoint"+under, r.field(at, "state"))
	if scheduler != "" {
		r.get("stop-failed-after-savepoint"+under, at+"/savepoints/"+trigger(41))
	}
	r.get("checkpoints-after-a-failed-stop"+under, at+"/checkpoints")
	r.call("", http.MethodPatch, at+"?mode=cancel", nil)
}

// playCaches counts the different answers about a job that makes ten checkpoints a second, and asks for statistics too
// early.
func playCaches(r *recorder, jarID string, n int) {
	at := "/jobs/" + job(n)
	r.get("", at+"/checkpoints") // 404: is it remembered?
	r.run(jarID, job(n), object{"restart-strategy.type": "none"}, "--checkpoint-ms", "100")
	status, _, err := get(r.base + at + "/checkpoints")
	check(err)
	r.fact("status-of-statistics-that-were-asked-for-before-the-job-came", status)
	awaitCheckpoint(r, job(n))
	seen := map[string]bool{}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		seen[r.field(at+"/checkpoints", "latest.completed.id")] = true
	}
	r.fact(
		"different-statistics-in-10s-of-a-job-with-ten-checkpoints-a-second", fmt.Sprintf("at most 5: %t", len(seen) <= 5),
	)
	check(await("RUNNING", func() bool { return r.field(at, "state") == "RUNNING" }))
	time.Sleep(settled)
	r.field(at, "state") // is in the cache now
	r.call("", http.MethodPatch, at+"?mode=cancel", nil)
	check(await("the end in the list", func() bool {
		_, answer, err := get(r.base + "/jobs")
		return err == nil && strings.Contains(string(answer), `"id":"`+job(n)+`","status":"CANCELED"`)
	}))
	r.fact("state-by-job-details-when-the-list-says-canceled", r.field(at, "state"))
}

// playSignal ends the JobManager's process under three jobs, one for each retention, without high availability.
func playSignal(r *recorder, c *cluster, jarID string, n int, signal syscall.Signal) {
	for i, retention := range retentions {
		r.run(jarID, job(n+i), object{retentionKey: retention}, "--checkpoint-ms", "500")
	}
	for i := range retentions {
		awaitCheckpoint(r, job(n+i))
	}
	c.end(0, signal)
	for i, retention := range retentions {
		r.fact(fmt.Sprintf("checkpoint-files-after-%s-of-the-jobmanager-%s", map[syscall.Signal]string{
			syscall.SIGTERM: "SIGTERM", syscall.SIGKILL: "SIGKILL",
		}[signal], retention), newest(c, job(n+i)))
	}
}

// readFacts reads the facts of an earlier recording, to be kept where they are not recorded again.
func readFacts(out string) map[string]any {
	facts := map[string]any{}
	if text, err := os.ReadFile(filepath.Join(out, "facts.json")); err == nil {
		check(decode(text, &facts))
	}
	return facts
}
