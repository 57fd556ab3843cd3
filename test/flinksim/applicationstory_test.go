package flinksim

import (
	"maps"

	"github.com/kn-flink/kn-flink/test/flinksim/process"
)

// What test/flinksim/record did in playApplication.

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
