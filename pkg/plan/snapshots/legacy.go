package snapshots

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// The record of snapshots in the status of a job that has no FlinkStateSnapshots (snapshot.resource.enabled is false), drawn for one
// snapshot:
//
//	status                                     Flink
//	Begin: trigger ID, time, type, format
//	stored
//	                                           Ask: POST savepoints or checkpoints with that ID
//	... looks: ProgressOf, while it is pending ...
//	lastSavepoint, history; nonce handled; trigger fields cleared

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

// Pending lists the requests in flight by a job's status, to ask Flink about. A savepoint in flight keeps a spec change waiting, unless
// kubernetes.operator.job.upgrade.ignore-pending-savepoint is true.
func Pending(status v1beta1.JobStatus) []Request {
	var list []Request
	for _, t := range []Type{Savepoint, Checkpoint} {
		if id := pending(status, t); id != nil {
			list = append(list, Request{Type: t, JobID: status.JobID, TriggerID: *id})
		}
	}
	return list
}

// Begin records that a snapshot is asked for, to be stored before Ask is carried out. A periodic one counts as taken from here on, so that
// one that fails is not asked for again before its next time.
func Begin(f Facts, t Trigger, id string) v1beta1.JobStatus {
	status := *f.Status.DeepCopy()
	at := f.Now.UnixMilli()
	if t.Type == Checkpoint {
		info := checkpointInfo(&status)
		info.TriggerID, info.TriggerTimestamp, info.TriggerType, info.FormatType = &id, &at, t.Cause, checkpointFormat(f)
		if t.Cause == v1beta1.SnapshotTriggerPeriodic {
			info.LastPeriodicCheckpointTimestamp = at
		}
		return status
	}
	info := savepointInfo(&status)
	info.TriggerID, info.TriggerTimestamp, info.TriggerType, info.FormatType = &id, &at, t.Cause, FormatOf(f)
	if t.Cause == v1beta1.SnapshotTriggerPeriodic {
		info.LastPeriodicSavepointTimestamp = at
	}
	return status
}

// Ask is the action that follows a stored Begin. Without a directory Flink takes the one it was started with, or refuses.
func Ask(f Facts, t Type, id string, endpoint plan.Endpoint) plan.Action {
	if t == Checkpoint {
		return plan.TriggerCheckpoint{Endpoint: endpoint, JobID: f.Status.JobID, TriggerID: id, Format: checkpointFormat(f)}
	}
	return plan.TriggerSavepoint{
		Endpoint: endpoint, JobID: f.Status.JobID, TriggerID: id, Directory: f.Config.Get(key.SavepointDir), Format: FormatOf(f),
	}
}

