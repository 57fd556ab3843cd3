package job

import "github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"

// observeHAData compares the high-availability data of the job with the one that it was seen to run with. As a job
// fails for good, Flink takes its checkpoints out of the data, and then removes that; a JobManager that is replaced in
// that moment runs the job from what its start was given. Once the job has made as many checkpoints again, and its
// JobManager is replaced once more, nothing else shows it: their numbers begin anew, and Flink's statistics went with
// the JobManager. First match wins:
//
//	the data recorded  the data now                                          then
//	-                  not seen, or the job's end is recorded                as it was
//	some               another                                               lost; recorded
//	-                  names no checkpoint, and the job is known to have     its checkpoints are forgotten: lost, once
//	                   completed one                                         the job runs, or something starts from it
//	none               some                                                  recorded, unless the job began again before
//
// A job that Flink refuses to begin without its data has begun nothing, see v1beta1.LastStatePlaceholder. What follows
// the recorded end of a job is told when something starts from it, see holdToData.
func (v *Life) observeHAData() {
	status := &v.Want.JobStatus
	if !v.comparesHAData() {
		status.HighAvailabilityData = nil
		return
	}
	data, now, recorded := v.Host.HA(), v.Host.HA().Incarnation(status.JobID), v.recordedHAData()
	switch {
	case now == "" || status.State.IsTerminal():
	case recorded != "" && now != recorded:
		if !v.needsItsData() {
			v.loseHAData(now)
		}
	case data.Checkpoint() == "" && v.completedCheckpoint():
		if v.recordHAData(now); !v.needsItsData() {
			status.HighAvailabilityData.Forgotten = true
		}
	case recorded == "" && v.AtRest() && !v.SuspectsLostProgress():
		v.recordHAData(now)
	}
	if known := status.HighAvailabilityData; known != nil && known.Forgotten && v.Job != nil {
		if known.Forgotten = false; !v.Job.State.IsTerminal() {
			v.loseHAData(known.UID)
		}
	}
}

// needsItsData reports whether Flink refuses to begin the job without its high-availability data.
func (v *Life) needsItsData() bool {
	return v.Want.JobStatus.UpgradeSavepointPath == v1beta1.LastStatePlaceholder
}

// completedCheckpoint reports whether the job is known to have completed a checkpoint of which its data must name one.
func (v *Life) completedCheckpoint() bool {
	known := v.KnownCheckpoint()
	if known == nil {
		return false
	}
	_, isCheckpoint := checkpointNumber(known.Path)
	return isCheckpoint || known.Path == ""
}

// holdToData tells of a start from data that is not the one that the job had when it was last seen to run, or when its
// end was recorded: Flink has run it again.
func (v *Life) holdToData(intent *v1beta1.Intent) {
	now, known := v.Host.HA().Incarnation(v.Want.JobStatus.JobID), v.Want.JobStatus.HighAvailabilityData
	if intent.From.Kind != v1beta1.StartLastState || !v.comparesHAData() || now == "" || known == nil {
		return
	}
	if recorded := v.recordedHAData(); known.Forgotten || recorded != "" && now != recorded {
		v.loseHAData(now)
	}
}

// distrustHAData notes that Flink has run a job again whose end is recorded: what the data names is of that run.
func (v *Life) distrustHAData() {
	if v.comparesHAData() {
		v.recordHAData(v.recordedHAData())
		v.Want.JobStatus.HighAvailabilityData.Forgotten = true
	}
}

// comparesHAData reports whether the job keeps its state, and high-availability data where we can look.
func (v *Life) comparesHAData() bool {
	return v.IsApplication() && v.Last != nil && !v.IsSession() && !v.MayStartEmpty() && v.Want.JobStatus.JobID != "" &&
		v.Host.HA().Store.Readable()
}

// recordedHAData is the data that the job was seen to run with; empty when none was seen.
func (v *Life) recordedHAData() string {
	if known := v.Want.JobStatus.HighAvailabilityData; known != nil && known.JobID == v.Want.JobStatus.JobID {
		return known.UID
	}
	return ""
}

func (v *Life) recordHAData(uid string) {
	v.Want.JobStatus.HighAvailabilityData = &v1beta1.KnownHighAvailabilityData{
		JobID: v.Want.JobStatus.JobID, UID: uid,
	}
}

// loseHAData tells that the job began again without the data that it had.
func (v *Life) loseHAData(now string) {
	if v.Want.LostProgress == nil {
		v.Want.LostProgress = &v1beta1.LostProgress{Before: v.Resource().Status.JobStatus.StartTime}
	}
	v.recordHAData(now)
	v.Want.JobStatus.Checkpoint = nil // it is of the run before
	v.loseProgress(v.Want.JobStatus.UpgradeSavepointPath)
}

// AsksHAData reports whether the data is worth a look although nothing is under way: which one the job runs with is not
// recorded yet, or the job may have begun again with another one.
func (v *Life) AsksHAData() bool {
	return v.comparesHAData() && v.AtRest() && v.LastRunning() && !v.Want.JobStatus.State.IsTerminal() &&
		(v.recordedHAData() == "" || v.SuspectsLostProgress())
}
