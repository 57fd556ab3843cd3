package facts

import (
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// StopOverdue reports whether the open stop with savepoint has taken longer than Flink gives a savepoint, and a minute
// for the end of the tasks.
func StopOverdue(v *world.Look) bool {
	intent := v.Intent()
	open := intent != nil && intent.Step == v1beta1.StepStopping && intent.Stop == v1beta1.StopSavepoint && !intent.Ended
	return open && v.Since(intent.StoredAt) > v.CheckpointTimeout()+time.Minute
}

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

// ChosenOwnCheckpoint says what becomes of the state that the spec chooses, first match wins.
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
func ChosenOwnCheckpoint(v *world.Look) OwnCheckpoint {
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
	case !kept.Cancelled, known && counts && c.Kind == world.KindCheckpoint && chosen < newest && v.Options.RetainsOne():
		return OwnCheckpointDeleted
	}
	return OwnCheckpointKept
}

// ownNumber is the number of a checkpoint that lies where the job writes its own; false for another path.
func ownNumber(v *world.Look, location string) (int64, bool) {
	n, isCheckpoint := CheckpointNumber(location)
	return n, isCheckpoint && mayBeOwn(v, location)
}

// mayBeOwn reports whether a checkpoint lies where the job writes its own: in the directory of its ID or, where all
// jobs share one, in that, unless the job was given it.
func mayBeOwn(v *world.Look, location string) bool {
	status, directory := v.Want.JobStatus, path.Dir(withoutMetadata(location))
	if status.JobID != "" && path.Base(directory) == status.JobID {
		return true
	}
	shared, from := v.Options.SharedCheckpoints(), status.StartedFrom
	given := from != nil && sameLocation(v.Hide(location), from.Path)
	return shared != "" && sameLocation(directory, shared) && !given
}

// CheckpointNumber is the number in the path of a checkpoint, as Flink names its directory; false for another path.
func CheckpointNumber(location string) (int64, bool) {
	number, isCheckpoint := strings.CutPrefix(path.Base(withoutMetadata(location)), "chk-")
	n, err := strconv.ParseInt(number, 10, 64)
	return n, isCheckpoint && err == nil
}

func withoutMetadata(location string) string {
	return strings.TrimSuffix(strings.TrimRight(location, "/"), "/_metadata")
}
