package decide

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/loss"
	"github.com/kn-flink/kn-flink/pkg/engine/report"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
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
func Change(v *world.Look) decision.Decision {
	if v.Last == nil {
		return decision.Pass()
	}
	wanted, running := v.WantsRunning(), v.LastRunning()
	diff, valid := v.Changed(), v.Problem == ""
	asks := running != wanted || wanted && diff.Kind.Effective()
	d := decision.Pass()
	switch waits := facts.Unforgotten(v); {
	case waits != nil && asks && valid:
		found := decision.Found{Pending: waits}
		if !wanted {
			return settled(v, found)
		}
		return decision.Wait(found)
	case !running && wanted:
		d = resume(v, diff)
	case running && (!wanted || diff.Kind.Effective()):
		d = leave(v, diff, wanted)
	case valid:
		d.Marks = append(d.Marks, decision.Deployed)
		if v.Intent() == nil {
			d.Marks = append(d.Marks, decision.NotRetried) // a change that was withdrawn is not tried again
		}
	}
	if !valid {
		d.Shown = report.Rejection(v)
	}
	return d
}

// leave stops the running job, for another or for a suspension.
func leave(v *world.Look, diff specdiff.Change, wanted bool) decision.Decision {
	purpose := v1beta1.PurposeSuspend
	if wanted {
		purpose = v1beta1.PurposeUpgrade
	}
	if facts.ChoosesState(v) {
		purpose = v1beta1.PurposeRedeploy
	}
	ended := v.Want.JobStatus.State.IsTerminal() // what was tried has come about, or needs no stop any more
	if r := v.Want.Retry; !ended && backoff.Waits(r, v.Generation, v.Seen.Now) {
		return decision.Wait(decision.Found{Pending: &plan.Cause{
			Reason:  plan.Reason(r.Reason),
			Message: fmt.Sprintf("%s; next attempt at %s", r.Message, r.After.UTC().Format(time.RFC3339)),
			Until:   r.After.Time, Then: plan.ThenTriedAgain,
		}})
	}
	if purpose != v1beta1.PurposeRedeploy && loss.AwaitsRestore(v) { // a redeploy abandons the state
		return decision.Wait(decision.Found{Pending: &restoreNotShown})
	}
	if ended && world.Unasked(v) && !v.MayStartEmpty() {
		return decision.Settle(decision.Unobservable("the job that has ended", v.Seen.Flink.Jobs.Why()))
	}
	if purpose == v1beta1.PurposeRedeploy {
		if found := choosesWhatGoes(v); found != nil {
			return decision.Wait(*found)
		}
	}
	d := upgrade.Decide(facts.ForUpgrade(v, purpose))
	if d.Verdict != plan.Go {
		return leavesNot(v, d)
	}
	if waits := awaitsCheckpoint(v, d); waits != nil {
		return decision.Wait(decision.Found{Pending: waits})
	}
	if wanted {
		if found := objection(v); found != nil {
			return decision.Wait(*found)
		}
	}
	return decision.Decision{
		Stop: decision.StopOf(purpose, v.Spec, d), Events: []plan.Event{specChanged(v, diff)},
	}
}

// leavesNot is the decision where package upgrade refuses a change, or lets it wait.
func leavesNot(v *world.Look, d upgrade.Decision) decision.Decision {
	why := plan.Cause{Reason: d.Reason, Message: d.Message}
	found := decision.Found{Pending: &why}
	if d.Verdict == plan.Refuse {
		why.Message += " " + v.Remedy()
		found = decision.Found{Refused: &why}
	}
	result := decision.Wait(found)
	if !d.OthersAllowed {
		result.Passes, result.Result = false, decision.Result{Situation: plan.Waiting, Wait: why}
	}
	return result
}

