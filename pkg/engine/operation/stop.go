package operation

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/loss"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/restore"
)

// Replace takes a cluster down for another, or for a suspension. Where there is none it starts what follows, or records
// the suspension at once.
func Replace(v *world.Look, s decision.Stop) decision.Result {
	standing, _ := v.Host.Standing()
	present, suspends, ended := standing.Is(), s.Purpose == v1beta1.PurposeSuspend, v.Want.JobStatus.State.IsTerminal()
	switch {
	case !present && suspends:
		if r, occupied := v.Starter.Occupied(); occupied {
			return r
		}
		if r, left := v.Starter.MayRunAnother(&s.Target); left && ended {
			return r
		}
		loss.SuspendsAbsent(v, s.Restore)
		record.Suspended(v, s.Target, s.Restore)
		return decision.Result{Situation: plan.Suspended}
	case !present:
		return BeginStartFrom(v, s.Purpose, s.Target, s.Restore)
	case s.How == v1beta1.StopNone && suspends && ended && !facts.FindsJobGraph(v, &s.Target):
		return suspend(v, s.Restore)
	}
	return BeginStop(v, s)
}

// BeginStop stores the intent to take the running cluster down, and begins to. The start must be there. Where the job's
// last state is known already, it is stored with the intent.
func BeginStop(v *world.Look, s decision.Stop) decision.Result {
	if result, blind := blind(v, s); blind {
		return result
	}
	r := v.Seen.Resource
	intent := newIntent(v, s.Purpose, v1beta1.StepStopping, s.Target)
	intent.Stop, intent.Restore = s.How, s.Restore
	intent.Stops = &v1beta1.Incarnation{
		DeploymentUID: v.Host.Incarnation(), JobID: v.Want.JobStatus.JobID, JobStartTime: v.Want.JobStatus.StartTime,
	}
	open := v.Want.Intent
	switch {
	case s.Purpose == v1beta1.PurposeRedeploy, s.How == v1beta1.StopNone, s.How == v1beta1.StopStateless &&
		s.Restore == v1beta1.UpgradeModeSavepoint:
		choice := restore.Choose(facts.ForRestore(v, s.Purpose, s.Target, s.Restore))
		if choice.Verdict != plan.Go {
			return refuse(v, choice)
		}
		intent.From = &choice.From
	case s.How == v1beta1.StopLastState:
		if choice := restore.Choose(facts.ForRestore(v, s.Purpose, s.Target, s.Restore)); choice.Verdict != plan.Go {
			return refuse(v, choice) // what runs is all that is left of the state
		}
	case s.How == v1beta1.StopStateless, s.How == "":
		intent.From = &v1beta1.StartPoint{Kind: v1beta1.StartEmpty, Reason: "Stateless"}
	case s.How == v1beta1.StopSavepoint:
		intent.TriggerID = plan.DeriveID(r.UID, v.Seen.Over(), plan.PurposeTrigger)
	}
	if r, kept := rehearsalKeeps(v, s.Purpose, &s.Target); kept {
		return r
	}
	v.Want.Intent = intent
	rehearse, err := v.Starter.Startable(intent)
	if err != nil {
		v.Want.Intent = open
		return CannotRender(v, err)
	}
	record.Stopping(v, s.Purpose, s.How)
	v.Tell(plan.Event{
		Reason: plan.ReasonSuspended, Component: plan.ComponentJobManager, Message: "Suspending existing deployment.",
	})
	v.Note(fmt.Sprintf("stop: %s, restore: %s", s.How, s.Restore))
	step := StopStep(v)
	result := decision.Result{
		Situation: stopSituation(s.Purpose), Record: "intent", Actions: step.Actions, Again: step.Again,
	}
	if rehearse != nil {
		result.First = []plan.Action{rehearse}
	}
	return result
}

// blind waits, before anything is taken away, while the high-availability data of an application that goes with such a
// stop cannot be read, and so not be removed: the job would be down until it can. A deletion tells what it leaves.
func blind(v *world.Look, s decision.Stop) (decision.Result, bool) {
	data := v.Host.HA()
	what, why, unknown := data.Unknown()
	goes := s.How != v1beta1.StopNone && s.How != v1beta1.StopLastState && s.Purpose != v1beta1.PurposeDelete
	if !goes || !unknown || !data.Store.Readable() || !v.IsApplication() {
		return decision.Result{}, false
	}
	message := what + " cannot be read, so it could not be removed with the job; the job keeps running meanwhile"
	if why != "" {
		message += ": " + why
	}
	return decision.Result{
		Situation: plan.Waiting, Wait: plan.Cause{Reason: plan.ReasonHighAvailabilityUnknown, Message: message},
	}, true
}

