package deployment

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/subject"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// An operation, from its intent to its end. Every arrow is a round that any pass, in any pod, can take up from the status alone.
//
//	            stop needed                  Deployment and pods gone
//	  decide ───────────────► Stopping ─────────────────────────────────► suspended, or deleted
//	     │                        │ a start follows
//	     │ nothing to stop        ▼                all objects carry the operation
//	     └───────────────────► Starting ─────────────────────────────────► Released ──► (closed once it has its replicas)
//
// Storing an intent needs the resourceVersion that the round read: of two passes that decide at the same time, one stores.

// newIntent is an intent stored over the resourceVersion that this round read.
func (v *view) newIntent(purpose v1beta1.IntentPurpose, step v1beta1.IntentStep, target v1beta1.FlinkDeploymentSpec) *v1beta1.Intent {
	r := v.Seen.Resource
	text, err := v1beta1.ReconciledDeployment{Spec: target}.Text()
	if err != nil {
		v.Note("the target spec cannot be printed: " + err.Error())
	}
	return &v1beta1.Intent{
		OperationID:         plan.DeriveID(r.UID, r.ResourceVersion, plan.PurposeOperation),
		Purpose:             purpose,
		OverResourceVersion: r.ResourceVersion,
		Generation:          v.Generation,
		SpecHash:            hash(text),
		Spec:                text,
		Step:                step,
		StoredAt:            v.Now(),
	}
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// target is the spec that the open intent leads to. A newer spec redirects it, unless it wants state that the intent gave up: that one
// waits for the intent's end.
func (v *view) target() v1beta1.FlinkDeploymentSpec {
	intent := v.Intent()
	if v.bound() {
		return v.storedTarget()
	}
	keeps := intent.Restore != "" && intent.Restore != v1beta1.UpgradeModeStateless
	if v.Problem == "" && (intent.Generation == v.Generation || keeps || subject.Stateless(&v.Spec)) {
		return *v.Spec.DeepCopy()
	}
	return v.storedTarget()
}

// bound reports whether the open intent leads to the spec that it was stored with, and to no other:
//
//	a rollback or a recovery        while the spec is the one that it began under, or an invalid one
//	a restart from the last state   while the spec is for another Flink version, which could not read that state
func (v *view) bound() bool {
	intent := v.Intent()
	back := intent.Purpose == v1beta1.PurposeRollback || intent.Purpose == v1beta1.PurposeRecover
	if back && (v.Problem != "" || intent.Generation == v.Generation) {
		return true
	}
	return intent.Restore == v1beta1.UpgradeModeLastState && v.storedTarget().FlinkVersion != v.Spec.FlinkVersion
}

// storedTarget is the spec that the open intent was stored with.
func (v *view) storedTarget() v1beta1.FlinkDeploymentSpec {
	stored, err := v1beta1.ParseReconciledDeployment(v.Intent().Spec)
	if err != nil {
		v.Note("the intent's spec cannot be read, the current one is used: " + err.Error())
		return *v.Spec.DeepCopy()
	}
	return stored.Spec
}

// foreign stops at an intent that was not stored for this resource: a status that was copied or restored from another one.
func foreign(v *view) (outcome, bool) {
	intent := v.Intent()
	r := v.Seen.Resource
	if intent == nil || intent.OperationID == plan.DeriveID(r.UID, intent.OverResourceVersion, plan.PurposeOperation) {
		return outcome{}, false
	}
	return outcome{situation: plan.NotOurs, stall: &stall{"ForeignIntent", fmt.Sprintf(
		"status.intent %s belongs to another resource, so nothing is done; if no operation is under way, clear it with: kubectl patch flinkdeployment %s -n %s --subresource=status --type=merge -p '{\"status\":{\"intent\":null}}'",
		intent.OperationID, r.Name, r.Namespace)}}, true
}

// carryOn takes an open intent one step further.
func carryOn(v *view) (outcome, bool) {
	intent := v.Intent()
	if intent == nil {
		return outcome{}, false
	}
	if v.Seen.JobManager.IsUnknown() {
		return v.unobservable("the JobManager Deployment", v.Seen.JobManager.Why()), true
	}
	jm, present := v.Seen.JobManager.Get()
	if !present || jm.DeletionTimestamp != nil {
		v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	}
	if v.RedeploysInstead(jm, present) {
		return v.stopAsDecided(v1beta1.PurposeRedeploy, upgrade.Decide(v.UpgradeFacts(v1beta1.PurposeRedeploy))), true
	}
	switch intent.Step {
	case v1beta1.StepStopping:
		return v.carryStop(), true
	case v1beta1.StepStarting:
		return v.carryStart(), true
	case v1beta1.StepReleased:
		return v.carryRelease()
	}
	return outcome{situation: plan.NotOurs, stall: &stall{"UnknownIntent", fmt.Sprintf("status.intent has the unknown step %q", intent.Step)}}, true
}

// unobservable waits for what could not be looked at. Nothing is done on a guess.
func (v *view) unobservable(what, why string) outcome {
	if why == "" {
		why = "not looked at"
	}
	return outcome{situation: plan.Unobservable, wait: stall{"Unobservable", fmt.Sprintf("%s cannot be read: %s", what, why)}}
}

// unreadable stops at a status that cannot be read back.
func unreadable(v *view) (outcome, bool) {
	if v.Unreadable == "" {
		return outcome{}, false
	}
	return outcome{situation: plan.Refused, stall: &stall{"StatusUnreadable",
		"status.reconciliationStatus.lastReconciledSpec cannot be read, so nothing is done: " + v.Unreadable}}, true
}
