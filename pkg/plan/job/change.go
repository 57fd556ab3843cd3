package job

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// Change decides for a resource whose spec asks for something else than what was acted on last.
//
//	 #  acted on   asked      change              begins    then
//	C1  running    suspended  any                 Suspend   stop as package upgrade decides, end suspended
//	C2  running    running    savepoint redeploy  Redeploy  stop without state, start from initialSavepointPath
//	C3  running    running    effective           Upgrade   stop as package upgrade decides, start
//	C4  suspended  running    savepoint redeploy  Redeploy  start from initialSavepointPath
//	C5  suspended  running    otherwise           Resume    start from what the suspension left, as package restore
//	                                                        chooses
//	C6  any        as it is   ignored, or none    -         only the generation deployed moves
//
// One that gives up what the autoscaler keeps waits until that can be read. A change that must wait leaves room for
// recovery, where that is allowed, and a suspension for nothing that would start the job again; one that is refused
// leaves the job as it is.
func Change(v Life) (Result, bool) {
	if v.Last == nil {
		return Result{}, false
	}
	if v.Problem != "" {
		Report(v).Rejected()
	}
	wanted, running := v.WantsRunning(), v.LastRunning()
	diff := v.Changed()
	asks := running != wanted || wanted && diff.Kind.Effective()
	switch waits := unforgotten(v); {
	case waits != nil && asks && v.Problem == "":
		v.Pending = waits
		if !wanted {
			return Settled(v)
		}
		return Result{}, false
	case !running && wanted:
		return change(v).resume(diff), true
	case !running, wanted && !diff.Kind.Effective():
		if v.Problem == "" {
			v.Deployed = v.Generation
		}
		if v.Problem == "" && v.Intent() == nil {
			v.Want.Retry = nil // a change that was withdrawn is not tried again
		}
		return Result{}, false
	}
	return change(v).leave(diff, wanted)
}

// change decides how what runs is left for what the spec asks now, and from what a suspended job goes on.
type change Life

// leave stops the running job, for another or for a suspension.
func (v change) leave(diff specdiff.Change, wanted bool) (Result, bool) {
	purpose := v1beta1.PurposeSuspend
	if wanted {
		purpose = v1beta1.PurposeUpgrade
	}
	if Goal(v).choosesState() {
		purpose = v1beta1.PurposeRedeploy
	}
	ended := v.Want.JobStatus.State.IsTerminal() // what was tried has come about, or needs no stop any more
	if r := v.Want.Retry; !ended && backoff.Waits(r, v.Generation, v.Seen.Now) {
		v.Pending = &plan.Cause{
			Reason:  plan.Reason(r.Reason),
			Message: fmt.Sprintf("%s; next attempt at %s", r.Message, r.After.UTC().Format(time.RFC3339)),
		}
		return Result{}, false
	}
	if purpose != v1beta1.PurposeRedeploy && LostProgress(v).awaitsRestore() { // who chooses a state gives the other up
		v.Pending = &restoreNotShown
		return Result{}, false
	}
	if ended && unasked(Life(v)) && !v.MayStartEmpty() {
		return Unobservable("the job that has ended", v.Seen.Flink.Jobs.Why()), true
	}
	if purpose == v1beta1.PurposeRedeploy && v.choosesWhatGoes() {
		return Result{}, false
	}
	d := upgrade.Decide(facts(v).forUpgrade(purpose))
	switch d.Verdict {
	case plan.Go:
		if waits := v.awaitsCheckpoint(d); waits != nil {
			v.Pending = waits
			return Result{}, false
		}
		result := Stopping(v).asDecided(purpose, d)
		if result.Record != "" || result.Situation == plan.Suspended {
			v.tell(diff)
		}
		return result, true
	case plan.Refuse:
		v.Refused = &plan.Cause{Reason: d.Reason, Message: d.Message + " " + v.Remedy()}
	default:
		v.Pending = &plan.Cause{Reason: d.Reason, Message: d.Message}
	}
	if d.OthersAllowed {
		return Result{}, false
	}
	return Result{Situation: plan.Waiting, Wait: *v.Pending}, true
}

