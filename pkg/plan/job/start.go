package job

import (
	"fmt"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/restore"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// Starting stores the intent of a start with the state that the job starts from, and leads a start that is not released
// to a newer spec. Why none can be made, it reports.
type Starting Life

// Begin stores the intent of a start and prepares it. from is the state that the job starts from.
func (v Starting) Begin(
	purpose v1beta1.IntentPurpose, target v1beta1.FlinkDeploymentSpec, from v1beta1.StartPoint,
) Result {
	r := v.Seen.Resource
	intent := newIntent(Life(v), purpose, v1beta1.StepStarting, target)
	if err := v.Starter.Startable(intent); err != nil { // nothing is taken away for a start that cannot be made
		return v.CannotRender(err)
	}
	if result, occupied := v.Starter.Occupied(); occupied {
		return result
	}
	if result, runs := v.Starter.MayRunAnother(&target); runs {
		return result
	}
	intent.Generation = v.generationOf(intent)
	from.Taken, from.UnclaimedStateIgnored = LastState(v).taken(from), v.dropsUnclaimed(&target, from)
	from.RepeatsWork = from.RepeatsWork || LastState(v).repeatsWork(from) // of a start that is redirected
	intent.From = &from
	intent.Restore = RestoredMode(&from)
	if target.Job != nil {
		intent.JobID = plan.DeriveID(r.UID, v.Seen.over(), plan.PurposeJob)
	}
	if from.Kind == v1beta1.StartLastState {
		intent.JobID = v.Want.JobStatus.JobID
	}
	earlier, some := v.Starter.ForgetEarlier(intent, target)
	if some && len(earlier.Actions) == 0 {
		return earlier
	}
	// the next round prepares, and looks for what an earlier life left there
	moves := HAData(v).moves(&target)
	open := v.Want.Intent
	leaves := HAData(v).leavesGraphs(&target, intent.Purpose)
	intent.ForgetsJobs = target.Job == nil && (moves || leaves || v.forgets(open))
	v.Want.Intent = intent
	prepare, jobID, err := v.Starter.Prepare(intent)
	if err != nil {
		v.Want.Intent = open
		return v.CannotRender(err)
	}
	if jobID != "" {
		intent.JobID = jobID // the one that the user fixed in the configuration
	}
	Record(v).starting(intent, target)
	told := status.Starting(from, target.Job != nil)
	v.Tell(plan.Event{Reason: plan.ReasonSubmit, Component: plan.ComponentJobManager, Message: told})
	if from.UnclaimedStateIgnored {
		v.Tell(plan.Event{Warning: true, Reason: plan.ReasonStateMayBeDropped, Component: plan.ComponentJob,
			Message: "The job starts from " + from.Path + unclaimedIgnored})
	}
	v.Note(fmt.Sprintf("start from %s state (%s)", from.Kind, from.Reason))
	result := Result{Situation: plan.Starting, Record: "intent", Again: true, Actions: earlier.Actions}
	if !moves && !intent.ForgetsJobs && prepare != nil {
		result.Actions = append(result.Actions, prepare)
	}
	return result
}

// forgets reports whether an open intent is a start that had to remove what an earlier configuration kept, and may not
// have done it.
func (v Starting) forgets(open *v1beta1.Intent) bool {
	return open != nil && open.Step == v1beta1.StepStarting && open.ForgetsJobs
}

// generationOf is the generation that an intent speaks of: one that goes on with the spec of the open intent speaks of
// that one's, because a newer spec has to wait.
func (v Starting) generationOf(next *v1beta1.Intent) int64 {
	if open := v.Intent(); open != nil && open.SpecHash == next.SpecHash {
		return open.Generation
	}
	return next.Generation
}

// dropsUnclaimed reports whether a start may lose state without a word of Flink: a job that is meant to go on from its
// last state starts from a path, with allowNonRestoredState. From high-availability data Flink refuses to start then,
// and of a job with savepoints one has it.
func (v Starting) dropsUnclaimed(target *v1beta1.FlinkDeploymentSpec, from v1beta1.StartPoint) bool {
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

// unclaimedIgnored is what such a start did, for people.
const unclaimedIgnored = " with allowNonRestoredState: state that none of its operators claims is left out, and" +
	" Flink does not report it"

// beginFrom starts from the state that package restore chooses for how the job was stopped.
func (v Starting) beginFrom(
	purpose v1beta1.IntentPurpose, target v1beta1.FlinkDeploymentSpec, mode v1beta1.UpgradeMode,
) Result {
	choice := restore.Choose(facts(v).forRestore(purpose, target, mode))
	if choice.Verdict != plan.Go {
		return v.refuse(choice)
	}
	return v.Begin(purpose, target, choice.From)
}

// refuse reports why a job may not start. Nothing is deleted.
func (v Starting) refuse(c restore.Choice) Result {
	if c.Verdict == plan.Wait {
		return Result{Situation: plan.Unobservable, Wait: plan.Cause{Reason: c.Reason, Message: c.Message}}
	}
	message := strings.TrimSpace(v.Host.HA().Store.Problem + " " + c.Message)
	if c.Reason == plan.ReasonRestoreFailed && HAData(v).elsewhere() {
		message = "The high-availability options of the spec are not those that the job ran with; set them back to start " +
			"from the data that it left. " + message
	}
	if !Report(v).Shows() {
		Report(v).Fail(c.Reason, message)
	}
	return Result{Situation: plan.StateLost, Stall: &plan.Cause{Reason: c.Reason, Message: message}}
}

// CannotRender reports a spec that validates but cannot be turned into objects. What runs, if anything, is left alone.
func (v Starting) CannotRender(err error) Result {
	v.Want.Error = Report(v).errorText(status.TypeReconciliation, err.Error(), "")
	return Result{
		Situation: plan.Refused,
		Stall: &plan.Cause{
			Reason: plan.ReasonCannotRender, Message: "the cluster's objects cannot be made from the spec: " + err.Error(),
		},
	}
}

// LastStateGone stops a start from high-availability data that is no longer there: the job would start empty.
func (v Starting) LastStateGone() (Result, bool) {
	intent := v.Intent()
	if intent.From == nil || intent.From.Kind != v1beta1.StartLastState {
		return Result{}, false
	}
	choice := restore.Choose(facts(v).forRestore(intent.Purpose, Goal(v).Target(), v1beta1.UpgradeModeLastState))
	if choice.Verdict == plan.Go {
		return Result{}, false
	}
	return v.refuse(choice), true
}

// Suspend ends a start of which nothing runs yet, because the job is to be suspended.
func (v Starting) Suspend(target v1beta1.FlinkDeploymentSpec) Result {
	if v.Intent().Purpose == v1beta1.PurposeDeploy {
		Record(v).NeverDeployed()
		return Result{Situation: plan.NeverStarted}
	}
	Record(v).suspended(target, v.Intent().Restore)
	return Result{Situation: plan.Suspended}
}

// Redirect leads a start that is not released to a newer spec: a new intent is stored over this one. What state it
// starts from is settled already, but of a first start and where the newer spec says it. False where there is none.
func (v Starting) Redirect(target v1beta1.FlinkDeploymentSpec) (Result, bool) {
	intent := v.Intent()
	switch first := intent.Purpose == v1beta1.PurposeDeploy; {
	case intent.Generation == v.Generation:
	case Goal(v).asksRedeploy() && !first:
		return v.beginFrom(v1beta1.PurposeRedeploy, v.Spec, ""), true
	case Goal(v).redirects(target) && first:
		return v.beginFrom(intent.Purpose, target, ""), true
	case Goal(v).redirects(target):
		return v.Begin(Goal(v).redirected(target), target, *intent.From), true
	}
	return Result{}, false
}
