package observe

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// lastState takes over the newest state of a job that has ended, while the JobManager that knows it is there. before is
// what was recorded of the job until now. What a job without state of its own was given stays recorded: it had not even
// read it.
//
//	its newest state                                    what is recorded for the next start
//	-, and it was suspended                             what its suspension recorded: that may be a state of a person's
//	                                                    choice
//	unsettled or unknown                                as it was; unread, unless the end was recorded before
//	named                                               that
//	nowhere, discarded or forgotten                     lost
//	none, by the statistics of another run              lost: who answers was told of the end and saw nothing of the job
//	none                                                as it was
func lastState(v *world.Look, job world.Job, before v1beta1.JobStatus) {
	if suspended := !v.LastRunning() && before.State.IsTerminal(); !job.State.IsTerminal() || suspended {
		return
	}
	status := &v.Want.JobStatus
	answer, path := facts.LastStateOf(v, job)
	otherRun := before.StartTime != "" && before.StartTime != job.StartTime
	switch {
	case answer == facts.LastStateUnsettled, answer == facts.LastStateUnknown:
		if !before.State.IsTerminal() {
			status.LastStateUnread = !v.MayStartEmpty()
		}
	case answer == facts.LastStateNamed:
		c, _ := v.Seen.Flink.Checkpoints.Get()
		record.RestoreFrom(v, v1beta1.StartPoint{Path: path, Taken: facts.StateTakenAt(v, c)})
	case answer != facts.LastStateNone, otherRun:
		status.LastStateUnread = status.LastStateUnread || !before.State.IsTerminal()
		if loseLastState(v) {
			tellLastStateLost(v, answer)
		}
	default:
		status.LastStateUnread = false
	}
}

// tellLastStateLost tells how the newest state of a job was lost, where a person would not see it otherwise.
func tellLastStateLost(v *world.Look, answer facts.LastStateAnswer) {
	e := plan.Event{Warning: true, Component: plan.ComponentJob}
	switch answer {
	case facts.LastStateDiscarded:
		e.Reason, e.Message = plan.ReasonCheckpointDiscarded, facts.CheckpointDiscarded
	case facts.LastStateForgotten:
		e.Reason, e.Message = plan.ReasonCheckpointForgotten, facts.StatisticsForgotten(v)
	default:
		return
	}
	v.Tell(e)
}

// loseLastState records that nobody will ever tell the newest state of a job that has ended, where it was not read: a
// person decides then. A job that may start empty needs none; it stays unread, because its spec may be changed.
func loseLastState(v *world.Look) (lost bool) {
	status := &v.Want.JobStatus
	if lost = status.LastStateUnread && !v.MayStartEmpty(); lost {
		record.RestoreFrom(v, v1beta1.StartPoint{Path: v1beta1.LastStatePlaceholder})
	}
	return lost
}
