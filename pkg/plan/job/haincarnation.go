package job

import "github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"

// HAIncarnation knows with which high-availability data the job was seen to run, and tells when it runs with another:
// then the job began again without what it had done.
type HAIncarnation Life

// observe compares the high-availability data of the job with the one that it was seen to run with. As a job fails for
// good, Flink takes its checkpoints out of the data, and then removes that; a JobManager that is replaced in that
// moment runs the job from what its start was given. Once the job has made as many checkpoints again, and its
// JobManager is replaced once more, nothing else shows it: their numbers begin anew, and Flink's statistics went with
// the JobManager. First match wins:
//
//	the data recorded  the data now                                          then
//	-                  not seen, or the job's end is recorded                as it was
//	-                  the job is suspected to have begun again, since now   as it was: the next look asks for the data
//	some               another                                               lost; recorded
//	-                  names no checkpoint, and the job is known to have     its checkpoints are forgotten: lost, once
//	                   completed one                                         the job runs, or something starts from it
//	none               some                                                  recorded, unless the job began again before
//
// A job that Flink refuses to begin without its data has begun nothing, see v1beta1.LastStatePlaceholder. What follows
// the recorded end of a job is told when something starts from it, see HAIncarnation.holdTo.
func (v HAIncarnation) observe() {
	status := &v.Want.JobStatus
	if !v.compared() {
		status.HighAvailabilityData = nil
		return
	}
	data, now, recorded := v.Host.HA(), v.Host.HA().Incarnation(status.JobID), v.recorded()
	switch {
	case now == "" || status.State.IsTerminal():
	case suspected(v.Want.LostProgress) && !suspected(v.Resource().Status.LostProgress):
	case recorded != "" && now != recorded:
		if !v.needed() {
			v.loseOnce(now)
		}
	case data.Checkpoint() == "" && v.completedCheckpoint():
		if v.record(now); !v.needed() {
			status.HighAvailabilityData.Forgotten = true
		}
	case recorded == "" && v.AtRest() && !suspected(v.Want.LostProgress):
		v.record(now)
	}
	if known := status.HighAvailabilityData; known != nil && known.Forgotten && v.Job != nil {
		if known.Forgotten = false; !v.Job.State.IsTerminal() {
			v.loseOnce(known.UID)
		}
	}
}

// needed reports whether Flink refuses to begin the job without its high-availability data.
func (v HAIncarnation) needed() bool {
	return v.Want.JobStatus.UpgradeSavepointPath == v1beta1.LastStatePlaceholder
}

// completedCheckpoint reports whether the job is known to have completed a checkpoint of which its data must name one.
// One of before a loss that is told is none: a status that was too large may still have it.
func (v HAIncarnation) completedCheckpoint() bool {
	known, lost := KnownCheckpoint(v.Want.JobStatus), v.Want.LostProgress
	if known == nil || lost != nil && lost.Seen != nil && known.Taken != nil && !known.Taken.After(lost.Seen.Time) {
		return false
	}
	_, isCheckpoint := checkpointNumber(known.Path)
	return isCheckpoint || known.Path == ""
}

// holdTo tells of a start from data that is not the one that the job had when it was last seen to run, or when its end
// was recorded: Flink has run it again.
func (v HAIncarnation) holdTo(intent *v1beta1.Intent) {
	now, known := v.Host.HA().Incarnation(v.Want.JobStatus.JobID), v.Want.JobStatus.HighAvailabilityData
	if intent.From.Kind != v1beta1.StartLastState || !v.compared() || now == "" || known == nil {
		return
	}
	if recorded := v.recorded(); known.Forgotten || recorded != "" && now != recorded {
		v.lose(now)
	}
}

// distrust notes that Flink has run a job again whose end is recorded: what the data names is of that run.
func (v HAIncarnation) distrust() {
	if v.compared() {
		v.record(v.recorded())
		v.Want.JobStatus.HighAvailabilityData.Forgotten = true
	}
}

// compared reports whether the job keeps its state, and high-availability data where we can look.
func (v HAIncarnation) compared() bool {
	return v.IsApplication() && v.Last != nil && !v.IsSession() && !v.MayStartEmpty() && v.Want.JobStatus.JobID != "" &&
		v.Host.HA().Store.Readable()
}

// recorded is the data that the job was seen to run with; empty when none was seen.
func (v HAIncarnation) recorded() string {
	if known := v.Want.JobStatus.HighAvailabilityData; known != nil && known.JobID == v.Want.JobStatus.JobID {
		return known.UID
	}
	return ""
}

func (v HAIncarnation) record(uid string) {
	v.Want.JobStatus.HighAvailabilityData = &v1beta1.KnownHighAvailabilityData{
		JobID: v.Want.JobStatus.JobID, UID: uid,
	}
}

// loseOnce tells of a run that began without the data that the job had, unless that is told of it already: a status
// that was too large may have had no room for what it was told by.
func (v HAIncarnation) loseOnce(now string) {
	stored := v.Resource().Status
	told := stored.LostProgress != nil && stored.LostProgress.Seen != nil &&
		stored.JobStatus.StartTime == v.Want.JobStatus.StartTime
	if !told {
		v.lose(now)
		return
	}
	v.record(now)
	v.Want.JobStatus.Checkpoint = nil
}

// lose tells that the job began again without the data that it had.
func (v HAIncarnation) lose(now string) {
	if v.Want.LostProgress == nil {
		v.Want.LostProgress = &v1beta1.LostProgress{Before: v.Resource().Status.JobStatus.StartTime}
	}
	v.record(now)
	v.Want.JobStatus.Checkpoint = nil // it is of the run before
	LostProgress(v).lose(v.Want.JobStatus.UpgradeSavepointPath)
}

// Wanted reports whether the data is worth a look although nothing is under way: which one the job runs with is not
// recorded yet, or the job may have begun again with another one.
func (v HAIncarnation) Wanted() bool {
	return v.compared() && v.AtRest() && v.LastRunning() && !v.Want.JobStatus.State.IsTerminal() &&
		(v.recorded() == "" || suspected(v.Want.LostProgress))
}
