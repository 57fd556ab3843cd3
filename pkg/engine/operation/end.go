package operation

import (
	"fmt"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/loss"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/engine/report"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/restore"
)

// awaitSavepoint goes on with a stop-with-savepoint. The job was listed after the request was seen to be completed.
// Only a job that has ended was stopped: Flink restarts one that does not end after its savepoint.
//
//	Flink       job                      request       then
//	no answer   -                        -             wait
//	answers     another start time       -             the incarnation is gone: see failedOver
//	answers     FINISHED                 completed     record the end with its path
//	answers     ended otherwise          any           record the end with the newest state of its statistics
//	answers     was restarted            completed     the attempt failed, the job goes on: try again later
//	answers     not ended yet            completed     wait for its end; overdue, the attempt failed
//	answers     not ended                in progress   wait; overdue, see there
//	answers     not ended                failed        the attempt failed, the job goes on: try again later
//	answers     not ended                not known     ask (again), with the same trigger ID, unless NotNow
func awaitSavepoint(v *world.Look) decision.Result {
	j, r, ok := findStopped(v)
	if !ok {
		return r
	}
	progress, asked := v.Seen.Flink.Stop.Get()
	inProgress := plan.Cause{Reason: plan.ReasonSavepointInProgress, Message: "the job is being stopped with a savepoint"}
	switch completed := asked && progress.State == world.StopCompleted; {
	case completed && j.State == v1beta1.FlinkJobFinished:
		now := v.Now()
		from := v1beta1.StartPoint{
			Kind: v1beta1.StartSavepoint, Path: progress.Path, Taken: &now, Reason: stoppedWithSavepoint,
		}
		return recordEnd(v, j.State, from)
	case j.State.IsTerminal():
		return endWithStatistics(v, j)
	case completed && (goesOn(j) || facts.StopOverdue(v)), asked && progress.State == world.StopUnfinished:
		message := fmt.Sprintf("Flink took the savepoint %s, but the job did not end. %s", progress.Path, progress.Cause)
		return AttemptFailed(v, plan.ReasonStopUnfinished, strings.TrimSpace(message))
	case asked && progress.State == world.StopFailed:
		return AttemptFailed(v, plan.ReasonSavepointError, "the stop with savepoint failed: "+progress.Cause)
	case asked && progress.State == world.StopInProgress && facts.StopOverdue(v) && world.TimeoutUnread(v) != "":
		return decision.Unobservable("how long a savepoint of the job may take", world.TimeoutUnread(v))
	case asked && progress.State == world.StopInProgress && facts.StopOverdue(v):
		return cancelOverdue(v)
	case completed, asked && progress.State == world.StopInProgress:
		return decision.Result{Situation: plan.Stopping, Wait: inProgress}
	case v.Seen.Flink.Stop.IsUnknown() && !v.StoresIntent():
		return decision.Unobservable("the stop with savepoint", v.Seen.Flink.Stop.Why())
	}
	if r, not := v.Stopper.NotNow(); not {
		return r
	}
	_, format, drain := v.Options.SavepointTarget()
	return decision.Result{Situation: plan.Stopping, Wait: inProgress, Actions: []plan.Action{plan.StopWithSavepoint{
		JobID: j.ID, TriggerID: v.Intent().TriggerID, Directory: world.SavepointDirectory(v), Format: format, Drain: drain,
		Endpoint: v.Host.Endpoint(),
	}}}
}

// goesOn reports whether a job works again, or is about to, although Flink has completed its stop. All its tasks had
// ended by then.
func goesOn(j world.Job) bool {
	switch j.State {
	case v1beta1.FlinkJobRunning:
		return j.Tasks > 0 && j.Running == j.Tasks
	case v1beta1.FlinkJobCancelling, v1beta1.FlinkJobReconciling:
		return false
	}
	return true
}

// cancelOverdue goes on with a stop whose savepoint Flink does not give up, and that does not come to its end.
//
//	newest state of the job                      then
//	a stop's savepoint, and none is being made   cancel the job: it waits for tasks that do not end
//	otherwise                                    a person looks; an answer of Flink goes on with it
func cancelOverdue(v *world.Look) decision.Result {
	c, known := v.Seen.Flink.Checkpoints.Get()
	if known && c.Kind == world.KindStop && c.Pending.IsZero() && !c.Discarded {
		v.Intent().Stop = v1beta1.StopCancel
		v.SetJobState(v1beta1.FlinkJobCancelling)
		v.Tell(plan.Event{Warning: true, Reason: plan.ReasonStopOverdue, Component: plan.ComponentJob,
			Message: fmt.Sprintf("The job has its savepoint %s and does not end; it is cancelled", c.Path)})
		return decision.Result{Situation: plan.Stopping, Record: "cancellation", Again: true}
	}
	message := fmt.Sprintf("the stop with savepoint has been in progress since %s, longer than "+
		"execution.checkpointing.timeout allows; see the tasks of the job and the TaskManagers' logs, and delete the "+
		"pod of a TaskManager that makes no progress: the job then restarts and the stop is tried again",
		v.Intent().StoredAt.UTC().Format(time.RFC3339))
	return decision.Result{Situation: plan.Stopping, Stall: &plan.Cause{Reason: plan.ReasonStopOverdue, Message: message}}
}

