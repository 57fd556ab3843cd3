package observe

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// checkpoint remembers that the job has completed a checkpoint.
//
//	seen                                     remembered
//	another run of a job that had ended      as it was: it is being stopped
//	the job began again, see package loss    as it was, while it is not known what the job was restored from
//	the job has ended, and Flink deleted it  that there was one, and no path: nobody finds anything there
//	statistics with what it was given        as it was: that is not its own, also when Flink spells its path otherwise
//	statistics with another path             that path, and when it was triggered
//	high-availability data that names one    that there is one, and the path as it was
//	otherwise                                as it was
func checkpoint(v *world.Look) {
	status := &v.Want.JobStatus
	if status.JobID == "" || v.IsSession() || facts.Suspected(v.Want.LostProgress) {
		return
	}
	jobs, _ := v.Seen.Flink.Jobs.Get()
	if j, listed := world.FindJob(jobs, status.JobID); listed && world.AnotherRun(v.Resource().Status.JobStatus, j) {
		return
	}
	next := v1beta1.KnownCheckpoint{JobID: status.JobID}
	known := facts.KnownCheckpoint(v.Want.JobStatus)
	if known != nil {
		next = *known
	}
	data, _ := v.Host.HA().Job().Get()
	c, _ := v.Seen.Flink.Checkpoints.Get()
	own := c.Path != "" && c.Path != status.UpgradeSavepointPath && c.Kind != world.KindRestoredSavepoint
	switch {
	case checkpointDiscarded(v):
		next.Path, next.Taken = "", nil
	case own:
		if at := facts.StateTakenAt(v, c); at != nil || next.Path != c.Path {
			next.Taken = at
		}
		next.Path = c.Path
	case known == nil && !data.Checkpoint:
		return
	}
	status.Checkpoint = &next
}

// checkpointDiscarded reports whether the job has ended and Flink deleted its newest checkpoint with it.
func checkpointDiscarded(v *world.Look) bool {
	if v.Job == nil || !v.Job.State.IsTerminal() {
		return false
	}
	answer, _ := facts.LastStateOf(v, *v.Job)
	return answer == facts.LastStateDiscarded
}
