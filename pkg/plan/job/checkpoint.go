package job

import "github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"

// KnownCheckpoint is a checkpoint that the job is known to have completed; nil when none is known, or only one of
// another job.
func (v *Life) KnownCheckpoint() *v1beta1.KnownCheckpoint {
	known := v.Want.JobStatus.Checkpoint
	if known == nil || known.JobID != v.Want.JobStatus.JobID {
		return nil
	}
	return known
}

// LooksForCheckpoint reports whether the statistics of a running job are worth a question: it keeps its state, and that
// it ever completed a checkpoint is not known yet. Without that knowledge high-availability data that was removed, and
// statistics that Flink forgot, look like those of a job that has nothing to lose.
func (v *Life) LooksForCheckpoint() bool {
	return v.Last != nil && !v.IsSession() && !v.MayStartEmpty() && v.KnownCheckpoint() == nil
}

// observeCheckpoint remembers that the job has completed a checkpoint.
//
//	seen                                     remembered
//	the job began again, see LostProgress    as it was, while it is not known what the job was restored from
//	the job has ended, and Flink deleted it  that there was one, and no path: nobody finds anything there
//	statistics with what it was given        as it was: that is not its own, also when Flink spells its path otherwise
//	statistics with another path             that path
//	high-availability data that names one    that there is one, and the path as it was
//	otherwise                                as it was
func (v *Life) observeCheckpoint() {
	status := &v.Want.JobStatus
	if status.JobID == "" || v.IsSession() || v.SuspectsLostProgress() {
		return
	}
	next := v1beta1.KnownCheckpoint{JobID: status.JobID}
	known := v.KnownCheckpoint()
	if known != nil {
		next = *known
	}
	data, _ := v.Host.HA().Job().Get()
	c, _ := v.Seen.Flink.Checkpoints.Get()
	own := c.Path != "" && c.Path != status.UpgradeSavepointPath && c.Kind != KindRestoredSavepoint
	switch {
	case v.discarded():
		next.Path = ""
	case own:
		next.Path = c.Path
	case known == nil && !data.Checkpoint:
		return
	}
	status.Checkpoint = &next
}

// discarded reports whether the job has ended and Flink deleted its newest checkpoint with it.
func (v *Life) discarded() bool {
	if v.Job == nil || !v.Job.State.IsTerminal() {
		return false
	}
	answer, _ := v.lastStateOf(*v.Job)
	return answer == LastStateDiscarded
}
