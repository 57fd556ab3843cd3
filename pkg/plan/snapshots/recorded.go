package snapshots

import (
	"slices"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// pending is the ID of the request of a type in flight; nil when there is none.
func pending(status v1beta1.JobStatus, t Type) *string {
	var id *string
	switch {
	case t == Savepoint && status.SavepointInfo != nil:
		id = status.SavepointInfo.TriggerID
	case t == Checkpoint && status.CheckpointInfo != nil:
		id = status.CheckpointInfo.TriggerID
	}
	if id == nil || *id == "" {
		return nil
	}
	return id
}

// runOf is the run of the job that the request of a type in flight was made to; nil when another operator made it.
func runOf(status v1beta1.JobStatus, t Type) *v1beta1.Incarnation {
	if t == Checkpoint {
		return status.CheckpointInfo.Run
	}
	return status.SavepointInfo.Run
}

// inFlight is why and when the newest request was made; the zero time when none was.
func inFlight(status v1beta1.JobStatus, t Type) (v1beta1.SnapshotTriggerType, time.Time) {
	switch {
	case t == Checkpoint && status.CheckpointInfo != nil:
		return status.CheckpointInfo.TriggerType, fromMillis(status.CheckpointInfo.TriggerTimestamp)
	case t == Savepoint && status.SavepointInfo != nil:
		return status.SavepointInfo.TriggerType, fromMillis(status.SavepointInfo.TriggerTimestamp)
	}
	return "", time.Time{}
}

func lastPeriodic(status v1beta1.JobStatus, t Type) time.Time {
	millis := int64(0)
	switch {
	case t == Savepoint && status.SavepointInfo != nil:
		millis = status.SavepointInfo.LastPeriodicSavepointTimestamp
	case t == Checkpoint && status.CheckpointInfo != nil:
		millis = status.CheckpointInfo.LastPeriodicCheckpointTimestamp
	}
	if millis <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(millis).UTC()
}

func fromMillis(millis *int64) time.Time {
	if millis == nil {
		return time.Time{}
	}
	return time.UnixMilli(*millis).UTC()
}

func savepointInfo(status *v1beta1.JobStatus) *v1beta1.SavepointInfo {
	if status.SavepointInfo == nil {
		status.SavepointInfo = &v1beta1.SavepointInfo{}
	}
	return status.SavepointInfo
}

func checkpointInfo(status *v1beta1.JobStatus) *v1beta1.CheckpointInfo {
	if status.CheckpointInfo == nil {
		status.CheckpointInfo = &v1beta1.CheckpointInfo{}
	}
	return status.CheckpointInfo
}

func clearTrigger(status *v1beta1.JobStatus, t Type) {
	if t == Checkpoint {
		i := status.CheckpointInfo
		i.TriggerID, i.TriggerTimestamp, i.TriggerType, i.FormatType, i.Run = nil, nil, "", "", nil
		return
	}
	i := status.SavepointInfo
	i.TriggerID, i.TriggerTimestamp, i.TriggerType, i.FormatType, i.Run = nil, nil, "", "", nil
}

// remember makes a savepoint the last one, and adds it to the history unless it is the newest there.
func remember(info *v1beta1.SavepointInfo, s v1beta1.Savepoint) {
	info.LastSavepoint = &s
	if n := len(info.SavepointHistory); n == 0 || info.SavepointHistory[n-1].Location != s.Location {
		info.SavepointHistory = append(slices.Clone(info.SavepointHistory), s)
	}
}

func last(status v1beta1.JobStatus, t Type) (v1beta1.SnapshotTriggerType, *int64, bool) {
	switch {
	case t == Checkpoint && status.CheckpointInfo != nil && status.CheckpointInfo.LastCheckpoint != nil:
		c := status.CheckpointInfo.LastCheckpoint
		return c.TriggerType, c.TriggerNonce, true
	case t == Savepoint && status.SavepointInfo != nil && status.SavepointInfo.LastSavepoint != nil:
		s := status.SavepointInfo.LastSavepoint
		return s.TriggerType, s.TriggerNonce, true
	}
	return "", nil, false
}

// NonceOf is spec.job.savepointTriggerNonce or checkpointTriggerNonce; nil when it is not set.
func NonceOf(job *v1beta1.JobSpec, t Type) *int64 {
	switch {
	case job == nil:
		return nil
	case t == Checkpoint:
		return job.CheckpointTriggerNonce
	}
	return job.SavepointTriggerNonce
}

// RecordNonce marks the nonce of a trigger as handled, in the job of lastReconciledSpec.
func RecordNonce(reconciled *v1beta1.JobSpec, t Type, nonce *int64) {
	switch {
	case reconciled == nil || nonce == nil:
	case t == Checkpoint:
		reconciled.CheckpointTriggerNonce = nonce
	default:
		reconciled.SavepointTriggerNonce = nonce
	}
}

// LastKnown is the state that a job was last known to be at: the one recorded for its next start, else its last
// savepoint. known is false when only the high-availability data tells. Empty and known means that there is none.
func LastKnown(status v1beta1.JobStatus) (path string, known bool) {
	switch {
	case status.UpgradeSavepointPath == v1beta1.LastStatePlaceholder:
		return "", false
	case status.UpgradeSavepointPath != "":
		return status.UpgradeSavepointPath, true
	case status.SavepointInfo != nil && status.SavepointInfo.LastSavepoint != nil:
		return status.SavepointInfo.LastSavepoint.Location, true
	}
	return "", true
}
