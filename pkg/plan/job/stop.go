package job

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/restore"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// A stop, drawn for one pass and the next:
//
//	how         status              Flink                       Kubernetes
//	stateless   intent              PATCH cancel (not awaited   DELETE Deployment <uid>, pods; a redeploy
//	                                but for AwaitJobGraph)      does not cancel
//	savepoint   intent              POST stop <trigger>
//	            ... looked at until it is completed ...
//	            end: path, FINISHED                             DELETE, or retire for a suspension
//	cancel      intent              PATCH cancel
//	            ... looked at until the job has ended ...
//	            end: path, CANCELED                             DELETE, or retire for a suspension
//	last-state  intent                                          no JobManager, see TakeApart; then DELETE; the HA data
//	                                                            stays
//	none        intent                                          DELETE
//	            ... the pass stays, or the clock wakes one ...
//	                                                            no Deployment, no pod runs: delete HA data when it may go
//	            start, or suspended

// Stop is how and for what a running cluster is taken down.
type Stop struct {
	// Purpose is what the stop is for.
	Purpose v1beta1.IntentPurpose
	// Target is the spec that it leads to.
	Target v1beta1.FlinkDeploymentSpec
	// How the job is stopped.
	How v1beta1.StopKind
	// Restore is how its state is kept.
	Restore v1beta1.UpgradeMode
}

var stopKinds = map[upgrade.Suspend]v1beta1.StopKind{
	upgrade.SuspendNone: v1beta1.StopNone, upgrade.SuspendStateless: v1beta1.StopStateless,
	upgrade.SuspendSavepoint: v1beta1.StopSavepoint,
	upgrade.SuspendCancel:    v1beta1.StopCancel, upgrade.SuspendLastState: v1beta1.StopLastState,
}

// Stopping takes what runs down, for a successor, a suspension or a deletion: from the intent to the start that
// follows.
type Stopping Life

// asDecided begins the stop, or ends it at once when there is nothing to stop.
func (v Stopping) asDecided(purpose v1beta1.IntentPurpose, d upgrade.Decision) Result {
	standing, _ := v.Host.Standing()
	present, how := standing.Is(), stopKinds[d.Suspend]
	switch {
	case !present && purpose == v1beta1.PurposeSuspend:
		if r, occupied := v.Starter.Occupied(); occupied {
			return r
		}
		if r, left := v.Starter.MayRunAnother(&v.Spec); left && v.Want.JobStatus.State.IsTerminal() {
			return r
		}
		LostProgress(v).suspectAbsent(d.Restore)
		Record(v).suspended(v.Spec, d.Restore)
		return Result{Situation: plan.Suspended}
	case !present:
		return Starting(v).beginFrom(purpose, v.Spec, d.Restore)
	case how == v1beta1.StopNone && purpose == v1beta1.PurposeSuspend && v.Want.JobStatus.State.IsTerminal() &&
		!HAData(v).FindsJobGraph(&v.Spec):
		return v.suspend(d.Restore)
	}
	return v.Begin(Stop{purpose, v.Spec, how, d.Restore})
}

// Begin stores the intent to take the running cluster down, and begins to. The start must be there. Where the job's
// last state is known already, it is stored with the intent.
func (v Stopping) Begin(s Stop) Result {
	if result, blind := v.blind(s); blind {
		return result
	}
	r := v.Seen.Resource
	intent := newIntent(Life(v), s.Purpose, v1beta1.StepStopping, s.Target)
	intent.Stop, intent.Restore = s.How, s.Restore
	intent.Stops = &v1beta1.Incarnation{
		DeploymentUID: v.Host.Incarnation(), JobID: v.Want.JobStatus.JobID, JobStartTime: v.Want.JobStatus.StartTime,
	}
	open := v.Want.Intent
	switch {
	case s.Purpose == v1beta1.PurposeRedeploy, s.How == v1beta1.StopNone, s.How == v1beta1.StopStateless &&
		s.Restore == v1beta1.UpgradeModeSavepoint:
		choice := restore.Choose(facts(v).forRestore(s.Purpose, s.Target, s.Restore))
		if choice.Verdict != plan.Go {
			return Starting(v).refuse(choice)
		}
		intent.From = &choice.From
	case s.How == v1beta1.StopLastState:
		if choice := restore.Choose(facts(v).forRestore(s.Purpose, s.Target, s.Restore)); choice.Verdict != plan.Go {
			return Starting(v).refuse(choice) // what runs is all that is left of the state
		}
	case s.How == v1beta1.StopStateless, s.How == "":
		intent.From = &v1beta1.StartPoint{Kind: v1beta1.StartEmpty, Reason: "Stateless"}
	case s.How == v1beta1.StopSavepoint:
		intent.TriggerID = plan.DeriveID(r.UID, v.Seen.over(), plan.PurposeTrigger)
	}
	v.Want.Intent = intent
	if err := v.Starter.Startable(intent); err != nil {
		v.Want.Intent = open
		return Starting(v).CannotRender(err)
	}
	Record(v).stopping(s.Purpose, s.How)
	v.Tell(plan.Event{
		Reason: plan.ReasonSuspended, Component: plan.ComponentJobManager, Message: "Suspending existing deployment.",
	})
	v.Note(fmt.Sprintf("stop: %s, restore: %s", s.How, s.Restore))
	result := v.Step()
	return Result{Situation: stopSituation(s.Purpose), Record: "intent", Actions: result.Actions, Again: result.Again}
}