// objection is what Kubernetes said of the spec, where nothing may be stopped for it now; nil: nothing.
func objection(v *world.Look) *decision.Found {
	switch why, refused := facts.Objection(v, &v.Spec); {
	case why == nil:
		return nil
	case refused:
		return &decision.Found{Refused: why}
	default:
		return &decision.Found{Pending: why}
	}
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
func awaitsCheckpoint(v *world.Look, d upgrade.Decision) *plan.Cause {
	known := facts.KnownCheckpoint(v.Want.JobStatus)
	if d.Suspend != upgrade.SuspendLastState || !namesNone(v) {
		return nil
	}
	if known == nil || known.Path == "" {
		return untoldSavepoint(v)
	}
	_, isCheckpoint := facts.CheckpointNumber(known.Path)
	since := min(v.Since(v.EndedAt()), v.Seen.Now.Sub(facts.StartOf(v.Want.JobStatus.StartTime)))
	if isCheckpoint || v.Want.JobStatus.UpgradeSavepointPath == v1beta1.LastStatePlaceholder ||
		since >= v.CheckpointTimeout() && world.TimeoutUnread(v) == "" {
		return nil
	}
	return &plan.Cause{Reason: plan.ReasonCheckpointPending, Message: "the job keeps running; its high-availability " +
		"data names no checkpoint yet; the change is made when it does"}
}

// untoldSavepoint is why a job is not stopped for high-availability data that names no checkpoint yet, while nothing is
// known of the job and Flink does not tell: it may have a savepoint. Nil: it has none, or has ended.
func untoldSavepoint(v *world.Look) *plan.Cause {
	if facts.KnownCheckpoint(v.Want.JobStatus) != nil || !v.Seen.Flink.Checkpoints.IsUnknown() || !namesNone(v) {
		return nil
	}
	return &plan.Cause{Reason: plan.ReasonCheckpointsUnknown, Message: "the job's high-availability data names no " +
		"checkpoint, and Flink does not tell of a savepoint: " + v.Seen.Flink.Checkpoints.Why()}
}

// namesNone reports whether the high-availability data of a job that goes on names no checkpoint. A Flink that does not
// answer for less than a minute counts as one whose job goes on.
func namesNone(v *world.Look) bool {
	data, there := facts.KnownHAData(v).Get()
	return there && !data.Checkpoint &&
		(v.Job != nil && !v.Job.State.IsTerminal() || v.Job == nil && world.Unanswered(v))
}

// choosesWhatGoes refuses a redeploy from a checkpoint of the job that runs, where Flink deletes it before the
// successor could read it. Nil: it does not.
func choosesWhatGoes(v *world.Look) *decision.Found {
	switch facts.ChosenOwnCheckpoint(v) {
	case facts.OwnCheckpointDeleted:
		return &decision.Found{Refused: &plan.Cause{Reason: upgrade.NotRetained,
			Message: "spec.job.initialSavepointPath is a checkpoint of the job that runs, " +
				"and Flink deletes it with the job or when a newer one is complete. Take a savepoint and use its path, " +
				"or copy the checkpoint to another directory and use that path. The job is left running."}}
	case facts.OwnCheckpointUnknown:
		return &decision.Found{Pending: &plan.Cause{Reason: plan.ReasonCheckpointRetentionUnknown,
			Message: "spec.job.initialSavepointPath is a checkpoint of the " +
				"job that runs, and whether Flink keeps it cannot be read: " + v.Seen.Flink.Retention.Why()}}
	}
	return nil
}

// specChanged is the event of a change.
func specChanged(v *world.Look, diff specdiff.Change) plan.Event {
	if !v.IsApplication() {
		diff = diff.OfSessionJob()
	}
	return plan.Event{
		Reason: plan.ReasonSpecChanged, Component: plan.ComponentJobManager, Once: true,
		Key:     fmt.Sprintf("SpecChange: %d", v.Generation),
		Message: diff.EventMessage(),
	}
}

// resume starts a suspended job: empty if the spec now says so, else from what its suspension left.
func resume(v *world.Look, diff specdiff.Change) decision.Decision {
	if found := objection(v); found != nil {
		return settled(v, *found)
	}
	mode, purpose := v1beta1.UpgradeModeStateless, v1beta1.PurposeResume
	if facts.ChoosesState(v) {
		purpose = v1beta1.PurposeRedeploy
	} else if !v.MayStartEmpty() {
		mode = v.Last.Spec.Job.UpgradeMode
	}
	return decision.Decision{
		Stop: &decision.Stop{
			Purpose: purpose, Target: v.Spec, How: v1beta1.StopNone, Restore: mode,
		},
		Events: []plan.Event{specChanged(v, diff)},
	}
}
