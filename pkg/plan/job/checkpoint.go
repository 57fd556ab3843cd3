package job

import "github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"

// KnownCheckpoint is a checkpoint that the job is known to have completed; nil when none is known, or only one of
// another job.
func KnownCheckpoint(status v1beta1.JobStatus) *v1beta1.KnownCheckpoint {
	known := status.Checkpoint
	if known == nil || known.JobID != status.JobID {
		return nil
	}
	return known
}

// looksForCheckpoint reports whether the statistics of a job that keeps its state and has not ended are worth a
// question: that it ever completed a checkpoint is not known yet. Without that knowledge high-availability data that
// was removed, and statistics that Flink forgot, look like those of a job that has nothing to lose.
func looksForCheckpoint(v Life) bool {
	return v.Last != nil && !v.IsSession() && KnownCheckpoint(v.Want.JobStatus) == nil
}

// observeCheckpoint remembers that the job has completed a checkpoint.
//
//	seen                                     remembered
//	another run of a job that had ended      as it was: it is being stopped
//	the job began again, see LostProgress    as it was, while it is not known what the job was restored from
//	the job has ended, and Flink deleted it  that there was one, and no path: nobody finds anything there
//	statistics with what it was given        as it was: that is not its own, also when Flink spells its path otherwise
//	statistics with another path             that path, and when it was triggered
//	high-availability data that names one    that there is one, and the path as it was
//	otherwise                                as it was
func observeCheckpoint(v Life) {
	status := &v.Want.JobStatus
	if status.JobID == "" || v.IsSession() || suspected(v.Want.LostProgress) {
		return
	}
	jobs, _ := v.Seen.Flink.Jobs.Get()
	if j, listed := FindJob(jobs, status.JobID); listed && AnotherRun(v.Resource().Status.JobStatus, j) {
		return
	}
	next := v1beta1.KnownCheckpoint{JobID: status.JobID}
	known := KnownCheckpoint(v.Want.JobStatus)
	if known != nil {
		next = *known
	}
	data, _ := v.Host.HA().Job().Get()
	c, _ := v.Seen.Flink.Checkpoints.Get()
	own := c.Path != "" && c.Path != status.UpgradeSavepointPath && c.Kind != KindRestoredSavepoint
	switch {
	case checkpointDiscarded(v):
		next.Path, next.Taken = "", nil
	case own:
		if at := LastState(v).takenAt(c); at != nil || next.Path != c.Path {
			next.Taken = at
		}
		next.Path = c.Path
	case known == nil && !data.Checkpoint:
		return
	}
	status.Checkpoint = &next
}

// checkpointDiscarded reports whether the job has ended and Flink deleted its newest checkpoint with it.
func checkpointDiscarded(v Life) bool {
	if v.Job == nil || !v.Job.State.IsTerminal() {
		return false
	}
	answer, _ := LastState(v).of(*v.Job)
	return answer == LastStateDiscarded
}
