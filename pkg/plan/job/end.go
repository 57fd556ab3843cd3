package job

import (
	"fmt"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/restore"
)

// Ending waits, within an open stop, for the end of its job, and records what the job ended with before anything that
// knows it may go. A stop whose job goes on is given up, and tried again later.
type Ending Life

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
func (v Ending) awaitSavepoint() Result {
	j, r, ok := v.find()
	if !ok {
		return r
	}
	progress, asked := v.Seen.Flink.Stop.Get()
	inProgress := plan.Cause{Reason: plan.ReasonSavepointInProgress, Message: "the job is being stopped with a savepoint"}
	switch completed := asked && progress.State == StopCompleted; {
	case completed && j.State == v1beta1.FlinkJobFinished:
		now := v.Now()
		from := v1beta1.StartPoint{
			Kind: v1beta1.StartSavepoint, Path: progress.Path, Taken: &now, Reason: stoppedWithSavepoint,
		}
		return v.record(j.State, from)
	case j.State.IsTerminal():
		return v.withStatistics(j)
	case completed && (goesOn(j) || v.overdue()), asked && progress.State == StopUnfinished:
		message := fmt.Sprintf("Flink took the savepoint %s, but the job did not end. %s", progress.Path, progress.Cause)
		return v.attemptFailed(plan.ReasonStopUnfinished, strings.TrimSpace(message))
	case asked && progress.State == StopFailed:
		return v.attemptFailed(plan.ReasonSavepointError, "the stop with savepoint failed: "+progress.Cause)
	case asked && progress.State == StopInProgress && v.overdue():
		return v.cancelOverdue()
	case completed, asked && progress.State == StopInProgress:
		return Result{Situation: plan.Stopping, Wait: inProgress}
	case v.Seen.Flink.Stop.IsUnknown() && !v.StoresIntent():
		return Unobservable("the stop with savepoint", v.Seen.Flink.Stop.Why())
	}
	if r, not := v.Stopper.NotNow(); not {
		return r
	}
	_, format, drain := v.SavepointTarget()
	return Result{Situation: plan.Stopping, Wait: inProgress, Actions: []plan.Action{plan.StopWithSavepoint{
		JobID: j.ID, TriggerID: v.Intent().TriggerID, Directory: savepointDirectory(Life(v)), Format: format, Drain: drain,
		Endpoint: v.Host.Endpoint(),
	}}}
}

// overdue reports whether the open stop with savepoint has taken longer than Flink gives a savepoint, and a minute for
// the end of the tasks.
func (v Ending) overdue() bool {
	intent := v.Intent()
	open := intent != nil && intent.Step == v1beta1.StepStopping && intent.Stop == v1beta1.StopSavepoint && !intent.Ended
	return open && v.Since(intent.StoredAt) > v.CheckpointTimeout()+time.Minute
}

