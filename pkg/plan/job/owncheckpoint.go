package job

import (
	"path"
	"strconv"
	"strings"
)

// OwnCheckpoint is what becomes of a state that a person chose while the job which made it runs.
type OwnCheckpoint string

// What becomes of the chosen state.
const (
	// OwnCheckpointNone: it is none of that job's checkpoints, or the job does not run.
	OwnCheckpointNone OwnCheckpoint = ""
	// OwnCheckpointKept: it stays when the job is gone.
	OwnCheckpointKept OwnCheckpoint = "Kept"
	// OwnCheckpointUnknown: nobody could ask whether it does.
	OwnCheckpointUnknown OwnCheckpoint = "Unknown"
	// OwnCheckpointDeleted: Flink deletes it with the job, or has deleted it for a newer one.
	OwnCheckpointDeleted OwnCheckpoint = "Deleted"
)

// chosenOwnCheckpoint says what becomes of the state that the spec chooses, first match wins.
//
//	the job                  its retention         the path                         then
//	not listed, or ended     -                     -                                None
//	began again, see
//	LostProgress             -                     -                                None: it may be of the run before
//	another one, or batch    -                     not below the job's directory    None
//	runs                     unknown               below it                         Unknown
//	runs                     goes with the job     below it                         Deleted
//	runs                     kept                  older than its newest, one kept  Deleted
//	runs                     kept                  otherwise                        Kept
func chosenOwnCheckpoint(v Life) OwnCheckpoint {
	if v.Job == nil || v.Job.State.IsTerminal() || v.Want.LostProgress != nil || v.Spec.Job == nil {
		return OwnCheckpointNone
	}
	chosen, own := ownNumber(v, v.Spec.Job.InitialSavepointPath)
	kept, makes := v.Seen.Flink.Retention.Get()
	c, known := v.Seen.Flink.Checkpoints.Get()
	newest, counts := ownNumber(v, c.Path)
	switch {
	case !own || v.Seen.Flink.Retention.IsAbsent():
		return OwnCheckpointNone
	case !makes:
		return OwnCheckpointUnknown
	case !kept.Cancelled, known && counts && c.Kind == KindCheckpoint && chosen < newest && v.RetainsOne():
		return OwnCheckpointDeleted
	}
	return OwnCheckpointKept
}

// ownNumber is the number of a checkpoint that lies where the job writes its own; false for another path.
func ownNumber(v Life, location string) (int64, bool) {
	n, isCheckpoint := checkpointNumber(location)
	return n, isCheckpoint && mayBeOwn(v, location)
}

// mayBeOwn reports whether a checkpoint lies where the job writes its own: in the directory of its ID or, where all
// jobs share one, in that, unless the job was given it.
func mayBeOwn(v Life, location string) bool {
	status, directory := v.Want.JobStatus, path.Dir(withoutMetadata(location))
	if status.JobID != "" && path.Base(directory) == status.JobID {
		return true
	}
	shared, from := v.SharedCheckpoints(), status.StartedFrom
	given := from != nil && sameLocation(v.Hide(location), from.Path)
	return shared != "" && sameLocation(directory, shared) && !given
}

// checkpointNumber is the number in the path of a checkpoint, as Flink names its directory; false for another path.
func checkpointNumber(location string) (int64, bool) {
	number, isCheckpoint := strings.CutPrefix(path.Base(withoutMetadata(location)), "chk-")
	n, err := strconv.ParseInt(number, 10, 64)
	return n, isCheckpoint && err == nil
}

func withoutMetadata(location string) string {
	return strings.TrimSuffix(strings.TrimRight(location, "/"), "/_metadata")
}
