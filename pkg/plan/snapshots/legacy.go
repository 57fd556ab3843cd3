package snapshots

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// The record of snapshots in the status of a job that has no FlinkStateSnapshots (snapshot.resource.enabled is false),
// drawn for one snapshot:
//
//	status                                          Flink
//	Begin: trigger ID, time, type, format, run
//	stored
//	                                                Ask: POST savepoints or checkpoints with that ID
//	... looks: ProgressOf, while it is pending ...
//	lastSavepoint, history; nonce handled; trigger fields cleared

// Pending lists the requests in flight by a job's status, to ask Flink about. A savepoint in flight keeps a spec change
// waiting, unless kubernetes.operator.job.upgrade.ignore-pending-savepoint is true.
func Pending(status v1beta1.JobStatus) []Request {
	var list []Request
	for _, t := range []Type{Savepoint, Checkpoint} {
		if id := pending(status, t); id != nil {
			job := status.JobID
			if run := runOf(status, t); run != nil && run.JobID != "" {
				job = run.JobID
			}
			list = append(list, Request{Type: t, JobID: job, TriggerID: *id})
		}
	}
	return list
}

// Begin records that a snapshot is asked for, to be stored before Ask is carried out. A periodic one counts as taken
// from here on, so that one that fails is not asked for again before its next time.
func Begin(f Facts, t Trigger, id string) v1beta1.JobStatus {
	status := *f.Status.DeepCopy()
	at, run := f.Now.UnixMilli(), &v1beta1.Incarnation{JobID: f.Status.JobID, JobStartTime: f.Status.StartTime}
	if t.Type == Checkpoint {
		info := checkpointInfo(&status)
		info.TriggerID, info.TriggerTimestamp, info.TriggerType, info.FormatType, info.Run = &id, &at, t.Cause,
			checkpointFormat(f), run
		if t.Cause == v1beta1.SnapshotTriggerPeriodic {
			info.LastPeriodicCheckpointTimestamp = at
		}
		return status
	}
	info := savepointInfo(&status)
	info.TriggerID, info.TriggerTimestamp, info.TriggerType, info.FormatType, info.Run = &id, &at, t.Cause, FormatOf(f),
		run
	if t.Cause == v1beta1.SnapshotTriggerPeriodic {
		info.LastPeriodicSavepointTimestamp = at
	}
	return status
}

// BeginAll begins what is due, and asks for it. Status is stored before: a pass that dies in between leaves requests
// that the next one makes, with the same IDs. version is that of the look that the status is stored over, see
// plan.Over.
func BeginAll(
	f Facts, due []Trigger, version string, endpoint plan.Endpoint,
) (status v1beta1.JobStatus, asks []plan.Action) {
	for _, t := range due {
		purpose := plan.PurposeSavepoint
		if t.Type == Checkpoint {
			purpose = plan.PurposeCheckpoint
		}
		id := plan.DeriveID(f.UID, version, purpose)
		asks = append(asks, Ask(f, t.Type, id, endpoint))
		f.Status = Begin(f, t, id)
	}
	return f.Status, asks
}

// Ask is the action that follows a stored Begin. Without a directory Flink takes the one it was started with, or
// refuses.
func Ask(f Facts, t Type, id string, endpoint plan.Endpoint) plan.Action {
	if t == Checkpoint {
		return plan.TriggerCheckpoint{Endpoint: endpoint, JobID: f.Status.JobID, TriggerID: id, Format: checkpointFormat(f)}
	}
	return plan.TriggerSavepoint{
		Endpoint: endpoint, JobID: f.Status.JobID, TriggerID: id, Directory: f.Config.Get(key.SavepointDir),
		Format: FormatOf(f),
	}
}
