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
//	... passes: decideInProgress asks about that ID ...
//	COMPLETED, path

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
		situation: AwaitingJob, jobDown: true, until: deadline, then: "it is abandoned",
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
		situation: BackingOff, retryAt: due,
		wait: cause{
			plan.ReasonBackOff,
			fmt.Sprintf("attempt %d failed, the next one is due at %s", v.want.Failures, due.UTC().Format(time.RFC3339)),
		},
	}
}

const noneLeft = "every attempt failed, see status.error; make another FlinkStateSnapshot to try again"

// replaced reports whether the job that runs now is another run than the one that the request was made to.
func (v attempt) replaced() bool {
	run := v.want.Run
	if run == nil {
		return false
	}
	if id := v.job.status.JobID; id != "" && run.JobID != id {
		return true
	}
	live, listed := v.s.Flink.Job.Get()
	return listed && run.JobStartTime != "" && live.StartTime != run.JobStartTime
}

// startOver forgets a request whose cluster was replaced. It counts as no attempt.
func (v attempt) startOver() result {
	v.want.State, v.want.Run = v1beta1.SnapshotTriggerPending, nil
	wait := cause{plan.ReasonClusterReplaced, "the job was restarted, the snapshot is requested again"}
	return result{situation: AwaitingJob, again: true, wait: wait}
}

// neverCame reports whether a request that Flink does not know cannot have reached it: the run is the same, and Flink
// would still remember one of that time (rest.async.store-duration). A request of another operator was stored after it
// was made, so it came.
func (v attempt) neverCame() bool {
	at := parseInstant(v.want.TriggerTimestamp)
	return v.want.Run != nil && !at.IsZero() && v.s.Now.Sub(at) < v.job.remembers()
}

// completed ends a snapshot that Flink has taken. The place of a checkpoint is in its details.
//
//	checkpoint details             then
//	could not be read, unfinished  wait
//	completed                      COMPLETED with its path
//	failed, or left the history    COMPLETED with an empty path and a Warning
func (v attempt) completed(operation snapshots.Operation) result {
	if v.kind != snapshots.Checkpoint {
		return v.complete(operation.Location)
	}
	details, known := v.s.Flink.Checkpoint.Get()
	switch {
	case v.s.Flink.Checkpoint.IsUnknown(), known && !details.Done:
		return taking()
	case known && details.Path != "":
		return v.complete(details.Path)
	}
	why := details.Failure
	if why == "" {
		why = "it is no longer in the history or is stored in the JobManager's memory; web.checkpoints.history sets how " +
			"many Flink shows"
	}
	v.tell(plan.Event{
		Warning: true, Reason: plan.ReasonCheckpointError,
		Message: fmt.Sprintf("checkpoint %d is complete, but its location is not known: %s", operation.CheckpointID, why),
	})
	return v.complete("")
}

// complete ends a snapshot well.
func (v attempt) complete(path string) result {
	v.want.State, v.want.Path, v.want.Error, v.want.ResultTimestamp = v1beta1.SnapshotCompleted, &path, "", v.instant()
	return result{situation: Completed}
}

func taking() result {
	return result{situation: Taking, wait: cause{plan.ReasonInProgress, "Flink is taking the snapshot"}}
}