// awaitCancel goes on with a cancellation whose job's last checkpoint is kept.
//
//	Flink       job                  then
//	no answer   -                    wait
//	answers     another start time   the incarnation is gone: see failedOver
//	answers     ended                record the end with the newest state of its statistics
//	answers     CANCELLING           wait; stalled after the clean-up timeout
//	answers     otherwise            cancel (again), unless NotNow
func awaitCancel(v *world.Look) decision.Result {
	j, r, ok := findStopped(v)
	waits := plan.Cause{Reason: plan.ReasonJobCancelling, Message: "the job is being cancelled"}
	switch {
	case !ok:
		return r
	case j.State.IsTerminal():
		return endWithStatistics(v, j)
	case j.State == v1beta1.FlinkJobCancelling:
		r = decision.Result{Situation: plan.Stopping, Wait: waits}
		if since := v.EndedAt(); v.Since(since) > v.Options.CleanupTimeout() {
			r.Stall = &plan.Cause{Reason: plan.ReasonCancelOverdue,
				Message: fmt.Sprintf("the job is being cancelled since %s and does not end; see the TaskManagers' "+
					"logs, and delete the pod of one whose tasks do not end", since.UTC().Format(time.RFC3339))}
		}
		return r
	}
	if r, not := v.Stopper.NotNow(); not {
		return r
	}
	return decision.Result{
		Situation: plan.Stopping, Wait: waits,
		Actions: []plan.Action{plan.CancelJob{JobID: j.ID, Endpoint: v.Host.Endpoint(), Counts: true}},
	}
}

// findStopped finds the job that the open intent stops; without it, what to do instead.
func findStopped(v *world.Look) (world.Job, decision.Result, bool) {
	intent := v.Intent()
	jobs, answered := v.Seen.Flink.Jobs.Get()
	if !answered {
		r := decision.Unobservable("the job that is being stopped", v.Seen.Flink.Jobs.Why())
		r.Stall = facts.Hung(v)
		return world.Job{}, r, false
	}
	j, listed := world.FindJob(jobs, intent.Stops.JobID)
	switch {
	case !listed && v.Since(intent.StoredAt) <= v.CheckpointTimeout():
		// A JobManager that has just failed over lists no job until it has submitted it.
		return j, decision.Result{
			Situation: plan.Stopping,
			Wait: plan.Cause{
				Reason: plan.ReasonJobNotListed, Message: "Flink does not list the job that is being stopped",
			},
		}, false
	case !listed:
		return j, stateLost(v, plan.ReasonLastStateUnknown, "Flink no longer lists the job that was being stopped"), false
	case world.BeganAnew(intent.Stops, j):
		return j, failedOver(v), false
	}
	return j, decision.Result{}, true
}

// failedOver answers a job that began again while it was being stopped. With high availability it was restored from its
// latest checkpoint, and the stop is tried again; without, it began from its old state, and what it had done since may
// be in a savepoint that nobody told us of: a person decides.
func failedOver(v *world.Look) decision.Result {
	if facts.HAUsable(v) {
		return AttemptFailed(v, plan.ReasonJobManagerFailover, "the JobManager failed over while the job was being stopped")
	}
	return stateLost(v,
		"JobRestarted",
		"the JobManager was replaced without high availability while the job was being stopped, so the job began again "+
			"from its old state",
	)
}