func checkpointFormat(f Facts) v1beta1.CheckpointFormatType {
	return v1beta1.CheckpointFormatType(read(f.Config.Enum, key.CheckpointType, string(v1beta1.CheckpointFormatFull)))
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

// Progress is what became of the requests in flight.
type Progress struct {
	// Status is the job's status after it.
	Status v1beta1.JobStatus
	// Handled are the types whose nonce of the spec counts as handled now: RecordNonce writes it.
	Handled []Type
	// Events tell of failures.
	Events []plan.Event
}

// Answers are what Flink says of the requests in flight. Parts nobody asked for are Unknown.
type Answers struct {
	// Savepoint and Checkpoint are those of the two types.
	Savepoint, Checkpoint plan.Observed[Operation]
}

// ProgressOf brings the requests in flight up to what Flink says of them.
//
//	job is RUNNING  Flink says             trigger fields  nonce                     event
//	no              -                      cleared         handled                   Warning
//	yes             nothing, in progress   kept            -                         -
//	yes             completed              cleared         handled                   -
//	yes             failed, not known,     cleared         pending: asked for again  Warning
//	                within the grace period
//	yes             failed, not known,     cleared         handled                   Warning
//	                later
func ProgressOf(f Facts, answers Answers) Progress {
	p := Progress{Status: *f.Status.DeepCopy()}
	for _, t := range []Type{Savepoint, Checkpoint} {
		if pending(f.Status, t) == nil {
			continue
		}
		answer, _ := answers.Savepoint.Get()
		if t == Checkpoint {
			answer, _ = answers.Checkpoint.Get()
		}
		p.step(f, t, answer)
	}
	return p
}

func (p *Progress) step(f Facts, t Type, answer Operation) {
	cause, asked := inFlight(p.Status, t)
	switch {
	case f.Running && (answer.State == OperationUnknown || answer.State == OperationInProgress):
		return
	case f.Running && answer.State == OperationCompleted:
		complete(f, &p.Status, t, answer.Location)
	default:
		p.Events = append(p.Events, failure(f, t, cause))
		if f.Running && !f.Now.After(asked.Add(grace(f, t))) {
			clearTrigger(&p.Status, t)
			return
		}
	}
	if cause != v1beta1.SnapshotTriggerPeriodic {
		p.Handled = append(p.Handled, t)
	}
	clearTrigger(&p.Status, t)
}

// inFlight is why and when the request in flight was made.
func inFlight(status v1beta1.JobStatus, t Type) (v1beta1.SnapshotTriggerType, time.Time) {
	cause, at := status.SavepointInfo, status.CheckpointInfo
	if t == Checkpoint {
		return at.TriggerType, fromMillis(at.TriggerTimestamp)
	}
	return cause.TriggerType, fromMillis(cause.TriggerTimestamp)
}

func fromMillis(millis *int64) time.Time {
	if millis == nil {
		return time.Time{}
	}
	return time.UnixMilli(*millis).UTC()
}

func grace(f Facts, t Type) time.Duration {
	if t == Checkpoint {
		return read(f.Config.Duration, key.CheckpointTriggerGracePeriod, time.Minute)
	}
	return read(f.Config.Duration, key.SavepointTriggerGracePeriod, time.Minute)
}

// complete records a snapshot that is done. The place of a checkpoint is not kept: Flink's own statistics know it.
func complete(f Facts, status *v1beta1.JobStatus, t Type, location string) {
	nonce := nonceOf(f.Wanted, t)
	if t == Checkpoint {
		info := status.CheckpointInfo
		if info.TriggerType == v1beta1.SnapshotTriggerPeriodic {
			nonce = nil
		}
		info.LastCheckpoint = &v1beta1.Checkpoint{
			TimeStamp: zeroIfNil(info.TriggerTimestamp), TriggerType: info.TriggerType, FormatType: info.FormatType, TriggerNonce: nonce,
		}
		return
	}
	info := status.SavepointInfo
	if info.TriggerType == v1beta1.SnapshotTriggerPeriodic {
		nonce = nil
	}
	remember(info, v1beta1.Savepoint{
		TimeStamp: zeroIfNil(info.TriggerTimestamp), Location: location, TriggerType: info.TriggerType, FormatType: info.FormatType, TriggerNonce: nonce,
	})
}

func zeroIfNil(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

func clearTrigger(status *v1beta1.JobStatus, t Type) {
	if t == Checkpoint {
		i := status.CheckpointInfo
		i.TriggerID, i.TriggerTimestamp, i.TriggerType, i.FormatType = nil, nil, "", ""
		return
	}
	i := status.SavepointInfo
	i.TriggerID, i.TriggerTimestamp, i.TriggerType, i.FormatType = nil, nil, "", ""
}

// failure is the event of a request that came to nothing.
func failure(f Facts, t Type, cause v1beta1.SnapshotTriggerType) plan.Event {
	word, name := "Savepoint", "savepoint"
	if t == Checkpoint {
		word, name = "Checkpoint", "checkpoint"
	}
	message := "Periodic " + name + " failed"
	if cause != v1beta1.SnapshotTriggerPeriodic {
		message = fmt.Sprintf("%s failed for %sTriggerNonce: %d", word, name, zeroIfNil(nonceOf(f.Wanted, t)))
	}
	return plan.Event{Warning: true, Reason: word + "Error", Component: plan.ComponentOperator, Message: message}
}
