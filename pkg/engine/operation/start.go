package operation

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/engine/report"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/restore"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// mayReopen notes of a start that is begun whether what it begins from has to be decided anew, should the job before it
// be seen to have run since. First match wins:
//
//	the start                                     the job before it    then
//	may be without state, is the first one, from  -                    no
//	high-availability data, or from what a
//	person chose
//	redirects one that is not released            -                    as that one
//	any                                           its end is recorded  no
//	any                                           had never begun, or  yes
//	                                              its cluster is lost
func mayReopen(v *world.Look, intent *v1beta1.Intent) {
	chosen := intent.Purpose == v1beta1.PurposeRedeploy || intent.Purpose == v1beta1.PurposeDeploy
	open := v.Want.Intent
	switch {
	case !v.IsApplication() || v.IsSession() || v.MayStartEmpty() || chosen || v.Last == nil,
		intent.From.Kind == v1beta1.StartLastState:
	case open != nil && open.Step == v1beta1.StepStarting:
		intent.Reopens, intent.Began, intent.SilentNode = open.Reopens, open.Began, open.SilentNode
	default:
		intent.Reopens = !v.Want.JobStatus.State.IsTerminal()
	}
}

// rehearsalKeeps leaves what runs alone while there is an objection.
func rehearsalKeeps(
	v *world.Look,
	purpose v1beta1.IntentPurpose,
	spec *v1beta1.FlinkDeploymentSpec,
) (decision.Result, bool) {
	if purpose == v1beta1.PurposeDelete || purpose == v1beta1.PurposeSuspend {
		return decision.Result{}, false
	}
	switch why, refused := facts.Objection(v, spec); {
	case why == nil:
		return decision.Result{}, false
	case refused:
		return decision.Result{Situation: plan.Refused, Stall: why}, true
	default:
		return decision.Result{Situation: plan.Waiting, Wait: *why}, true
	}
}

// GoBack takes an upgrade back whose start was refused after all, where rollbacks are enabled: what ran has ended, so
// it would wait without a job. The last stable spec starts from the same state. What is recorded is that of a spec that
// was deployed and failed, as before any rollback. All must hold:
//
//	an upgrade is being started, for the spec that counts, and rollbacks are enabled
//	the last stable spec asks for a running cluster of the same Flink version, and is another spec
func GoBack(v *world.Look, refusal string) (decision.Result, bool) {
	intent := v.Intent()
	if intent == nil || intent.Step != v1beta1.StepStarting || intent.Purpose != v1beta1.PurposeUpgrade ||
		intent.Generation != v.Generation || v.LastStable == nil || !v.Options.RollbackEnabled() {
		return decision.Result{}, false
	}
	target, stable := facts.StoredTarget(v), v.LastStable.Spec
	suspended := stable.Job != nil && stable.Job.DesiredState() == v1beta1.JobStateSuspended
	if suspended || stable.FlinkVersion != target.FlinkVersion || !facts.Redirects(v, stable) {
		return decision.Result{}, false
	}
	record.Released(v, target)
	r := BeginStart(v, v1beta1.PurposeRollback, *stable.DeepCopy(), *intent.From)
	if r.Record == "" {
		return decision.Result{}, false
	}
	v.Tell(plan.Event{Warning: true, Reason: plan.ReasonError, Component: plan.ComponentJobManager, Message: refusal})
	v.Tell(plan.Event{
		Reason: plan.ReasonRollback, Component: plan.ComponentJobManager, Message: "Rolling back failed deployment.",
	})
	return r, true
}

// BeginStart stores the intent of a start and prepares it. from is the state that the job starts from.
func BeginStart(v *world.Look,
	purpose v1beta1.IntentPurpose, target v1beta1.FlinkDeploymentSpec, from v1beta1.StartPoint,
) decision.Result {
	r := v.Seen.Resource
	intent := newIntent(v, purpose, v1beta1.StepStarting, target)
	rehearse, err := v.Starter.Startable(intent)
	if err != nil { // nothing is taken away for a start that cannot be made
		return CannotRender(v, err)
	}
	asks := rehearse != nil && facts.AsksRehearsal(v, purpose, target)
	if r, kept := rehearsalKeeps(v, purpose, &target); asks && kept {
		return r
	}
	if result, occupied := v.Starter.Occupied(); occupied {
		return result
	}
	if result, runs := v.Starter.MayRunAnother(&target); runs {
		return result
	}
	intent.Generation = generationOf(v, intent)
	from.Taken, from.UnclaimedStateIgnored = facts.StateTaken(v, from), dropsUnclaimed(v, &target, from)
	from.RepeatsWork = from.RepeatsWork || facts.RepeatsWork(v, from) // of a start that is redirected
	intent.From = &from
	intent.Restore = facts.RestoredMode(&from)
	if target.Job != nil {
		intent.JobID = plan.DeriveID(r.UID, v.Seen.Over(), plan.PurposeJob)
	}
	if from.Kind == v1beta1.StartLastState {
		intent.JobID = v.Want.JobStatus.JobID
	}
	mayReopen(v, intent)
	intent.Options = world.StartOptions(v, v.Compose(&target))
	earlier, some := v.Starter.ForgetEarlier(intent, target)
	if some && len(earlier.Actions) == 0 {
		return earlier
	}
	// the next round prepares, and looks for what an earlier life left there
	moves := facts.HAMoves(v, &target)
	open := v.Want.Intent
	leaves := facts.LeavesGraphs(v, &target, intent.Purpose)
	intent.ForgetsJobs = target.Job == nil && (moves || leaves || startForgets(open))
	v.Want.Intent = intent
	prepare, jobID, err := v.Starter.Prepare(intent)
	if err != nil {
		v.Want.Intent = open
		return CannotRender(v, err)
	}
	if jobID != "" {
		intent.JobID = jobID // the one that the user fixed in the configuration
	}
	record.Starting(v, intent, target)
	told := status.Starting(from, target.Job != nil)
	v.Tell(plan.Event{Reason: plan.ReasonSubmit, Component: plan.ComponentJobManager, Message: told})
	if from.UnclaimedStateIgnored {
		v.Tell(plan.Event{Warning: true, Reason: plan.ReasonStateMayBeDropped, Component: plan.ComponentJob,
			Message: "The job starts from " + from.Path + facts.UnclaimedIgnored})
	}
	v.Note(fmt.Sprintf("start from %s state (%s)", from.Kind, from.Reason))
	result := decision.Result{Situation: plan.Starting, Record: "intent", Again: true, Actions: earlier.Actions}
	if asks {
		result.First = []plan.Action{rehearse}
	}
	if !moves && !intent.ForgetsJobs && prepare != nil {
		result.Actions = append(result.Actions, prepare)
	}
	return result
}

