package main

import (
	"net/http"
	"syscall"
	"time"
)

// playAdaptive records what the adaptive scheduler tells of jobs that end: while they run, and while they wait for
// resources before or after they ran. Each waits because the TaskManager is gone.
func playAdaptive(r *recorder, c *cluster, jar string) {
	begin := func(conf map[string]string) string {
		all := map[string]string{"jobmanager.scheduler": "adaptive", "restart-strategy.fixed-delay.attempts": "9"}
		for key, value := range conf {
			all[key] = value
		}
		check(c.start(sessionClass, all))
		check(await("a TaskManager", func() bool { return r.field("/overview", "taskmanagers") == "1" }))
		return r.upload("", jar, "operation.jar")
	}
	jarID := begin(nil)
	conf := object{retentionKey: "RETAIN_ON_CANCELLATION"}

	r.run(jarID, job(80), conf, "--checkpoint-ms", "500")
	awaitCheckpoint(r, job(80))
	cancel(r, job(80))
	r.told("canceled-running", job(80))

	r.run(jarID, job(81), conf, "--checkpoint-ms", "500")
	awaitCheckpoint(r, job(81))
	c.end(len(c.procs)-1, syscall.SIGKILL)
	awaitState(r, job(81), "CREATED") // it waits for resources
	r.told("waiting-after-it-ran", job(81))
	cancel(r, job(81))
	r.told("canceled-waiting-after-it-ran", job(81))
	r.fact("checkpoint-of-a-job-that-was-cancelled-while-it-waited-for-resources", newest(c, job(81)))

	r.run(jarID, job(82), conf, "--checkpoint-ms", "500")
	awaitState(r, job(82), "CREATED")
	r.told("waiting-before-it-ran", job(82))
	cancel(r, job(82))
	r.told("canceled-waiting-before-it-ran", job(82))

	r.run(jarID, job(83), conf)
	awaitState(r, job(83), "CREATED")
	cancel(r, job(83))
	r.told("canceled-waiting-without-checkpointing", job(83))
	r.get("adaptive-jobs", "/jobs/overview")

	check(c.java("taskmanager", taskClass))
	r.run(jarID, job(84), conf, "--checkpoint-ms", "3600000")
	awaitState(r, job(84), "RUNNING")
	time.Sleep(settled) // each of its tasks runs
	asked := object{"checkpointType": "FULL", "triggerId": trigger(80)}
	r.call("", http.MethodPost, "/jobs/"+job(84)+"/checkpoints", asked)
	awaitOperation(r, "/jobs/"+job(84)+"/checkpoints/"+trigger(80))
	c.end(len(c.procs)-1, syscall.SIGKILL)
	awaitState(r, job(84), "CREATED")
	check(c.java("taskmanager", taskClass))
	awaitState(r, job(84), "RUNNING")
	r.told("running-again", job(84))

	c.endAll()
	const wait = "10 s"
	jarID = begin(map[string]string{
		"jobmanager.adaptive-scheduler.resource-wait-timeout":            wait,
		"jobmanager.adaptive-scheduler.submission.resource-wait-timeout": wait,
	})
	r.run(jarID, job(85), conf, "--checkpoint-ms", "500")
	awaitCheckpoint(r, job(85))
	c.end(len(c.procs)-1, syscall.SIGKILL)
	awaitState(r, job(85), "FAILED")
	r.told("failed-waiting-after-it-ran", job(85))

	r.run(jarID, job(86), conf, "--checkpoint-ms", "500")
	awaitState(r, job(86), "FAILED")
	r.told("failed-waiting-before-it-ran", job(86))
}

// playAdaptiveStop records a stop that fails after its savepoint, which is not the default scheduler's.
func playAdaptiveStop(r *recorder, c *cluster, jar string) {
	check(c.start(sessionClass, map[string]string{"jobmanager.scheduler": "adaptive"}))
	check(await("a TaskManager", func() bool { return r.field("/overview", "taskmanagers") == "1" }))
	playStopThatFails(r, c, r.upload("", jar, "operation.jar"), job(90), "adaptive")
}

func cancel(r *recorder, jobID string) {
	r.call("", http.MethodPatch, "/jobs/"+jobID+"?mode=cancel", nil)
	awaitState(r, jobID, "CANCELED")
}

// told records what is told of a job some time later.
func (r *recorder) told(name, jobID string) {
	time.Sleep(settled)
	at := "/jobs/" + jobID
	r.get("adaptive-job-"+name, at)
	r.get("adaptive-checkpoints-"+name, at+"/checkpoints")
	r.get("adaptive-checkpoint-config-"+name, at+"/checkpoints/config")
}
