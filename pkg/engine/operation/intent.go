package operation

import (
	"fmt"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/storedspec"
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
func newIntent(v *world.Look,
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
		OperationID:         plan.DeriveID(r.UID, v.Seen.Over(), plan.PurposeOperation),
		Purpose:             purpose,
		OverResourceVersion: v.Seen.Over(),
		Generation:          v.Generation,
		SpecHash:            storedspec.Hash(text),
		Spec:                text,
		Step:                step,
		StoredAt:            v.Now(),
	}
}

// Foreign stops at an intent that was not stored for this resource, or not as a whole: a status that was copied or
// restored from another one, or edited.
func Foreign(v *world.Look) (decision.Result, bool) {
	intent := v.Intent()
	r := v.Seen.Resource
	switch {
	case intent == nil:
		return decision.Result{}, false
	case intent.OperationID != plan.DeriveID(r.UID, intent.OverResourceVersion, plan.PurposeOperation):
		return notOurs(v, plan.ReasonForeignIntent, "belongs to another resource"), true
	case !facts.Whole(intent):
		return notOurs(v, plan.ReasonIntentIncomplete, "does not say what it is about"), true
	}
	return decision.Result{}, false
}

// notOurs says how a person clears an intent that nothing is done about.
func notOurs(v *world.Look, reason plan.Reason, why string) decision.Result {
	r := v.Seen.Resource
	return decision.Result{Situation: plan.NotOurs, Stall: &plan.Cause{Reason: reason, Message: fmt.Sprintf(
		"status.intent %s %s, so nothing is done; if no operation is under way, clear it with: "+
			"kubectl patch %s %s -n %s --subresource=status --type=merge -p '{\"status\":{\"intent\":null}}'",
		v.Intent().OperationID, why, strings.ToLower(string(v.Seen.JobKind())), r.Name, r.Namespace)}}
}