// startForgets reports whether an open intent is a start that had to remove what an earlier configuration kept, and may
// not have done it.
func startForgets(open *v1beta1.Intent) bool {
	return open != nil && open.Step == v1beta1.StepStarting && open.ForgetsJobs
}

// generationOf is the generation that an intent speaks of: one that goes on with the spec of the open intent speaks of
// that one's, because a newer spec has to wait.
func generationOf(v *world.Look, next *v1beta1.Intent) int64 {
	if open := v.Intent(); open != nil && open.SpecHash == next.SpecHash {
		return open.Generation
	}
	return next.Generation
}

// dropsUnclaimed reports whether a start may lose state without a word of Flink: a job that is meant to go on from its
// last state starts from a path, with allowNonRestoredState. From high-availability data Flink refuses to start then,
// and of a job with savepoints one has it.
func dropsUnclaimed(v *world.Look, target *v1beta1.FlinkDeploymentSpec, from v1beta1.StartPoint) bool {
	if target.Job == nil || target.Job.DesiredUpgradeMode() != v1beta1.UpgradeModeLastState ||
		from.Kind != v1beta1.StartSavepoint {
		return false
	}
	c, version := v.Compose(target), target.FlinkVersion
	if version == "" {
		version = v1beta1.FlinkVersion(c.Get(key.FlinkVersion)) // of a session job, that of its cluster
	}
	return flinkconf.IgnoresUnclaimedState(c, version)
}

// BeginStartFrom starts from the state that package restore chooses for how the job was stopped.
func BeginStartFrom(v *world.Look,
	purpose v1beta1.IntentPurpose, target v1beta1.FlinkDeploymentSpec, mode v1beta1.UpgradeMode,
) decision.Result {
	choice := restore.Choose(facts.ForRestore(v, purpose, target, mode))
	if choice.Verdict != plan.Go {
		return refuse(v, choice)
	}
	return BeginStart(v, purpose, target, choice.From)
}

// CannotRender reports a spec that validates but cannot be turned into objects. What runs, if anything, is left alone.
func CannotRender(v *world.Look, err error) decision.Result {
	v.Want.Error = report.ErrorText(v, status.TypeReconciliation, err.Error(), "")
	return decision.Result{
		Situation: plan.Refused,
		Stall: &plan.Cause{
			Reason: plan.ReasonCannotRender, Message: "the cluster's objects cannot be made from the spec: " + err.Error(),
		},
	}
}

// LastStateGone stops a start from high-availability data that is no longer there: the job would start empty.
func LastStateGone(v *world.Look) (decision.Result, bool) {
	intent := v.Intent()
	if intent.From == nil || intent.From.Kind != v1beta1.StartLastState {
		return decision.Result{}, false
	}
	choice := restore.Choose(facts.ForRestore(v, intent.Purpose, facts.Target(v), v1beta1.UpgradeModeLastState))
	if choice.Verdict == plan.Go {
		return decision.Result{}, false
	}
	return refuse(v, choice), true
}

// SuspendStart ends a start of which nothing runs yet, because the job is to be suspended.
func SuspendStart(v *world.Look, target v1beta1.FlinkDeploymentSpec) decision.Result {
	if v.Intent().Purpose == v1beta1.PurposeDeploy {
		record.NeverDeployed(v)
		return decision.Result{Situation: plan.NeverStarted}
	}
	record.Suspended(v, target, v.Intent().Restore)
	return decision.Result{Situation: plan.Suspended}
}

// RedirectStart leads a start that is not released to a newer spec: a new intent is stored over this one. What state it
// starts from is settled already, but of a first start and where the newer spec says it. False where there is none.
func RedirectStart(v *world.Look, target v1beta1.FlinkDeploymentSpec) (decision.Result, bool) {
	intent := v.Intent()
	switch first := intent.Purpose == v1beta1.PurposeDeploy; {
	case intent.Generation == v.Generation:
	case facts.AsksRedeploy(v) && !first:
		return BeginStartFrom(v, v1beta1.PurposeRedeploy, v.Spec, ""), true
	case facts.Redirects(v, target) && first:
		return BeginStartFrom(v, intent.Purpose, target, ""), true
	case facts.Redirects(v, target):
		return BeginStart(v, facts.RedirectedPurpose(v, target), target, *intent.From), true
	}
	return decision.Result{}, false
}
