package flinksim

import (
	"maps"
	"net/http"
	"regexp"
	"strings"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// What test/flinksim/record did in playHA.

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

// sessionHAStory is a session cluster whose JobManager ends, and the first list of jobs that the next one gives.
func sessionHAStory(kind string) story {
	return story{aSession(withHAOptions(kind, nil)), steps(
		runs(62, nil), waits(5), do(func(p *play) {
			for _, pod := range p.w.Kube.List(kubesim.Pods, "flink", map[string]string{"component": "jobmanager"}) {
				p.w.Nodes.Crash("flink", pod.GetName(), "oom")
			}
		}),
		fact("first-list-of-a-session-cluster-has-the-job-that-it-recovers", func(p *play) any {
			for range 100 {
				p.w.Step()
				if _, listens := p.w.Flink.Reach(Host("flink", "demo")); !listens {
					continue
				}
				if status, answer := p.send(http.MethodGet, "/v1/jobs/overview", "", nil); status == http.StatusOK {
					return strings.Contains(string(answer), jobOf(62))
				}
			}
			return "no list"
		}),
	)}
}
