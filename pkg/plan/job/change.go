package job

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
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
// A change that must wait leaves room for recovery, where that is allowed; one that is refused leaves the job as it is.
func Change(v *Life) (Result, bool) {
	if v.Last == nil {
		return Result{}, false
	}
	if v.Problem != "" {
		v.Rejected()
	}
	wanted, running := v.WantsRunning(), v.LastRunning()
	diff := specdiff.Classify(&v.Last.Spec, &v.Spec, v.Spec.DesiredMode())
	switch {
	case !running && wanted:
		return v.resume(diff), true
	case !running, wanted && !diff.Kind.Effective():
		if v.Problem == "" {
			v.Deployed = v.Generation
		}
		if v.Problem == "" && v.Intent() == nil {
			v.Want.Retry = nil // a change that was withdrawn is not tried again
		}
		return Result{}, false
	}
	return v.leave(diff, wanted)
}

// leave stops the running job, for another or for a suspension.
func (v *Life) leave(diff specdiff.Change, wanted bool) (Result, bool) {
	purpose := v1beta1.PurposeSuspend
	if wanted {
		purpose = v1beta1.PurposeUpgrade
	}
	if v.ChoosesState() {
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
	if purpose != v1beta1.PurposeRedeploy && v.awaitsRestore() { // who chooses a state gives the other up
		v.Pending = &restoreNotShown
		return Result{}, false
	}
	if ended && v.unasked() && !v.MayStartEmpty() {
		return v.Unobservable("the job that has ended", v.Seen.Flink.Jobs.Why()), true
	}
	if purpose == v1beta1.PurposeRedeploy && v.choosesWhatGoes() {
		return Result{}, false
	}
	d := upgrade.Decide(v.upgradeFacts(purpose))
	switch d.Verdict {
	case plan.Go:
		if v.awaitsCheckpoint(d) {
			v.Pending = &plan.Cause{Reason: plan.ReasonCheckpointPending, Message: "the job runs, and its " +
				"high-availability data names no checkpoint yet; the change is made when it does"}
			return Result{}, false
		}
		o := v.stopAsDecided(purpose, d)
		if o.Record != "" || o.Situation == plan.Suspended {
			v.tellChange(diff)
		}
		return o, true
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

// awaitsCheckpoint reports whether a job that is to be stopped by last-state runs, or Flink does not answer for less
// than a minute, and nothing but a savepoint is known of it: Flink keeps none in its high-availability data, and that
// names no checkpoint yet. For longer than a checkpoint may take, a person decides.
func (v *Life) awaitsCheckpoint(d upgrade.Decision) bool {
	data, there := v.usableHAData().Get()
	known, runs := v.KnownCheckpoint(), v.Job != nil && v.Job.Runs() || v.Job == nil && v.unanswered()
	if d.Suspend != upgrade.SuspendLastState || !there || data.Checkpoint || !runs || known == nil || known.Path == "" {
		return false
	}
	_, isCheckpoint := checkpointNumber(known.Path)
	since := min(v.Since(v.EndedAt()), v.Seen.Now.Sub(v.jobStart()))
	return !isCheckpoint && v.Want.JobStatus.UpgradeSavepointPath != v1beta1.LastStatePlaceholder &&
		since < v.CheckpointTimeout()
}

// choosesWhatGoes refuses a redeploy from a checkpoint of the job that runs, where Flink deletes it before the
// successor could read it.
func (v *Life) choosesWhatGoes() bool {
	switch v.chosenOwnCheckpoint() {
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

func (v *Life) tellChange(diff specdiff.Change) {
	v.Tell(plan.Event{
		Reason: plan.ReasonSpecChanged, Component: plan.ComponentJobManager, Once: true,
		Key:     fmt.Sprintf("SpecChange: %d", v.Generation),
		Message: diff.EventMessage(),
	})
}

// stopAsDecided begins the stop, or ends it at once when there is nothing to stop.
func (v *Life) stopAsDecided(purpose v1beta1.IntentPurpose, d upgrade.Decision) Result {
	standing, _ := v.Host.Standing()
	present, how := standing.Is(), stopKinds[d.Suspend]
	switch {
	case !present && purpose == v1beta1.PurposeSuspend:
		if o, occupied := v.Starter.Occupied(); occupied {
			return o
		}
		v.RecordSuspended(v.Spec, d.Restore)
		return Result{Situation: plan.Suspended}
	case !present:
		return v.StartFrom(purpose, v.Spec, d.Restore)
	case how == v1beta1.StopNone && purpose == v1beta1.PurposeSuspend && v.Want.JobStatus.State.IsTerminal():
		return v.suspendEnded(d.Restore)
	}
	return v.BeginStop(Stop{purpose, v.Spec, how, d.Restore})
}

var stopKinds = map[upgrade.Suspend]v1beta1.StopKind{
	upgrade.SuspendNone: v1beta1.StopNone, upgrade.SuspendStateless: v1beta1.StopStateless,
	upgrade.SuspendSavepoint: v1beta1.StopSavepoint,
	upgrade.SuspendCancel:    v1beta1.StopCancel, upgrade.SuspendLastState: v1beta1.StopLastState,
}

// resume starts a suspended job: empty if the spec now says so, else from what its suspension left.
func (v *Life) resume(diff specdiff.Change) Result {
	mode, purpose := v1beta1.UpgradeModeStateless, v1beta1.PurposeResume
	if v.ChoosesState() {
		purpose = v1beta1.PurposeRedeploy
	} else if !v.MayStartEmpty() {
		mode = v.Last.Spec.Job.UpgradeMode
	}
	o := v.replace(Stop{purpose, v.Spec, v1beta1.StopNone, mode})
	if o.Record != "" {
		v.tellChange(diff)
	}
	return o
}

// Fail shows why an operation cannot go on, once.
func (v *Life) Fail(reason plan.Reason, message string) {
	text := v.ErrorText(status.TypeUpgradeFailed, message, "")
	if v.Want.Error != text {
		v.Tell(plan.Event{Warning: true, Reason: reason, Component: plan.ComponentJobManager, Message: message})
	}
	v.Want.Error = text
}
