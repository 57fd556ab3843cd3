package deployment

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// change decides for a resource whose spec asks for something else than what was acted on last.
//
//	acted on   asked      change               then
//	running    suspended  any                  stop as package upgrade decides, end suspended
//	running    running    savepoint redeploy   stop without state, start from initialSavepointPath
//	running    running    effective            stop as package upgrade decides, start
//	suspended  running    any                  start from what the suspension left, as package restore chooses
//	any        any        ignored              only the generation deployed moves
//
// A change that must wait leaves room for recovery, where that is allowed; one that is refused leaves the job as it is.
func change(v *view) (result, bool) {
	if v.Last == nil {
		return result{}, false
	}
	if v.Problem != "" {
		v.rejected()
	}
	wanted, running := v.WantsRunning(), v.LastRunning()
	diff := specdiff.Classify(&v.Last.Spec, &v.Spec, v.Spec.DesiredMode())
	switch {
	case !running && wanted:
		return v.resume(diff), true
	case !running, wanted && !diff.Kind.Effective():
		if v.Problem == "" {
			v.Deployed, v.Want.Retry = v.Generation, nil // a change that was withdrawn is not tried again
		}
		return result{}, false
	}
	return v.leave(diff, wanted)
}

// leave stops the running job, for another or for a suspension.
func (v *view) leave(diff specdiff.Change, wanted bool) (result, bool) {
	purpose := v1beta1.PurposeSuspend
	if wanted {
		purpose = v1beta1.PurposeUpgrade
	}
	if v.ChoosesState() {
		purpose = v1beta1.PurposeRedeploy
	}
	ended := v.Want.JobStatus.State.IsTerminal() // what was tried has come about, or needs no stop any more
	if r := v.Want.Retry; !ended && backoff.Waits(r, v.Generation, v.Seen.Now) {
		v.pending = &plan.Cause{
			Reason:  plan.Reason(r.Reason),
			Message: fmt.Sprintf("%s; next attempt at %s", r.Message, r.After.UTC().Format(time.RFC3339)),
		}
		return result{}, false
	}
	if ended && v.Unasked() && !v.MayStartEmpty() {
		return v.unobservable("the job that has ended", v.Seen.Flink.Jobs.Why()), true
	}
	if purpose == v1beta1.PurposeRedeploy && v.choosesWhatGoes() {
		return result{}, false
	}
	d := upgrade.Decide(v.UpgradeFacts(purpose))
	switch d.Verdict {
	case plan.Go:
		o := v.stopAsDecided(purpose, d)
		if o.record != "" || o.situation == plan.Suspended {
			v.tellChange(diff)
		}
		return o, true
	case plan.Refuse:
		v.refused = &plan.Cause{Reason: d.Reason, Message: d.Message + " " + v.Remedy()}
	default:
		v.pending = &plan.Cause{Reason: d.Reason, Message: d.Message}
	}
	if d.OthersAllowed {
		return result{}, false
	}
	return result{situation: plan.Waiting, wait: *v.pending}, true
}

// choosesWhatGoes refuses a redeploy from a checkpoint of the job that runs, where Flink deletes it before the
// successor could read it.
func (v *view) choosesWhatGoes() bool {
	switch v.ChosenOwnCheckpoint() {
	case job.OwnCheckpointDeleted:
		v.refused = &plan.Cause{Reason: upgrade.NotRetained,
			Message: "spec.job.initialSavepointPath is a checkpoint of the job that runs, " +
				"and Flink deletes it with the job or when a newer one is complete. Take a savepoint and use its path, " +
				"or copy the checkpoint to another directory and use that path. The job is left running."}
	case job.OwnCheckpointUnknown:
		v.pending = &plan.Cause{Reason: plan.ReasonCheckpointRetentionUnknown,
			Message: "spec.job.initialSavepointPath is a checkpoint of the " +
				"job that runs, and whether Flink keeps it cannot be read: " + v.Seen.Flink.Retention.Why()}
	default:
		return false
	}
	return true
}

func (v *view) tellChange(diff specdiff.Change) {
	v.Tell(plan.Event{
		Reason: plan.ReasonSpecChanged, Component: plan.ComponentJobManager, Once: true,
		Key:     fmt.Sprintf("SpecChange: %d", v.Generation),
		Message: diff.EventMessage(),
	})
}

// stopAsDecided begins the stop, or ends it at once when there is nothing to stop.
func (v *view) stopAsDecided(purpose v1beta1.IntentPurpose, d upgrade.Decision) result {
	jm, present := v.Seen.JobManager.Get()
	how := stopKinds[d.Suspend]
	switch {
	case !present && purpose == v1beta1.PurposeSuspend:
		if o, occupied := v.occupied(); occupied {
			return o
		}
		v.RecordSuspended(v.Spec, d.Restore)
		return result{situation: plan.Suspended}
	case !present:
		return v.startFrom(purpose, v.Spec, d.Restore)
	case how == v1beta1.StopNone && purpose == v1beta1.PurposeSuspend && v.Want.JobStatus.State.IsTerminal():
		return v.suspendEnded(jm, d.Restore)
	}
	return v.beginStop(stop{purpose, v.Spec, how, d.Restore}, jm)
}

var stopKinds = map[upgrade.Suspend]v1beta1.StopKind{
	upgrade.SuspendNone: v1beta1.StopNone, upgrade.SuspendStateless: v1beta1.StopStateless,
	upgrade.SuspendSavepoint: v1beta1.StopSavepoint,
	upgrade.SuspendCancel:    v1beta1.StopCancel, upgrade.SuspendLastState: v1beta1.StopLastState,
}

// resume starts a suspended job: empty if the spec now says so, else from what its suspension left.
func (v *view) resume(diff specdiff.Change) result {
	mode, purpose := v1beta1.UpgradeModeStateless, v1beta1.PurposeResume
	if v.ChoosesState() {
		purpose = v1beta1.PurposeRedeploy
	} else if !v.MayStartEmpty() {
		mode = v.Last.Spec.Job.UpgradeMode
	}
	jm, present := v.Seen.JobManager.Get()
	o := v.replace(stop{purpose, v.Spec, v1beta1.StopNone, mode}, jm, present)
	if o.record != "" {
		v.tellChange(diff)
	}
	return o
}

// fail shows why an operation cannot go on, once.
func (v *view) fail(reason plan.Reason, message string) {
	text := v.ErrorText(status.TypeUpgradeFailed, message, "")
	if v.Want.Error != text {
		v.Tell(plan.Event{Warning: true, Reason: reason, Component: plan.ComponentJobManager, Message: message})
	}
	v.Want.Error = text
}
