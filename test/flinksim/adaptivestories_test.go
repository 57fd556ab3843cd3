package flinksim

import (
	"time"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

// What test/flinksim/record did in playAdaptive.

// taskManagers has the session cluster have so many.
func taskManagers(n int64) step {
	return do(func(p *play) { scale(p.t, p.w, "demo-taskmanager", n) })
}

// told asks what is told of a job under the adaptive scheduler some time later.
func told(name string) []step {
	return steps(waits(5), "adaptive-job-"+name, "adaptive-checkpoints-"+name, "adaptive-checkpoint-config-"+name)
}

func adaptiveSession() func(p *play) {
	return aSession(map[string]string{
		"jobmanager.scheduler": "adaptive", "restart-strategy.fixed-delay.attempts": "9",
	})
}

// adaptiveStory ends jobs while they run, and while they wait for resources.
func adaptiveStory() story {
	const every = "--checkpoint-ms"
	once := map[string]any{"checkpointType": "FULL", "triggerId": triggerOf(80)}
	hourly := steps(
		runs(84, nil, every, "3600000"), waits(5), posts("/jobs/"+jobOf(84)+"/checkpoints", once), waits(5),
	)
	return story{adaptiveSession(), steps(
		runs(80, nil, every, "500"), waits(5), acts(80, cancel), told("canceled-running"),
		runs(81, nil, every, "500"), waits(5), taskManagers(0), told("waiting-after-it-ran"),
		acts(81, cancel), told("canceled-waiting-after-it-ran"),
		fact("checkpoint-of-a-job-that-was-cancelled-while-it-waited-for-resources", func(p *play) any {
			_, there := p.w.Storage.Get(p.w.Flink.Job("flink", "demo", jobOf(81)).Latest(false).Path)
			return there
		}),
		runs(82, nil, every, "500"), told("waiting-before-it-ran"), acts(82, cancel), told("canceled-waiting-before-it-ran"),
		runs(83, nil), waits(5), acts(83, cancel), told("canceled-waiting-without-checkpointing"),
		"adaptive-jobs", taskManagers(1), waits(5), hourly, taskManagers(0), waits(5), taskManagers(1), told("running-again"),
	)}
}

// noResourcesStory is of jobs that waited in vain.
func noResourcesStory() story {
	gone := func(j *job.Job, now time.Time) {
		j.Fail("org.apache.flink.runtime.jobmanager.scheduler.NoResourceAvailableException", "none", now)
	}
	return story{adaptiveSession(), steps(
		runs(85, nil, "--checkpoint-ms", "500"), waits(5), taskManagers(0), waits(5), acts(85, gone),
		told("failed-waiting-after-it-ran"),
		runs(86, nil, "--checkpoint-ms", "500"), waits(5), acts(86, gone), told("failed-waiting-before-it-ran"),
	)}
}
