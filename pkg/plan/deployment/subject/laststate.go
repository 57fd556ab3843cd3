package subject

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// observeLastState takes over the newest state of a job that has ended, while the JobManager that knows it is there. before is what was
// recorded of the job until now. What a job without state of its own was given stays recorded: it had not even read it.
//
//	its statistics                                      what is recorded for the next start
//	-, and it was suspended                             what its suspension recorded: that may be a state of a person's choice
//	do not show its end yet, or cannot be read          as it was; unread, unless the end was recorded before
//	name a state                                        that
//	name one that lies where nothing is restored from   lost
//	name none, and are those of another run             lost: who answers was told of the end and saw nothing of the job
//	name none                                           as it was
func (v *Subject) observeLastState(job Job, before v1beta1.JobStatus) {
	if suspended := !v.LastRunning() && before.State.IsTerminal(); !job.State.IsTerminal() || suspended {
		return
	}
	status := &v.Want.JobStatus
	c, known := v.Seen.Flink.Checkpoints.Get()
	otherRun := before.StartTime != "" && before.StartTime != job.StartTime
	switch {
	case !job.StatisticsSettled(v.Seen.Now) || v.Seen.Flink.Checkpoints.IsUnknown():
		if !before.State.IsTerminal() {
			status.LastStateUnread = !v.MayStartEmpty()
		}
	case known && c.Path != "":
		v.RecordState(v1beta1.StartPoint{Path: c.Path, Taken: v.TakenAt(c)})
	case known || otherRun:
		status.LastStateUnread = status.LastStateUnread || !before.State.IsTerminal()
		v.loseLastState()
	default:
		status.LastStateUnread = false
	}
}

// loseLastState records that nobody will ever tell the newest state of a job that has ended, where it was not read: a person decides then.
// A job that may start empty needs none; it stays unread, because its spec may be changed.
func (v *Subject) loseLastState() {
	status := &v.Want.JobStatus
	if status.LastStateUnread && !v.MayStartEmpty() {
		v.RecordState(v1beta1.StartPoint{Path: v1beta1.LastStatePlaceholder})
	}
}

// RecordState records what the next start is from.
func (v *Subject) RecordState(from v1beta1.StartPoint) {
	status := &v.Want.JobStatus
	status.UpgradeSavepointPath, status.StateTaken, status.LastStateUnread = from.Path, from.Taken, false
}

// TakenAt is when the newest state of a job was taken; nil when nobody knows. Of one that was restored Flink says only
// when that was.
func (v *Subject) TakenAt(c Checkpoints) *metav1.Time {
	status := v.Want.JobStatus
	switch {
	case c.Path != "" && c.Path == status.UpgradeSavepointPath && status.StateTaken != nil:
		return status.StateTaken
	case c.Restored || c.Completed.IsZero():
		return nil
	}
	at := metav1.NewTime(c.Completed.UTC().Truncate(time.Second))
	return &at
}

// Taken is when the state of a start was taken, as far as status knows; nil when it does not.
//
//	start from               known
//	the recorded path        with the path
//	the last savepoint       with it
//	high-availability data   when the cluster was taken down for it, and its statistics were read then
func (v *Subject) Taken(from v1beta1.StartPoint) *metav1.Time {
	status, info := v.Want.JobStatus, v.Want.JobStatus.SavepointInfo
	ofData := v.Intent() != nil && v.Intent().Stop == v1beta1.StopLastState
	switch {
	case from.Taken != nil || from.Kind == v1beta1.StartEmpty:
		return from.Taken
	case ofData != (from.Kind == v1beta1.StartLastState):
		return nil
	case ofData, from.Path == status.UpgradeSavepointPath:
		return status.StateTaken
	case info == nil || info.LastSavepoint == nil:
		return nil
	}
	if last := info.LastSavepoint; last.Location == from.Path && last.TimeStamp > 0 {
		at := metav1.NewTime(time.UnixMilli(last.TimeStamp).UTC().Truncate(time.Second))
		return &at
	}
	return nil
}

// AwaitsLastState reports whether the job has ended, needs its newest state, and that is not read yet.
func (v *Subject) AwaitsLastState() bool {
	return v.Want.JobStatus.LastStateUnread && !v.MayStartEmpty()
}

// Vanished reports whether Flink has not listed a job that ran for so long that it will not come back: it has ended, and nobody was told
// how. A JobManager that has just failed over lists no job until it has submitted it.
func (v *Subject) Vanished() bool {
	return v.MissesItsJob() && v.Job == nil && v.Seen.Flink.Jobs.IsPresent()
}

// MissesItsJob reports whether status has said for that long that a job which ran is to come back.
func (v *Subject) MissesItsJob() bool {
	status := v.Want.JobStatus
	return v.Last != nil && !v.IsSession() && status.StartTime != "" && status.State == v1beta1.FlinkJobReconciling && v.Since(v.EndedAt()) > v.CheckpointTimeout()
}
