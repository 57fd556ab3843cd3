package job

import (
	"fmt"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/storedspec"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// An operation, from its intent to its end. Every arrow is a round that any pass, in any pod, can take up from the
// status alone.
//
//	            stop needed                  Deployment and pods gone
//	  decide ───────────────► Stopping ─────────────────────────────────► suspended, or deleted
//	     │                        │ a start follows
//	     │ nothing to stop        ▼                all objects carry the operation
//	     └───────────────────► Starting ─────────────────────────────────► Released ──► (closed once it has its replicas)
//
// Storing an intent needs the resourceVersion that the round read: of two passes that decide at the same time, one
// stores.

// newIntent is an intent stored over the resourceVersion that this round read.
func newIntent(v Life,
	purpose v1beta1.IntentPurpose, step v1beta1.IntentStep, target v1beta1.FlinkDeploymentSpec,
) *v1beta1.Intent {
	r := v.Seen.Resource
	text, err := storedspec.Text(target)
	if err != nil {
		v.Note("the target spec cannot be printed: " + err.Error())
	}
	if purpose == v1beta1.PurposeDelete {
		text = "" // it leads to none, and must be stored however large the resource is
	}
	return &v1beta1.Intent{
		OperationID:         plan.DeriveID(r.UID, v.Seen.over(), plan.PurposeOperation),
		Purpose:             purpose,
		OverResourceVersion: v.Seen.over(),
		Generation:          v.Generation,
		SpecHash:            storedspec.Hash(text),
		Spec:                text,
		Step:                step,
		StoredAt:            v.Now(),
	}
}

// over is what the IDs of this round are derived from.
func (s *Seen) over() string { return plan.Over(s.Resource.ResourceVersion, s.Now) }

// Foreign stops at an intent that was not stored for this resource, or not as a whole: a status that was copied or
// restored from another one, or edited.
func Foreign(v Life) (Result, bool) {
	intent := v.Intent()
	r := v.Seen.Resource
	switch {
	case intent == nil:
		return Result{}, false
	case intent.OperationID != plan.DeriveID(r.UID, intent.OverResourceVersion, plan.PurposeOperation):
		return notOurs(v, plan.ReasonForeignIntent, "belongs to another resource"), true
	case !Whole(intent):
		return notOurs(v, plan.ReasonIntentIncomplete, "does not say what it is about"), true
	}
	return Result{}, false
}

// Whole reports whether an intent says what its step needs.
//
//	step       says
//	Stopping   what it stops
//	Starting   which state the job starts from
//	Released   what was released
func Whole(intent *v1beta1.Intent) bool {
	switch intent.Step {
	case v1beta1.StepStopping:
		return intent.Stops != nil && (!intent.Ended || intent.From != nil || !keepsState(intent.Stop))
	case v1beta1.StepStarting:
		return intent.From != nil
	case v1beta1.StepReleased:
		return intent.Release != nil && intent.From != nil
	}
	return true // an unknown step is told as that
}

// keepsState reports whether a stop ends with a state that its successor starts from.
func keepsState(how v1beta1.StopKind) bool {
	return how == v1beta1.StopSavepoint || how == v1beta1.StopCancel
}

// notOurs says how a person clears an intent that nothing is done about.
func notOurs(v Life, reason plan.Reason, why string) Result {
	r := v.Seen.Resource
	return Result{Situation: plan.NotOurs, Stall: &plan.Cause{Reason: reason, Message: fmt.Sprintf(
		"status.intent %s %s, so nothing is done; if no operation is under way, clear it with: "+
			"kubectl patch %s %s -n %s --subresource=status --type=merge -p '{\"status\":{\"intent\":null}}'",
		v.Intent().OperationID, why, strings.ToLower(string(v.Seen.kind())), r.Name, r.Namespace)}}
}

// CarryOn takes an open intent one step further.
func CarryOn(v Life) (Result, bool) {
	intent := v.Intent()
	if intent == nil {
		return Result{}, false
	}
	standing, why := v.Host.Standing()
	switch standing {
	case StandingUnknown:
		return Unobservable(v.Host.What(), why), true
	case Gone, Going:
		v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	}
	if intent.Step == v1beta1.StepStopping {
		v.Stopper.Watch()
	}
	if Goal(v).redeploysInstead(standing) {
		d := upgrade.Decide(facts(v).forUpgrade(v1beta1.PurposeRedeploy))
		return Stopping(v).asDecided(v1beta1.PurposeRedeploy, d), true
	}
	switch intent.Step {
	case v1beta1.StepStopping:
		return v.Stopper.CarryStop(), true
	case v1beta1.StepStarting:
		return v.Starter.CarryStart(), true
	case v1beta1.StepReleased:
		return v.Starter.CarryRelease()
	}
	return Result{
		Situation: plan.NotOurs,
		Stall: &plan.Cause{
			Reason: plan.ReasonUnknownIntent, Message: fmt.Sprintf("status.intent has the unknown step %q", intent.Step),
		},
	}, true
}

// Unobservable waits for what could not be looked at. Nothing is done on a guess.
func Unobservable(what, why string) Result {
	if why == "" {
		why = "not checked"
	}
	return Result{
		Situation: plan.Unobservable,
		Wait:      plan.Cause{Reason: plan.ReasonUnobservable, Message: fmt.Sprintf("%s cannot be read: %s", what, why)},
	}
}

// Unreadable stops at a status that cannot be read back.
func Unreadable(v Life) (Result, bool) {
	if v.Unreadable == "" {
		return Result{}, false
	}
	return Result{Situation: plan.Refused, Stall: &plan.Cause{Reason: plan.ReasonStatusUnreadable,
			Message: "status.reconciliationStatus.lastReconciledSpec cannot be read, so nothing is done: " + v.Unreadable}},
		true
}
