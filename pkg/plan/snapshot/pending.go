package snapshot

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// One attempt, drawn for one pass and the next:
//
//	status                                      Flink
//	IN_PROGRESS, trigger ID, run of the job
//	                                            POST savepoints or checkpoints with that ID
//	... passes: inProgress asks about that ID ...
//	COMPLETED, path

// pending decides for a snapshot that is to be asked for. First match wins:
//
//	job                                    then
//	its resource could not be read         wait
//	gone or another, and seen before       ABANDONED
//	ended                                  ABANDONED
//	-, and the last attempt failed and     wait until it is due
//	the next one is not due
//	moving                                 wait, at most the checkpoint timeout; then ABANDONED
//	runs, and the request cannot be made   a failed attempt
//	runs                                   IN_PROGRESS, then the request
func pending(v view) (result, bool) {
	a := attempt(v)
	switch s := v.standing(); {
	case s == unknown:
		return a.unreadableJob(), true
	case s == gone, s == other:
		return a.abandon(a.notFound(s)), true
	case s == ended:
		return a.abandon(v.secondary() + " is not running"), true
	case a.backsOff():
		return a.backOff(), true
	case s == moving:
		return a.awaitJob(), true
	}
	return a.trigger(), true
}

// attempt asks Flink for the snapshot, waits for the answer, and ends: taken, failed and tried again, or abandoned.
type attempt view

// trigger stores the request and makes it.
func (v attempt) trigger() result {
	r := v.resource()
	if v.kind == snapshots.Checkpoint && !flinkconf.BehaviourOf(v.job.version).CheckpointTrigger {
		return v.failed("triggering a checkpoint requires Flink 1.17+, the cluster has " + string(v.job.version))
	}
	if v.kind == snapshots.Savepoint && v.directory() == "" {
		return v.failed(
			"no savepoint path: set spec.savepoint.path here, or " + key.SavepointDir.Key +
				" in flinkConfiguration of the job",
		)
	}
	live, _ := v.s.Flink.Job.Get()
	v.want.State = v1beta1.SnapshotInProgress
	v.want.TriggerID = plan.DeriveID(r.UID, plan.Over(r.ResourceVersion, v.s.Now), plan.PurposeTrigger)
	v.want.TriggerTimestamp, v.want.ResultTimestamp = v.instant(), ""
	v.want.Run = &v1beta1.Incarnation{JobID: v.job.status.JobID, JobStartTime: live.StartTime}
	return result{
		situation: Triggering, record: true, actions: []plan.Action{v.request()},
		wait: cause{plan.ReasonTriggering, "the request is being made"},
	}
}

// request is the request that status records.
func (v attempt) request() plan.Action {
	if v.kind == snapshots.Checkpoint {
		return plan.TriggerCheckpoint{
			Endpoint: *v.job.endpoint, JobID: v.requestedJob(), TriggerID: v.want.TriggerID,
			Format: v1beta1.CheckpointFormatFull,
		}
	}
	return plan.TriggerSavepoint{
		Endpoint: *v.job.endpoint, JobID: v.requestedJob(), TriggerID: v.want.TriggerID, Directory: v.directory(),
		Format: v.resource().Spec.Savepoint.DesiredFormat(),
	}
}

// requestedJob is the job that the stored request was made to.
func (v attempt) requestedJob() string {
	if v.want.Run != nil && v.want.Run.JobID != "" {
		return v.want.Run.JobID
	}
	return v.job.status.JobID
}

// directory is where a savepoint goes: spec.savepoint.path, else the job's execution.checkpointing.savepoint-dir.
func (v attempt) directory() string {
	if s := v.resource().Spec.Savepoint; s != nil && s.Path != "" {
		return s.Path
	}
	return v.job.config.Get(key.SavepointDir)
}

func (v attempt) unreadableJob() result {
	return result{
		situation: plan.Unobservable,
		wait:      cause{plan.ReasonUnobservable, "the job's resource cannot be read: " + v.job.why},
	}
}

// awaitJob waits for a job that does not run, at most as long as Flink waits for a checkpoint. When the wait began is
// the transition time of the condition JobRunning.
func (v attempt) awaitJob() result {
	since := v.now()
	if c := v.condition(summary.JobRunning); c != nil && !c.LastTransitionTime.IsZero() {
		since = c.LastTransitionTime.Time
	}
	deadline := since.Add(v.job.timeout())
	if !v.now().Before(deadline) {
		return v.abandon(v.secondary() + " is not running")
	}
	return result{
		situation: AwaitingJob, jobDown: true,
		wait: cause{
			plan.ReasonJobNotRunning, "the job does not run; it is waited for until " + deadline.UTC().Format(time.RFC3339),
		},
	}
}

func (v attempt) notFound(s standing) string {
	text := v.secondary() + " was not found"
	if s == other {
		text += ": the resource of that name is another job"
	}
	return text
}

// abandon gives a snapshot up: its job is gone, or has ended.
func (v attempt) abandon(text string) result {
	v.want.State, v.want.Path, v.want.Error, v.want.ResultTimestamp = v1beta1.SnapshotAbandoned, nil, text, v.instant()
	v.tell(plan.Event{Warning: true, Reason: plan.ReasonSnapshotAbandoned, Message: text})
	return result{situation: Abandoned, stall: cause{plan.ReasonSnapshotAbandoned, text}}
}

// failed counts an attempt that came to nothing, and says when the next one is.
func (v attempt) failed(message string) result {
	reason := plan.ReasonSavepointError
	if v.kind == snapshots.Checkpoint {
		reason = plan.ReasonCheckpointError
	}
	v.want.State = v1beta1.SnapshotTriggerPending
	v.want.Failures++
	v.want.Error, v.want.ResultTimestamp = v.errorText(typeReconciliation, message), v.instant()
	v.tell(plan.Event{Warning: true, Reason: reason, Message: v.want.Error})
	if limit := v.resource().Spec.DesiredBackoffLimit(); limit >= 0 && v.want.Failures > limit {
		v.want.State = v1beta1.SnapshotFailed
		return result{situation: Failed, stall: cause{plan.ReasonBackoffLimitExceeded, noneLeft}}
	}
	return v.backOff()
}

// longestBackOff bounds the back-off: an attempt a day is made however many failed.
const longestBackOff = 24 * time.Hour

// next is when the next attempt is due after the last one that failed; zero when none did.
func (v attempt) next() time.Time {
	last := parseInstant(v.want.ResultTimestamp)
	if last.IsZero() || v.want.Failures == 0 {
		return time.Time{}
	}
	return last.Add(backoff.After(v.want.Failures, longestBackOff))
}

// backsOff reports whether the next attempt is not due yet. A spec that changed since the last one does not wait.
func (v attempt) backsOff() bool {
	ready := v.condition(summary.Ready)
	same := ready != nil && ready.ObservedGeneration == v.resource().Generation
	return same && v.now().Before(v.next())
}

func (v attempt) backOff() result {
	due := v.next()
	return result{
		situation: BackingOff, attempt: due,
		wait: cause{
			plan.ReasonBackOff,
			fmt.Sprintf("attempt %d failed, the next one is due at %s", v.want.Failures, due.UTC().Format(time.RFC3339)),
		},
	}
}