// endWithStatistics records the end of a job with the newest state that its statistics name, else with the one that it
// was given.
func endWithStatistics(v *world.Look, j world.Job) decision.Result {
	answer, text := facts.LastStateOf(v, j)
	switch answer {
	case facts.LastStateUnsettled:
		return decision.Result{Situation: plan.Stopping, Wait: facts.JobEnded}
	case facts.LastStateUnknown:
		return decision.Unobservable("the checkpoints of the job that has ended", text)
	}
	if facts.Suspected(v.Want.LostProgress) { // nobody can ask this run any more
		v.Job = &j
		loss.Judge(v)
	}
	switch answer {
	case facts.LastStateNamed:
		c, _ := v.Seen.Flink.Checkpoints.Get()
		from := v1beta1.StartPoint{
			Kind: v1beta1.StartSavepoint, Path: text, Taken: facts.StateTakenAt(v, c), Reason: "NewestCheckpoint",
		}
		return recordEnd(v, j.State, from)
	case facts.LastStateNowhere:
		return stateLost(v, plan.ReasonCheckpointNotFound,
			"the newest checkpoint of the job is stored where no job can be restored "+
				"from it")
	case facts.LastStateDiscarded:
		return stateLost(v, plan.ReasonCheckpointDiscarded, facts.CheckpointDiscarded)
	case facts.LastStateForgotten:
		return stateLost(v, plan.ReasonCheckpointForgotten, facts.StatisticsForgotten(v))
	}
	v.SetJobState(j.State)
	choice := restore.Choose(facts.ForRestore(v, v.Intent().Purpose, facts.Target(v), v1beta1.UpgradeModeSavepoint))
	if choice.Verdict != plan.Go {
		return refuse(v, choice)
	}
	return recordEnd(v, j.State, choice.From)
}

// stoppedWithSavepoint is why a start is from the savepoint that its predecessor was stopped with.
const stoppedWithSavepoint = "StopWithSavepoint"

// recordEnd stores what the job ended with before anything that knows it may go; then the stop goes on.
func recordEnd(v *world.Look, state v1beta1.FlinkJobState, from v1beta1.StartPoint) decision.Result {
	intent, now := v.Intent(), v.Now()
	intent.Ended, intent.EndedAt, intent.From = true, &now, &from
	v.SetJobState(state)
	from.Taken = facts.StateTaken(v, from)
	record.RestoreFrom(v, from)
	if from.Kind == v1beta1.StartEmpty {
		intent.Restore = v1beta1.UpgradeModeStateless
	}
	v.Note(fmt.Sprintf("the job ended %s with %s", state, from.Path))
	var kept []plan.Action
	if from.Reason == stoppedWithSavepoint {
		kept = keepSavepoint(v, from.Path)
	}
	if r, awaited := v.Stopper.AwaitJobGraph(); awaited {
		r.Record, r.Actions = "end", append(kept, r.Actions...)
		return r
	}
	if intent.Purpose == v1beta1.PurposeSuspend {
		r := suspend(v, intent.Restore)
		r.Record, r.Actions = "end", append(kept, r.Actions...) // a snapshot that cannot be made leaves the path known
		return r
	}
	down := v.Stopper.TakeDown()
	return decision.Result{Situation: plan.Stopping, Record: "end", Actions: append(kept, down...), Again: len(down) == 0}
}

// AttemptFailed closes the open stop, which took nothing away, and remembers when to try again.
func AttemptFailed(v *world.Look, reason plan.Reason, message string) decision.Result {
	again := record.AttemptFailed(v, reason, message)
	record.Show(v, report.Failure(v, reason, message))
	return decision.Result{
		Situation: plan.Waiting,
		Wait: plan.Cause{
			Reason: reason, Message: fmt.Sprintf("%s; next attempt at %s", message, again.UTC().Format(time.RFC3339)),
			Until: again, Then: plan.ThenTriedAgain,
		},
	}
}

// stateLost stops at an open stop whose job's last state is not known. Nothing is taken down, and the message says what
// a person can do. Flink tells the path of a savepoint to nobody but who asks the JobManager that took it, so its place
// is named as far as it is known.
func stateLost(v *world.Look, reason plan.Reason, message string) decision.Result {
	record.Show(v, report.Failure(v, reason, message+". Manual restore required."))
	find := "Find the newest savepoint or checkpoint of the job."
	if directory := world.SavepointDirectory(v); v.Intent().Stop == v1beta1.StopSavepoint && directory != "" {
		find = fmt.Sprintf(
			"If Flink completed the savepoint, it is the newest %s/savepoint-%.6s-*; else find the newest checkpoint of "+
				"the job.",
			directory, v.Intent().Stops.JobID,
		)
	}
	return decision.Result{
		Situation: plan.StateLost, Stall: &plan.Cause{
			Reason: reason, Message: message + ". Nothing is deleted. " + find + " " + v.Remedy(),
		},
	}
}

// LostWithJobManager answers a Deployment that went away while its job's last state was not recorded yet. Its job ID is
// never used again.
func LostWithJobManager(v *world.Look) (decision.Result, bool) {
	intent := v.Intent()
	if intent.Ended || (intent.Stop != v1beta1.StopSavepoint && intent.Stop != v1beta1.StopCancel) ||
		intent.Purpose == v1beta1.PurposeDelete {
		return decision.Result{}, false
	}
	return stateLost(v, plan.ReasonJobManagerLost,
		"the JobManager Deployment was deleted while the job was being stopped, and "+
			"the state that it stopped with is not known"), true
}
