package subject

import (
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
		status.UpgradeSavepointPath, status.LastStateUnread = c.Path, false
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
		status.UpgradeSavepointPath, status.LastStateUnread = v1beta1.LastStatePlaceholder, false
	}
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
