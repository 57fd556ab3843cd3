package snapshot

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// inProgress decides for a snapshot whose request is stored. First match wins:
//
//	Flink says of the request  job                            then
//	completed                  -                              COMPLETED
//	-                          could not be read              wait
//	-                          gone, another, or ended        ABANDONED
//	-                          another run than the request's  TRIGGER_PENDING, not counted
//	in progress                -                              wait
//	-                          moving                         wait, at most the checkpoint timeout; then ABANDONED
//	failed                     runs                           a failed attempt
//	not known                  runs, and Flink would still    the request again, with the same ID: it never came
//	                           know a request of that time
//	not known                  runs                           a failed attempt: its result is lost
//	nothing                    runs                           wait
func inProgress(v view) (result, bool) {
	if v.want.State != v1beta1.SnapshotInProgress {
		return result{}, false
	}
	a := attempt(v)
	operation, _ := v.s.Flink.Operation.Get()
	if operation.State == snapshots.OperationCompleted {
		return a.completed(operation), true
	}
	s := v.standing()
	switch {
	case s == unknown:
		return a.unreadableJob(), true
	case s == gone, s == other:
		return a.abandon(a.notFound(s)), true
	case s == ended:
		return a.abandon(v.secondary() + " is not running"), true
	case a.replaced():
		return a.startOver(), true
	case operation.State == snapshots.OperationInProgress:
		return taking(), true
	case s == moving:
		return a.awaitJob(), true
	case operation.State == snapshots.OperationFailed:
		return a.failed(operation.Failure), true
	case operation.State == snapshots.OperationNotKnown && a.neverCame():
		return result{
			situation: Triggering, actions: []plan.Action{a.request()},
			wait: cause{plan.ReasonTriggering, "the request is being made"},
		}, true
	case operation.State == snapshots.OperationNotKnown:
		return a.failed(fmt.Sprintf(
			"Flink no longer has the request %s: its result is lost", v.want.TriggerID,
		)), true
	}
	return taking(), true
}

func taking() result {
	return result{situation: Taking, wait: cause{plan.ReasonInProgress, "Flink is taking the snapshot"}}
}

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