// awaitsCheckpoint is why a job waits that is to be stopped by last-state, and whose high-availability data names no
// checkpoint yet: Flink keeps no savepoint in it. Nil: it need not. First match wins:
//
//	the job                                             known of it                 then
//	has ended, or Flink has not answered for a minute   -                           go on
//	goes on                                             nothing, it cannot be read  wait until it can
//	goes on                                             nothing, or a checkpoint    go on
//	goes on, began longer ago than a checkpoint takes   a savepoint                 go on: a person decides
//	goes on                                             a savepoint                 wait
func (v change) awaitsCheckpoint(d upgrade.Decision) *plan.Cause {
	known := KnownCheckpoint(v.Want.JobStatus)
	if d.Suspend != upgrade.SuspendLastState || !namesNone(Life(v)) {
		return nil
	}
	if known == nil || known.Path == "" {
		return untoldSavepoint(Life(v))
	}
	_, isCheckpoint := checkpointNumber(known.Path)
	since := min(v.Since(v.EndedAt()), v.Seen.Now.Sub(startOf(v.Want.JobStatus.StartTime)))
	if isCheckpoint || v.Want.JobStatus.UpgradeSavepointPath == v1beta1.LastStatePlaceholder ||
		since >= v.CheckpointTimeout() {
		return nil
	}
	return &plan.Cause{Reason: plan.ReasonCheckpointPending, Message: "the job goes on, and its high-availability data " +
		"names no checkpoint yet; the change is made when it does"}
}

// untoldSavepoint is why a job is not stopped for high-availability data that names no checkpoint yet, while nothing is
// known of the job and Flink does not tell: it may have a savepoint. Nil: it has none, or has ended.
func untoldSavepoint(v Life) *plan.Cause {
	if KnownCheckpoint(v.Want.JobStatus) != nil || !v.Seen.Flink.Checkpoints.IsUnknown() || !namesNone(v) {
		return nil
	}
	return &plan.Cause{Reason: plan.ReasonCheckpointsUnknown, Message: "the job's high-availability data names no " +
		"checkpoint, and Flink does not tell of a savepoint: " + v.Seen.Flink.Checkpoints.Why()}
}

// namesNone reports whether the high-availability data of a job that goes on names no checkpoint. A Flink that does not
// answer for less than a minute counts as one whose job goes on.
func namesNone(v Life) bool {
	data, there := HAData(v).known().Get()
	return there && !data.Checkpoint &&
		(v.Job != nil && !v.Job.State.IsTerminal() || v.Job == nil && unanswered(v))
}

// choosesWhatGoes refuses a redeploy from a checkpoint of the job that runs, where Flink deletes it before the
// successor could read it.
func (v change) choosesWhatGoes() bool {
	switch chosenOwnCheckpoint(Life(v)) {
	case OwnCheckpointDeleted:
		v.Refused = &plan.Cause{Reason: upgrade.NotRetained,
			Message: "spec.job.initialSavepointPath is a checkpoint of the job that runs, " +
				"and Flink deletes it with the job or when a newer one is complete. Take a savepoint and use its path, " +
				"or copy the checkpoint to another directory and use that path. The job is left running."}
	case OwnCheckpointUnknown:
		v.Pending = &plan.Cause{Reason: plan.ReasonCheckpointRetentionUnknown,
			Message: "spec.job.initialSavepointPath is a checkpoint of the " +
				"job that runs, and whether Flink keeps it cannot be read: " + v.Seen.Flink.Retention.Why()}
	default:
		return false
	}
	return true
}

func (v change) tell(diff specdiff.Change) {
	if !v.IsApplication() {
		diff = diff.OfSessionJob()
	}
	v.Tell(plan.Event{
		Reason: plan.ReasonSpecChanged, Component: plan.ComponentJobManager, Once: true,
		Key:     fmt.Sprintf("SpecChange: %d", v.Generation),
		Message: diff.EventMessage(),
	})
}

// resume starts a suspended job: empty if the spec now says so, else from what its suspension left.
func (v change) resume(diff specdiff.Change) Result {
	mode, purpose := v1beta1.UpgradeModeStateless, v1beta1.PurposeResume
	if Goal(v).choosesState() {
		purpose = v1beta1.PurposeRedeploy
	} else if !v.MayStartEmpty() {
		mode = v.Last.Spec.Job.UpgradeMode
	}
	r := Stopping(v).replace(Stop{purpose, v.Spec, v1beta1.StopNone, mode})
	if r.Record != "" {
		v.tell(diff)
	}
	return r
}