// goesOn reports whether a job works again, or is about to, although Flink has completed its stop. All its tasks had
// ended by then.
func goesOn(j Job) bool {
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
func (v Ending) cancelOverdue() Result {
	c, known := v.Seen.Flink.Checkpoints.Get()
	if known && c.Kind == KindStop && c.Pending.IsZero() && !c.Discarded {
		v.Intent().Stop = v1beta1.StopCancel
		v.SetJobState(v1beta1.FlinkJobCancelling)
		v.Tell(plan.Event{Warning: true, Reason: plan.ReasonStopOverdue, Component: plan.ComponentJob,
			Message: fmt.Sprintf("The job has its savepoint %s and does not end; it is cancelled", c.Path)})
		return Result{Situation: plan.Stopping, Record: "cancellation", Again: true}
	}
	message := fmt.Sprintf("the stop with savepoint has been in progress since %s, longer than "+
		"execution.checkpointing.timeout allows; see the tasks of the job and the TaskManagers' logs, and delete the "+
		"pod of "+
		"one that does not go on: the job then restarts and the stop is tried again",
		v.Intent().StoredAt.UTC().Format(time.RFC3339))
	return Result{Situation: plan.Stopping, Stall: &plan.Cause{Reason: plan.ReasonStopOverdue, Message: message}}
}

// awaitCancel goes on with a cancellation whose job's last checkpoint is kept.
//
//	Flink       job                  then
//	no answer   -                    wait
//	answers     another start time   the incarnation is gone: see failedOver
//	answers     ended                record the end with the newest state of its statistics
//	answers     CANCELLING           wait; stalled after the clean-up timeout
//	answers     otherwise            cancel (again), unless NotNow
func (v Ending) awaitCancel() Result {
	j, r, ok := v.find()
	waits := plan.Cause{Reason: plan.ReasonJobCancelling, Message: "the job is being cancelled"}
	switch {
	case !ok:
		return r
	case j.State.IsTerminal():
		return v.withStatistics(j)
	case j.State == v1beta1.FlinkJobCancelling:
		r = Result{Situation: plan.Stopping, Wait: waits}
		if since := v.EndedAt(); v.Since(since) > v.CleanupTimeout() {
			r.Stall = &plan.Cause{Reason: plan.ReasonCancelOverdue,
				Message: fmt.Sprintf("the job is being cancelled since %s and does not end; see the TaskManagers' "+
					"logs, and delete the pod of one whose tasks do not end", since.UTC().Format(time.RFC3339))}
		}
		return r
	}
	if r, not := v.Stopper.NotNow(); not {
		return r
	}
	return Result{
		Situation: plan.Stopping, Wait: waits,
		Actions: []plan.Action{plan.CancelJob{JobID: j.ID, Endpoint: v.Host.Endpoint(), Counts: true}},
	}
}

// find finds the job that the open intent stops; without it, what to do instead.
func (v Ending) find() (Job, Result, bool) {
	intent := v.Intent()
	jobs, answered := v.Seen.Flink.Jobs.Get()
	if !answered {
		return Job{}, Unobservable("the job that is being stopped", v.Seen.Flink.Jobs.Why()), false
	}
	j, listed := FindJob(jobs, intent.Stops.JobID)
	switch {
	case !listed && v.Since(intent.StoredAt) <= v.CheckpointTimeout():
		// A JobManager that has just failed over lists no job until it has submitted it.
		return j, Result{
			Situation: plan.Stopping,
			Wait: plan.Cause{
				Reason: plan.ReasonJobNotListed, Message: "Flink does not list the job that is being stopped",
			},
		}, false
	case !listed:
		return j, v.stateLost(plan.ReasonLastStateUnknown, "Flink no longer lists the job that was being stopped"), false
	case BeganAnew(intent.Stops, j):
		return j, v.failedOver(), false
	}
	return j, Result{}, true
}

// failedOver answers a job that began again while it was being stopped. With high availability it was restored from its
// latest checkpoint, and the stop is tried again; without, it began from its old state, and what it had done since may
// be in a savepoint that nobody told us of: a person decides.
func (v Ending) failedOver() Result {
	if HAData(v).Usable() {
		return v.attemptFailed(plan.ReasonJobManagerFailover, "the JobManager failed over while the job was being stopped")
	}
	return v.stateLost(
		"JobRestarted",
		"the JobManager was replaced without high availability while the job was being stopped, so the job began again "+
			"from its old state",
	)
}

// withStatistics records the end of a job with the newest state that its statistics name, else with the one that it was
// given.
func (v Ending) withStatistics(j Job) Result {
	answer, text := LastState(v).of(j)
	switch answer {
	case LastStateUnsettled:
		return Result{Situation: plan.Stopping, Wait: jobEnded}
	case LastStateUnknown:
		return Unobservable("the checkpoints of the job that has ended", text)
	}
	if suspected(v.Want.LostProgress) { // nobody can ask this run any more
		v.Job = &j
		LostProgress(v).judge()
	}
	switch answer {
	case LastStateNamed:
		c, _ := v.Seen.Flink.Checkpoints.Get()
		from := v1beta1.StartPoint{
			Kind: v1beta1.StartSavepoint, Path: text, Taken: LastState(v).takenAt(c), Reason: "NewestCheckpoint",
		}
		return v.record(j.State, from)
	case LastStateNowhere:
		return v.stateLost(plan.ReasonCheckpointNotFound,
			"the newest checkpoint of the job is stored where no job can be restored "+
				"from it")
	case LastStateDiscarded:
		return v.stateLost(plan.ReasonCheckpointDiscarded, CheckpointDiscarded)
	case LastStateForgotten:
		return v.stateLost(plan.ReasonCheckpointForgotten, LastState(v).forgotten())
	}
	v.SetJobState(j.State)
	choice := restore.Choose(facts(v).forRestore(v.Intent().Purpose, Goal(v).Target(), v1beta1.UpgradeModeSavepoint))
	if choice.Verdict != plan.Go {
		return Starting(v).refuse(choice)
	}
	return v.record(j.State, choice.From)
}

// stoppedWithSavepoint is why a start is from the savepoint that its predecessor was stopped with.
const stoppedWithSavepoint = "StopWithSavepoint"

// record stores what the job ended with before anything that knows it may go; then the stop goes on.
func (v Ending) record(state v1beta1.FlinkJobState, from v1beta1.StartPoint) Result {
	intent, now := v.Intent(), v.Now()
	intent.Ended, intent.EndedAt, intent.From = true, &now, &from
	v.SetJobState(state)
	from.Taken = LastState(v).taken(from)
	LastState(v).record(from)
	if from.Kind == v1beta1.StartEmpty {
		intent.Restore = v1beta1.UpgradeModeStateless
	}
	v.Note(fmt.Sprintf("the job ended %s with %s", state, from.Path))
	var kept []plan.Action
	if from.Reason == stoppedWithSavepoint {
		kept = Snapshots(v).keep(from.Path)
	}
	if r, awaited := v.Stopper.AwaitJobGraph(); awaited {
		r.Record, r.Actions = "end", append(kept, r.Actions...)
		return r
	}
	if intent.Purpose == v1beta1.PurposeSuspend {
		r := Stopping(v).suspend(intent.Restore)
		r.Record, r.Actions = "end", append(kept, r.Actions...) // a snapshot that cannot be made leaves the path known
		return r
	}
	down := v.Stopper.TakeDown()
	return Result{Situation: plan.Stopping, Record: "end", Actions: append(kept, down...), Again: len(down) == 0}
}

// attemptFailed closes the open stop, which took nothing away, and remembers when to try again.
func (v Ending) attemptFailed(reason plan.Reason, message string) Result {
	again := Record(v).attemptFailed(reason, message)
	Report(v).Fail(reason, message)
	return Result{
		Situation: plan.Waiting,
		Wait: plan.Cause{
			Reason: reason, Message: fmt.Sprintf("%s; next attempt at %s", message, again.UTC().Format(time.RFC3339)),
		},
	}
}

// stateLost stops at an open stop whose job's last state is not known. Nothing is taken down, and the message says what
// a person can do. Flink tells the path of a savepoint to nobody but who asks the JobManager that took it, so its place
// is named as far as it is known.
func (v Ending) stateLost(reason plan.Reason, message string) Result {
	Report(v).Fail(reason, message+". Manual restore required.")
	find := "Find the newest savepoint or checkpoint of the job."
	if directory := savepointDirectory(Life(v)); v.Intent().Stop == v1beta1.StopSavepoint && directory != "" {
		find = fmt.Sprintf(
			"If Flink completed the savepoint, it is the newest %s/savepoint-%.6s-*; else find the newest checkpoint of "+
				"the job.",
			directory, v.Intent().Stops.JobID,
		)
	}
	return Result{
		Situation: plan.StateLost, Stall: &plan.Cause{
			Reason: reason, Message: message + ". Nothing is deleted. " + find + " " + v.Remedy(),
		},
	}
}

// Lost answers a Deployment that went away while its job's last state was not recorded yet. Its job ID is never used
// again.
func (v Ending) Lost() (Result, bool) {
	intent := v.Intent()
	if intent.Ended || (intent.Stop != v1beta1.StopSavepoint && intent.Stop != v1beta1.StopCancel) ||
		intent.Purpose == v1beta1.PurposeDelete {
		return Result{}, false
	}
	return v.stateLost(plan.ReasonJobManagerLost,
		"the JobManager Deployment was deleted while the job was being stopped, and "+
			"the state that it stopped with is not known"), true
}
