package cluster

import (
	"fmt"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/engine/facts"
)

// SessionBlockers lists what runs in a session cluster that is being deleted, as far as the options say that it
// matters.
func SessionBlockers(v *Cluster) []string {
	var reasons []string
	if v.Look.Options.BlocksOnSessionJobs() {
		jobs, ok := v.Seen.SessionJobs.Get()
		switch {
		case v.Seen.SessionJobs.IsUnknown():
			reasons = append(reasons, "its session jobs cannot be listed: "+v.Seen.SessionJobs.Why())
		case ok && len(jobs) > 0:
			names := make([]string, len(jobs))
			for i := range jobs {
				names[i] = jobs[i].Name
			}
			reasons = append(reasons, fmt.Sprintf("there are session jobs for it (%s)", strings.Join(names, ", ")))
		}
	}
	if v.Look.Options.BlocksOnSessionJobs() && v.Look.Options.BlocksOnUnmanagedJobs() {
		var running []string
		jobs, answered := v.Seen.Flink.Jobs.Get()
		if jm, present := v.Seen.JobManager.Get(); !answered && present && jm.Status.AvailableReplicas > 0 &&
			facts.DeletionAge(v.Look) < v.Look.Options.CleanupTimeout() {
			reasons = append(reasons, "its jobs cannot be listed: "+v.Seen.Flink.Jobs.Why())
		}
		for _, j := range jobs {
			if !j.State.IsTerminal() {
				running = append(running, j.ID)
			}
		}
		if len(running) > 0 {
			reasons = append(reasons, fmt.Sprintf("jobs run in it (%s)", strings.Join(running, ", ")))
		}
	}
	return reasons
}
