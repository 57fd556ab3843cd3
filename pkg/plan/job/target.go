package job

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/restore"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
	"github.com/kn-flink/kn-flink/pkg/plan/storedspec"
)

// Target is the spec that the open intent leads to. A newer spec redirects it, unless it wants state that the intent
// gave up: that one waits for the intent's end.
func (v *Life) Target() v1beta1.FlinkDeploymentSpec {
	intent := v.Intent()
	if v.bound() {
		return v.StoredTarget()
	}
	keeps := intent.Restore != "" && intent.Restore != v1beta1.UpgradeModeStateless
	if v.Problem == "" && (intent.Generation == v.Generation || keeps || Stateless(&v.Spec)) {
		return *v.Spec.DeepCopy()
	}
	return v.StoredTarget()
}

// StartTarget is the spec that a start leads to as long as it is not released: the newest accepted one. What state it
// starts from is settled already.
func (v *Life) StartTarget() v1beta1.FlinkDeploymentSpec {
	if v.Problem == "" && !v.bound() {
		return *v.Spec.DeepCopy()
	}
	return v.Target()
}

// bound reports whether the open intent leads to the spec that it was stored with, and to no other:
//
//	a rollback or a recovery        while the spec asks for nothing new, or is invalid
//	a restart from the last state   while the spec is for another Flink version, which could not read that state, or
//	                                keeps its high-availability data elsewhere, where it would not find that state
func (v *Life) bound() bool {
	intent := v.Intent()
	back := intent.Purpose == v1beta1.PurposeRollback || intent.Purpose == v1beta1.PurposeRecover
	if back && (v.Problem != "" || intent.Generation == v.Generation || !v.asksForMore()) {
		return true
	}
	unread := v.StoredTarget().FlinkVersion != v.Spec.FlinkVersion || v.hADataElsewhere()
	return intent.Restore == v1beta1.UpgradeModeLastState && unread && !v.AsksRedeploy()
}

// asksForMore reports whether the spec asks for something else than what was acted on last.
func (v *Life) asksForMore() bool {
	return v.Last == nil || v.WantsRunning() != v.LastRunning() ||
		specdiff.Classify(&v.Last.Spec, &v.Spec, v.Spec.DesiredMode()).Kind.Effective()
}

// AsksRedeploy reports whether the spec is a newer one than the open intent's and says what to start from, whatever is
// known of the state.
func (v *Life) AsksRedeploy() bool {
	return v.Generation != v.Intent().Generation && v.ChoosesState()
}

// ChoosesState reports whether the spec says anew what to start from: its redeploy nonce is another one than that of
// the spec acted on last and, where a rollback takes or took that one back, than that of the spec it goes back to.
func (v *Life) ChoosesState() bool {
	redeploys := func(old *v1beta1.FlinkDeploymentSpec) bool {
		return specdiff.Classify(old, &v.Spec, v.Spec.DesiredMode()).Kind == specdiff.SavepointRedeploy
	}
	switch {
	case v.Problem != "" || v.Last == nil || !redeploys(&v.Last.Spec):
		return false
	case v.Intent() != nil && v.Intent().Purpose == v1beta1.PurposeRollback:
		stable := v.StoredTarget()
		return redeploys(&stable)
	}
	return redeploys(v.Running())
}

// chosen is the state that a person told the job to start from, in a newer spec or in the one that the open intent
// began for; nil when nobody did.
func (v *Life) chosen() *v1beta1.StartPoint {
	switch intent := v.Intent(); {
	case intent == nil:
		return nil
	case v.AsksRedeploy():
		if c := restore.Choose(v.restoreFacts(v1beta1.PurposeRedeploy, v.Spec, "")); c.Verdict == plan.Go {
			return &c.From
		}
		return nil
	case intent.Purpose == v1beta1.PurposeRedeploy:
		return intent.From
	}
	return nil
}

// Redirected is the purpose of the open intent once it leads to another spec than it began for: a rollback or a
// recovery becomes an upgrade.
func (v *Life) Redirected(target v1beta1.FlinkDeploymentSpec) v1beta1.IntentPurpose {
	intent := v.Intent()
	back := intent.Purpose == v1beta1.PurposeRollback || intent.Purpose == v1beta1.PurposeRecover
	if back && intent.Generation != v.Generation && v.Redirects(target) {
		return v1beta1.PurposeUpgrade
	}
	return intent.Purpose
}

// Redirects reports whether the target differs from what the open intent was stored with.
func (v *Life) Redirects(target v1beta1.FlinkDeploymentSpec) bool {
	text, err := storedspec.Text(target)
	return err == nil && storedspec.Hash(text) != v.Intent().SpecHash
}

// StoredTarget is the spec that the open intent was stored with; a deletion leads to none and has none.
func (v *Life) StoredTarget() v1beta1.FlinkDeploymentSpec {
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
