package loss

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// ObserveData compares the high-availability data of the job with the one that it was seen to run with. As a job fails
// for good, Flink takes its checkpoints out of the data, and then removes that; a JobManager that is replaced in that
// moment runs the job from what its start was given. Once the job has made as many checkpoints again, and its
// JobManager is replaced once more, nothing else shows it: their numbers begin anew, and Flink's statistics went with
// the JobManager. First match wins:
//
//	the data recorded  the data now                                          then
//	-                  not seen, or the job's end is recorded                as it was
//	-                  the job is suspected to have begun again, since now   as it was: the next look asks for the data
//	some               another                                               dataAnother; recorded
//	-                  names no checkpoint, and the job is known to have     its checkpoints are forgotten: dataForgot
//	                   completed one                                         once the job runs, or something starts from
//	                                                                         it
//	none               some                                                  recorded, unless the job began again before
//
// A job that Flink refuses to begin without its data has begun nothing, see v1beta1.LastStatePlaceholder. What follows
// the recorded end of a job is told when something starts from it, see StartsFromData.
func ObserveData(v *world.Look) {
	status := &v.Want.JobStatus
	if !isCompared(v) {
		status.HighAvailabilityData = nil
		return
	}
	data, now, recorded := v.Host.HA(), v.Host.HA().Incarnation(status.JobID), recordedData(v)
	switch {
	case now == "" || status.State.IsTerminal():
	case suspects(v) && !facts.Suspected(v.Resource().Status.LostProgress):
	case recorded != "" && now != recorded:
		if !isNeeded(v) {
			loseOnce(v, dataAnother, now)
		}
	case data.Checkpoint() == "" && completedCheckpoint(v):
		if recordData(v, now); !isNeeded(v) {
			status.HighAvailabilityData.Forgotten = true
		}
	case recorded == "" && v.AtRest() && !suspects(v):
		recordData(v, now)
	}
	if known := status.HighAvailabilityData; known != nil && known.Forgotten && v.Job != nil {
		if known.Forgotten = false; !v.Job.State.IsTerminal() {
			loseOnce(v, dataForgot, known.UID)
		}
	}
}

// StartsFromData gives the verdict on a start from data that is not the one that the job had when it was last seen to
// run, or when its end was recorded: Flink has run it again.
func StartsFromData(v *world.Look, intent *v1beta1.Intent) {
	now, known := v.Host.HA().Incarnation(v.Want.JobStatus.JobID), v.Want.JobStatus.HighAvailabilityData
	if intent.From.Kind != v1beta1.StartLastState || !isCompared(v) || now == "" || known == nil {
		return
	}
	if recorded := recordedData(v); known.Forgotten || recorded != "" && now != recorded {
		loseData(v, startFromAnother, now)
	}
}

// DistrustData notes that Flink has run a job again whose end is recorded: what the data names is of that run.
func DistrustData(v *world.Look) {
	if isCompared(v) {
		recordData(v, recordedData(v))
		v.Want.JobStatus.HighAvailabilityData.Forgotten = true
	}
}

// DataWanted reports whether the data is worth a look although nothing is under way: which one the job runs with is not
// recorded yet, or the job may have begun again with another one.
func DataWanted(v *world.Look) bool {
	return isCompared(v) && v.AtRest() && v.LastRunning() && !v.Want.JobStatus.State.IsTerminal() &&
		(recordedData(v) == "" || suspects(v))
}

// isNeeded reports whether Flink refuses to begin the job without its high-availability data.
func isNeeded(v *world.Look) bool {
	return v.Want.JobStatus.UpgradeSavepointPath == v1beta1.LastStatePlaceholder
}

// completedCheckpoint reports whether the job is known to have completed a checkpoint of which its data must name one.
// A checkpoint older than a reported loss does not count; an oversized status may still list it.
func completedCheckpoint(v *world.Look) bool {
	known, lost := facts.KnownCheckpoint(v.Want.JobStatus), v.Want.LostProgress
	if known == nil || lost != nil && lost.Seen != nil && known.Taken != nil && !known.Taken.After(lost.Seen.Time) {
		return false
	}
	_, isCheckpoint := facts.CheckpointNumber(known.Path)
	return isCheckpoint || known.Path == ""
}

// isCompared reports whether the job keeps its state, and high-availability data where it can be read.
func isCompared(v *world.Look) bool {
	return v.IsApplication() && v.Last != nil && !v.IsSession() && !v.MayStartEmpty() && v.Want.JobStatus.JobID != "" &&
		v.Host.HA().Store.Readable()
}

// recordedData is the data that the job was seen to run with; empty when none was seen.
func recordedData(v *world.Look) string {
	if known := v.Want.JobStatus.HighAvailabilityData; known != nil && known.JobID == v.Want.JobStatus.JobID {
		return known.UID
	}
	return ""
}

func recordData(v *world.Look, uid string) {
	v.Want.JobStatus.HighAvailabilityData = &v1beta1.KnownHighAvailabilityData{
		JobID: v.Want.JobStatus.JobID, UID: uid,
	}
}

// loseOnce gives the verdict on a run that began without the data that the job had, unless that is told of it already:
// a status that was too large may have had no room for what it was told by.
func loseOnce(v *world.Look, e Evidence, now string) {
	stored := v.Resource().Status
	told := stored.LostProgress != nil && stored.LostProgress.Seen != nil &&
		stored.JobStatus.StartTime == v.Want.JobStatus.StartTime
	if !told {
		loseData(v, e, now)
		return
	}
	recordData(v, now)
	v.Want.JobStatus.Checkpoint = nil
}

// loseData gives the verdict on a job that began again without the data that it had.
func loseData(v *world.Look, e Evidence, now string) {
	recordData(v, now)
	v.Want.JobStatus.Checkpoint = nil // it is of the run before
	give(v, e, v.Resource().Status.JobStatus.StartTime, v.Want.JobStatus.UpgradeSavepointPath)
}