// blind waits, before anything is taken away, while the high-availability data of an application that goes with such a
// stop cannot be read, and so not be removed: the job would be down until it can. A deletion tells what it leaves.
func (v Stopping) blind(s Stop) (Result, bool) {
	data := v.Host.HA()
	what, why, unknown := data.Unknown()
	goes := s.How != v1beta1.StopNone && s.How != v1beta1.StopLastState && s.Purpose != v1beta1.PurposeDelete
	if !goes || !unknown || !data.Store.Readable() || !v.IsApplication() {
		return Result{}, false
	}
	message := what + " cannot be read, so that it could not be removed with the job, which goes on meanwhile"
	if why != "" {
		message += ": " + why
	}
	return Result{
		Situation: plan.Waiting, Wait: plan.Cause{Reason: plan.ReasonHighAvailabilityUnknown, Message: message},
	}, true
}

// replace takes a cluster down for another, or starts that one where there is none.
func (v Stopping) replace(s Stop) Result {
	if standing, _ := v.Host.Standing(); standing.Is() {
		return v.Begin(s)
	}
	return Starting(v).beginFrom(s.Purpose, s.Target, s.Restore)
}

// Step is the next effect of an open stop on a cluster that is there.
func (v Stopping) Step() Result {
	intent := v.Intent()
	if !intent.Ended {
		switch intent.Stop {
		case v1beta1.StopSavepoint:
			return Ending(v).awaitSavepoint()
		case v1beta1.StopCancel:
			return Ending(v).awaitCancel()
		case v1beta1.StopNone:
			if r, began := v.beganMeanwhile(); began {
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
		return v.suspend(intent.Restore)
	}
	return v.Stopper.TakeApart()
}

// suspend records the suspension of a job whose end is recorded, or recorded with it. With high availability the
// JobManager stays for its time to live, and people read its logs; without, it would run the job again when its pod is
// replaced, so it goes to no replicas.
func (v Stopping) suspend(restore v1beta1.UpgradeMode) Result {
	target := v.Spec
	if v.Intent() != nil {
		target = Goal(v).Target()
	}
	rest, more := v.Stopper.Rest() // before another spec counts as the one that runs
	Record(v).suspended(target, restore)
	if len(rest) == 0 {
		v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerReady
	}
	return Result{Situation: plan.Suspended, Finish: rest, Soon: more}
}

// Withdraw takes an open stop back that has asked Flink for nothing: the job goes on, and the stop is decided anew.
func (v Stopping) Withdraw(wait plan.Cause) Result {
	v.Want.Intent = nil
	v.Want.ReconciliationStatus.State = v1beta1.ReconciliationDeployed
	Record(v).howItRuns()
	return Result{Situation: plan.Waiting, Wait: wait}
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
func (v Stopping) beganMeanwhile() (Result, bool) {
	standing, _ := v.Host.Standing()
	if !v.stopsWhatNeverBegan() || standing == Standby || v.Host.NeverRan() {
		return Result{}, false
	}
	if why, unknown := v.Host.Unsettled(); unknown {
		return Unobservable("the pods of the cluster", why), true
	}
	return Ending(v).attemptFailed(plan.ReasonJobBegan, "the job began before its cluster could be taken down"), true
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

// End ends a stop: the job is gone for good, so its start, if one follows, is a new intent.
func (v Stopping) End() Result {
	intent := v.Intent()
	target, redeploys := Goal(v).Target(), Goal(v).asksRedeploy()
	if redeploys {
		target = v.Spec
	}
	v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	if r, runs := v.Starter.MayRunAnother(&target); runs {
		return r
	}
	restore := intent.Restore
	if !redeploys {
		unseen, r, waits := v.ranUnseen(&target)
		if waits {
			return r
		}
		restore = unseen
	}
	if target.Job != nil && target.Job.DesiredState() == v1beta1.JobStateSuspended {
		Record(v).suspended(target, restore)
		return Result{Situation: plan.Suspended}
	}
	if redeploys {
		return Starting(v).beginFrom(v1beta1.PurposeRedeploy, target, "")
	}
	purpose := Goal(v).redirected(target)
	if intent.From != nil {
		return Starting(v).Begin(purpose, target, *intent.From)
	}
	return Starting(v).beginFrom(purpose, target, restore)
}

// Cancellable reports whether a job in such a state can be cancelled.
func Cancellable(state v1beta1.FlinkJobState) bool {
	return !state.IsTerminal() && state != v1beta1.FlinkJobCancelling && state != v1beta1.FlinkJobReconciling
}
