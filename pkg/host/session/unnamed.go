package session

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// MaybeOurs is a job that runs under the name of this resource's job, while the one that status names does not run.
func MaybeOurs(v *Job) (world.Job, bool) {
	status, name := v.Look.Want.JobStatus, v.Look.Want.JobStatus.JobName
	jobs, answered := v.Seen.Flink.Jobs.Get()
	own, listed := v.Listed()
	if v.Look.Last == nil || !answered || listed && !own.State.IsTerminal() {
		return world.Job{}, false
	}
	if name == "" {
		name = v.Seen.Resource.Name
	}
	ours := append([]string{status.JobID}, v.Look.Want.FormerJobs...)
	if i := v.Look.Intent(); i != nil {
		ours = append(ours, i.JobID)
	}
	at := slices.IndexFunc(jobs, func(j world.Job) bool {
		return j.Name == name && !j.State.IsTerminal() && !slices.Contains(ours, j.ID)
	})
	if at < 0 {
		return world.Job{}, false
	}
	return jobs[at], true
}

// UnnamedJob is a job of the name of this resource's that runs and that no session job names. why says that the others
// could not be read.
func UnnamedJob(v *Job) (found world.Job, is bool, why string) {
	j, maybe := MaybeOurs(v)
	if !maybe {
		return world.Job{}, false, ""
	}
	if v.Seen.Others.IsUnknown() {
		return world.Job{}, false, "not checked: " + v.Seen.Others.Why()
	}
	others, _ := v.Seen.Others.Get()
	taken := slices.ContainsFunc(others, func(o Other) bool { return o.JobID == j.ID })
	return j, !taken, ""
}
