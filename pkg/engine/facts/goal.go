package facts

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/restore"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
	"github.com/kn-flink/kn-flink/pkg/plan/storedspec"
)

// Target is the spec that the open intent leads to. A newer spec redirects it, unless it wants state that the intent
// gave up: that one waits for the intent's end.
func Target(v *world.Look) v1beta1.FlinkDeploymentSpec {
	intent := v.Intent()
	if bound(v) {
		return StoredTarget(v)
	}
	keeps := intent.Restore != "" && intent.Restore != v1beta1.UpgradeModeStateless
	if v.Problem == "" && (keeps || world.Stateless(&v.Spec)) {
		return *v.Spec.DeepCopy()
	}
	return StoredTarget(v)
}

// StartTarget is the spec that a start leads to as long as it is not released: the newest accepted one. What state it
// starts from is settled already.
func StartTarget(v *world.Look) v1beta1.FlinkDeploymentSpec {
	if v.Problem == "" && !bound(v) {
		return *v.Spec.DeepCopy()
	}
	return Target(v)
}

// bound reports whether the open intent leads to the spec that it was stored with, and to no other:
//
//	any                             while Kubernetes refuses what the spec asks for, see Objection
//	any                             while the spec is that of the intent: of it, only what the autoscaler keeps may be
//	                                another since then, and what is prepared is of the stored one
//	a rollback or a recovery        while the spec asks for nothing new, or is invalid
//	a restart from the last state   while the spec is for another Flink version, which could not read that state, or
//	                                keeps its high-availability data elsewhere, where it would not find that state
func bound(v *world.Look) bool {
	intent := v.Intent()
	back := intent.Purpose == v1beta1.PurposeRollback || intent.Purpose == v1beta1.PurposeRecover
	if intent.Generation == v.Generation || back && (v.Problem != "" || !v.AsksForMore()) {
		return true
	}
	if why, _ := Objection(v, &v.Spec); why != nil {
		return true
	}
	unread := StoredTarget(v).FlinkVersion != v.Spec.FlinkVersion || HAElsewhere(v)
	return intent.Restore == v1beta1.UpgradeModeLastState && unread && !AsksRedeploy(v)
}

// AsksRedeploy reports whether the spec is a newer one than the open intent's and says what to start from, whatever is
// known of the state.
func AsksRedeploy(v *world.Look) bool {
	if v.Generation == v.Intent().Generation || !ChoosesState(v) {
		return false
	}
	why, _ := Objection(v, &v.Spec)
	return why == nil
}

// RedeploysInstead reports whether a newer spec says what to start from while a stop is open, which is the way out that
// a stop names whose job's state is not known. The old job ID is never used again after it, so nothing that the stop
// had begun can come back.
func RedeploysInstead(v *world.Look, standing world.Standing) bool {
	intent := v.Intent()
	if intent.Step != v1beta1.StepStopping || intent.Purpose == v1beta1.PurposeDelete || standing == world.Going {
		return false
	}
	return v.WantsRunning() && AsksRedeploy(v)
}

// ChoosesState reports whether the spec says anew what to start from: its redeploy nonce is another one than that of
// the spec acted on last and, where a rollback takes or took that one back, than that of the spec it goes back to.
func ChoosesState(v *world.Look) bool {
	if v.Spec.Job == nil || v.Spec.Job.SavepointRedeployNonce == nil {
		return false
	}
	redeploys := func(old *v1beta1.FlinkDeploymentSpec) bool {
		return specdiff.Classify(old, &v.Spec, v.Spec.DesiredMode()).Kind == specdiff.SavepointRedeploy
	}
	switch {
	case v.Problem != "" || v.Last == nil || !redeploys(&v.Last.Spec):
		return false
	case v.Intent() != nil && v.Intent().Purpose == v1beta1.PurposeRollback:
		stable := StoredTarget(v)
		return redeploys(&stable)
	}
	return redeploys(v.Running())
}

// ChosenState is the state that a person told the job to start from, in a newer spec or in the one that the open intent
// began for; nil when nobody did.
func ChosenState(v *world.Look) *v1beta1.StartPoint {
	switch intent := v.Intent(); {
	case intent == nil:
		return nil
	case AsksRedeploy(v):
		if c := restore.Choose(ForRestore(v, v1beta1.PurposeRedeploy, v.Spec, "")); c.Verdict == plan.Go {
			return &c.From
		}
		return nil
	case intent.Purpose == v1beta1.PurposeRedeploy:
		return intent.From
	}
	return nil
}

// RedirectedPurpose is the purpose of the open intent once it leads to another spec than it began for: a rollback or a
// recovery becomes an upgrade.
func RedirectedPurpose(v *world.Look, target v1beta1.FlinkDeploymentSpec) v1beta1.IntentPurpose {
	intent := v.Intent()
	back := intent.Purpose == v1beta1.PurposeRollback || intent.Purpose == v1beta1.PurposeRecover
	if back && intent.Generation != v.Generation && Redirects(v, target) {
		return v1beta1.PurposeUpgrade
	}
	return intent.Purpose
}

// Redirects reports whether the target differs from what the open intent was stored with.
func Redirects(v *world.Look, target v1beta1.FlinkDeploymentSpec) bool {
	text, err := storedspec.Text(target)
	return err == nil && storedspec.Hash(text) != v.Intent().SpecHash
}

// StoredTarget is the spec that the open intent was stored with; a deletion leads to none and has none.
func StoredTarget(v *world.Look) v1beta1.FlinkDeploymentSpec {
	if v.Intent().Purpose == v1beta1.PurposeDelete {
		return *v.Spec.DeepCopy()
	}
	stored, err := v1beta1.ParseReconciledDeployment(v.Intent().Spec)
	if err != nil {
		v.Note("the intent's spec cannot be read, the current one is used: " + err.Error())
		return *v.Spec.DeepCopy()
	}
	return stored.Spec
}
