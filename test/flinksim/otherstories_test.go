package flinksim

import (
	"maps"
	"regexp"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// What hack/flinkrecord did in playApplication, playHA and playAdaptive.

// anApplication begins an application cluster of one TaskManager with the n-th job.
func anApplication(n int, script process.Script, more map[string]string) func(p *play) {
	return func(p *play) {
		p.w = NewWorld(p.t)
		config := p.recordedOptions()
		maps.Copy(config, map[string]string{
			"kubernetes.internal.cluster-mode": "APPLICATION", "pipeline.name": recordJob,
			"$internal.pipeline.job-id": jobOf(n),
		})
		maps.Copy(config, more)
		p.w.Flink.Script("flink", "demo", script)
		standalone(p.t, p.w, config, 1)
	}
}

func applicationStory() story {
	leads := do(func(p *play) {
		for range 10 {
			p.w.Step()
		}
	})
	return story{anApplication(20, process.Script{MainSteps: 20}, map[string]string{
		"jobmanager.scheduler": "adaptive", "execution.checkpointing.interval": "1000 ms",
	}), steps(
		leads, "application-jobs-before-submit", "application-job-before-submit", waits(5),
		but("application-jobs", map[string]string{"[0].tasks": "its tasks had not begun"}),
		but("application-job", map[string]string{".vertices[": "its tasks had not begun", ".status-counts": "the same"}),
		"application-jars", "application-jar-run", "resource-requirements", "resource-requirements-set",
		"resource-requirements-bad", "application-cancel", waits(5), "application-overview-after-cancel",
	)}
}

const results = "file:///flink-data/results"

// withHAOptions are those of playHA, with high availability of either kind.
func withHAOptions(kind string, more map[string]string) map[string]string {
	options := map[string]string{
		"high-availability.type": kind, "high-availability.storageDir": "file:///flink-data/ha",
		"high-availability.cluster-id":  "record",
		"job-result-store.storage-path": results, "job-result-store.delete-on-commit": "false",
		"restart-strategy.type": "none", "execution.checkpointing.interval": "500 ms",
	}
	maps.Copy(options, more)
	return options
}

var checkpointNode = regexp.MustCompile(`^jobs/[0-9a-f]{32}/checkpoints/\d+$`)

// kept says whether the high-availability data has a checkpoint.
func kept(p *play) any {
	for _, node := range p.w.Flink.Nodes("/flink/record") {
		if checkpointNode.MatchString(node.Path) {
			return true
		}
	}
	for _, u := range p.w.Kube.List(kubesim.ConfigMaps, "flink", nil) {
		data, _ := u.Object["data"].(map[string]any)
		for key := range data {
			if strings.HasPrefix(key, "checkpointID-") {
				return true
			}
		}
	}
	return false
}

// crashes ends the processes of a component, and lets the next ones begin.
func crashes(component string) step {
	return do(func(p *play) {
		for _, pod := range p.w.Kube.List(kubesim.Pods, "flink", map[string]string{"component": component}) {
			p.w.Nodes.Crash("flink", pod.GetName(), "oom")
		}
		p.w.Settle()
	})
}

// resultFiles are the files of the job result store.
func resultFiles(n int) func(p *play) any {
	return func(p *play) any {
		result, there := p.w.Storage.Result(results, jobOf(n))
		switch {
		case !there:
			return []string{}
		case result.Dirty:
			return []string{jobOf(n) + "_DIRTY.json"}
		}
		return []string{jobOf(n) + ".json"}
	}
}

// haStory is a job that fails for good, and what the next JobManagers know of it.
func haStory(kind string) story {
	return story{anApplication(60, process.Script{}, withHAOptions(kind, nil)), steps(
		waits(0), waits(5), fact("ha-data-has-a-checkpoint-of-a-running-job", kept),
		posts("/jobs/"+jobOf(60)+"/savepoints", map[string]any{
			"target-directory": "file:///flink-data/savepoints", "triggerId": triggerOf(60),
		}), waits(5), crashes("taskmanager"), waits(5),
		but("ha-jobs-after-its-taskmanager-left", map[string]string{"[0].tasks": whichTask}),
		"ha-checkpoints-after-its-taskmanager-left",
		fact("ha-data-has-a-checkpoint-of-a-job-that-failed-because-its-taskmanager-left", kept),
		fact("ha-job-result-of-a-job-that-failed", resultFiles(60)),
		crashes("jobmanager"), "ha-jobs-after-a-start-over-a-result",
		do(func(p *play) { p.w.Storage.RecordResult(results, jobOf(60), job.Result{End: job.Failed, Dirty: true}) }),
		crashes("jobmanager"), "ha-jobs-after-a-start-over-a-dirty-result", "ha-job-after-a-start-over-a-dirty-result",
		"ha-checkpoints-after-a-start-over-a-dirty-result",
		fact("ha-job-result-after-a-start-over-a-dirty-one", resultFiles(60)),
	)}
}

// restoredStory is a job that was restored from a savepoint, and that a next JobManager begins again.
func restoredStory(kind string) story {
	const savepoint = "file:/flink-data/savepoints/savepoint-aa0000-0123456789ab"
	begin := anApplication(61, process.Script{}, withHAOptions(kind, map[string]string{
		"execution.checkpointing.interval": "3600000 ms", "execution.state-recovery.path": savepoint,
	}))
	return story{func(p *play) {
		begin(p)
		p.w.Storage.Put(job.Snapshot{Path: savepoint, JobID: jobOf(60), CheckpointID: 11, Savepoint: true, Progress: 40})
	}, steps(
		waits(0), fact("ha-data-has-a-checkpoint-of-a-job-restored-from-a-savepoint", kept),
		crashes("jobmanager"), waits(5), "ha-checkpoints-of-a-job-that-was-restored-and-began-again",
	)}
}

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
