package snapshots

import (
	"slices"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// RecordUpgrade records the savepoint that a job was stopped with, in a status without FlinkStateSnapshots. at is when
// it was asked for.
func RecordUpgrade(
	status v1beta1.JobStatus, path string, format v1beta1.SavepointFormatType, at time.Time,
) v1beta1.JobStatus {
	next := *status.DeepCopy()
	remember(savepointInfo(&next), v1beta1.Savepoint{
		TimeStamp: at.UnixMilli(), Location: path, TriggerType: v1beta1.SnapshotTriggerUpgrade, FormatType: format,
	})
	return next
}

// Prune shortens the history of savepoints in the status of a job. dispose are the paths whose files go, oldest first;
// the shorter history may be stored only when every one of them was accepted. They stay on disk when
// kubernetes.operator.savepoint.cleanup.enabled is false, and for what Kept says.
//
//	the history is, beside              entry            goes when
//	COMPLETED savepoint resources
//	----------------------------------  ---------------  ----------------------------------------------------
//	empty, or one entry beside none     all              never
//	longer                              one that may be  never; it does not count
//	                                    read, see Reader
//	                                    oldest           more are left than the largest count, less the
//	                                                     COMPLETED resources
//	                                    newest           it is too old, and there is a COMPLETED resource
//	                                    others           they are too old
func Prune(f Facts) (next v1beta1.JobStatus, dispose []string) {
	next = *f.Status.DeepCopy()
	if next.SavepointInfo == nil || f.misreadsCleanup() {
		return next, nil
	}
	history := next.SavepointInfo.SavepointHistory
	completed := f.completedSavepoints()
	if len(history) == 0 || (len(history) == 1 && completed == 0) {
		return next, nil
	}
	limit, age := max(0, f.maxCount(Savepoint)-completed), f.maxAge(Savepoint)
	left := len(history)
	others, _ := f.Readers.Get()
	disposes := read(f.Config.Bool, key.SavepointCleanupEnabled, true) && Kept(f.Config) == ""
	var kept []v1beta1.Savepoint
	for i, s := range history {
		tooOld := age > 0 && f.Now.Sub(time.UnixMilli(s.TimeStamp)) > age && (i < len(history)-1 || completed > 0)
		needed := f.reads(s.Location) || others[s.Location] != ""
		if needed || (left <= limit && !tooOld) {
			kept = append(kept, s)
			if needed {
				left--
			}
			continue
		}
		left--
		if disposes && s.Location != "" {
			dispose = append(dispose, s.Location)
		}
	}
	next.SavepointInfo.SavepointHistory = kept
	return next, dispose
}

// PruneOne is Prune as far as one disposal goes: the status without that savepoint, or, when nothing is to be disposed
// of, all of it. Nothing is disposed of while it is not known who else may read it.
func PruneOne(f Facts) (next v1beta1.JobStatus, dispose string) {
	next, all := Prune(f)
	if len(all) == 0 {
		return next, ""
	}
	next = *f.Status.DeepCopy()
	if f.Readers.IsUnknown() {
		return next, ""
	}
	next.SavepointInfo.SavepointHistory = slices.DeleteFunc(next.SavepointInfo.SavepointHistory,
		func(s v1beta1.Savepoint) bool {
			return s.Location == all[0]
		})
	return next, all[0]
}

// completedSavepoints counts the job's FlinkStateSnapshots that hold a savepoint.
func (f Facts) completedSavepoints() int {
	mine, _ := f.own()
	n := 0
	for i := range mine {
		if TypeOf(mine[i].Spec) == Savepoint && mine[i].Status.State == v1beta1.SnapshotCompleted {
			n++
		}
	}
	return n
}

// Outcome is what became of the last snapshot that was asked for, by the record in status.
type Outcome string

// The outcomes.
const (
	// OutcomeNone: none was ever asked for.
	OutcomeNone Outcome = ""
	// OutcomePending: in flight, or about to be asked for.
	OutcomePending Outcome = "PENDING"
	// OutcomeSucceeded: done.
	OutcomeSucceeded Outcome = "SUCCEEDED"
	// OutcomeAbandoned: given up.
	OutcomeAbandoned Outcome = "ABANDONED"
)

// OutcomeOf derives what became of the last snapshot of a type.
//
//	in flight, or the nonce is not the reconciled one        PENDING
//	none done, and no nonce reconciled                       none
//	the last one was not MANUAL, or carries that nonce       SUCCEEDED
//	else                                                     ABANDONED
func OutcomeOf(f Facts, t Type) Outcome {
	wanted, handled := NonceOf(f.Wanted, t), NonceOf(f.Reconciled, t)
	if pending(f.Status, t) != nil || (wanted != nil && (handled == nil || *handled != *wanted)) {
		return OutcomePending
	}
	cause, nonce, done := last(f.Status, t)
	switch {
	case !done && handled == nil:
		return OutcomeNone
	case done && (cause != v1beta1.SnapshotTriggerManual || (nonce != nil && handled != nil && *nonce == *handled)):
		return OutcomeSucceeded
	}
	return OutcomeAbandoned
}