// StopStep is the next effect of an open stop on a cluster that is there.
func StopStep(v *world.Look) decision.Result {
	intent := v.Intent()
	if !intent.Ended {
		switch intent.Stop {
		case v1beta1.StopSavepoint:
			return awaitSavepoint(v)
		case v1beta1.StopCancel:
			return awaitCancel(v)
		case v1beta1.StopNone:
			if r, began := beganMeanwhile(v); began {
				return r
			}
		}
	}
	if intent.Stop != v1beta1.StopLastState { // that one leaves the graph to its successor
		if r, awaited := v.Stopper.AwaitJobGraph(); awaited {
			return r
		}
	}
	ended := intent.Ended || intent.Stop == v1beta1.StopNone && v.Want.JobStatus.State.IsTerminal()
	if ended && intent.Purpose == v1beta1.PurposeSuspend {
		return suspend(v, intent.Restore)
	}
	return v.Stopper.TakeApart()
}

// WithdrawStop takes an open stop back that has asked Flink for nothing: the job keeps running, and the stop is decided
// anew.
func WithdrawStop(v *world.Look, wait plan.Cause) decision.Result {
	v.Want.Intent = nil
	v.Want.ReconciliationStatus.State = v1beta1.ReconciliationDeployed
	record.HowItRuns(v)
	return decision.Result{Situation: plan.Waiting, Wait: wait}
}

// beganMeanwhile gives up a stop of a job that never began, once it may have: taking its cluster down was refused, or
// came late. What was to start instead, empty or from an older state, may be less than the job has by now.
//
//	the stop                                     the pods   a container   then
//	of a job that has ended, a resumption, ...   -          -             go on
//	whose Deployment is retired already          -          -             go on: what began is noted, see Stopper.Watch
//	of one that never began                      Unknown    -             wait
//	of one that never began                      known      never ran     go on
//	of one that never began                      known      may have run  give it up; the next attempt decides anew
func beganMeanwhile(v *world.Look) (decision.Result, bool) {
	standing, _ := v.Host.Standing()
	if !stopsWhatNeverBegan(v) || standing == world.Standby || v.Host.NeverRan() {
		return decision.Result{}, false
	}
	if why, unknown := v.Host.Unsettled(); unknown {
		return decision.Unobservable("the pods of the cluster", why), true
	}
	return AttemptFailed(v, plan.ReasonJobBegan, "the job began before its cluster could be taken down"), true
}

func stopSituation(purpose v1beta1.IntentPurpose) plan.Situation {
	switch purpose {
	case v1beta1.PurposeSuspend:
		return plan.Suspend
	case v1beta1.PurposeUpgrade:
		return plan.Upgrade
	case v1beta1.PurposeResume:
		return plan.Resume
	case v1beta1.PurposeDelete:
		return plan.Deleting
	default:
		return plan.Stopping
	}
}

// EndStop ends a stop: the job is gone for good, so its start, if one follows, is a new intent.
func EndStop(v *world.Look) decision.Result {
	intent := v.Intent()
	target, redeploys := facts.Target(v), facts.AsksRedeploy(v)
	if redeploys {
		target = v.Spec
	}
	v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	if r, runs := v.Starter.MayRunAnother(&target); runs {
		return r
	}
	restore := intent.Restore
	if !redeploys {
		unseen, r, waits := ranUnseen(v, &target)
		if waits {
			return r
		}
		restore = unseen
	}
	if target.Job != nil && target.Job.DesiredState() == v1beta1.JobStateSuspended {
		record.Suspended(v, target, restore)
		return decision.Result{Situation: plan.Suspended}
	}
	if redeploys {
		return BeginStartFrom(v, v1beta1.PurposeRedeploy, target, "")
	}
	purpose := facts.RedirectedPurpose(v, target)
	if intent.From != nil {
		return BeginStart(v, purpose, target, *intent.From)
	}
	return BeginStartFrom(v, purpose, target, restore)
}

// Cancellable reports whether a job in such a state can be cancelled.
func Cancellable(state v1beta1.FlinkJobState) bool {
	return !state.IsTerminal() && state != v1beta1.FlinkJobCancelling && state != v1beta1.FlinkJobReconciling
}
