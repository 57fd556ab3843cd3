package facts

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
	"github.com/kn-flink/kn-flink/pkg/plan/storedspec"
)

// rehearses names the rehearsal of a spec, as status.refused has it.
func rehearses(spec *v1beta1.FlinkDeploymentSpec) string {
	text, err := storedspec.Text(*spec)
	if err != nil {
		return "" // it is no spec that anything is stopped for
	}
	return plan.Rehearse{Target: storedspec.Hash(text)}.String()
}

// Objection is why nothing may be stopped for a start of this spec now, and whether it is a refusal; nil: the question
// may be asked.
func Objection(v *world.Look, spec *v1beta1.FlinkDeploymentSpec) (why *plan.Cause, refused bool) {
	r := v.Want.Refused
	if r == nil || r.Effect != rehearses(spec) || !backoff.Waits(&r.Retry, v.Resource().Generation, v.Seen.Now) {
		return nil, false
	}
	v.Objected = true
	if r.Reason == string(plan.ReasonRefusedByKubernetes) { // a person acts: when it is asked again changes nothing
		return &plan.Cause{Reason: plan.ReasonRefusedByKubernetes, Message: r.Message}, true
	}
	wait := RefusalWait(v)
	return &wait, false
}

// AsksRehearsal reports whether a start that is about to be stored must be judged first: something would be taken away
// for it, or another one given up.
//
//	purpose              an open intent                  judged first
//	Deploy, Recover      -                               no: there is nothing to lose
//	any other            none, or one that is released   yes
//	any other            leads to that spec              no: it was judged when that was stored
//	any other            leads to another spec           yes
func AsksRehearsal(v *world.Look, purpose v1beta1.IntentPurpose, target v1beta1.FlinkDeploymentSpec) bool {
	if purpose == v1beta1.PurposeDeploy || purpose == v1beta1.PurposeRecover {
		return false
	}
	open := v.Intent()
	return open == nil || open.Step == v1beta1.StepReleased || Redirects(v, target)
}

// RefusalWait is the wait for the next attempt of what was refused.
func RefusalWait(v *world.Look) plan.Cause {
	r := v.Want.Refused
	return plan.Cause{Reason: plan.Reason(r.Reason), Message: fmt.Sprintf(
		"%s; next attempt at %s", r.Message, r.After.UTC().Format(time.RFC3339),
	), Until: r.After.Time, Then: plan.ThenTriedAgain}
}
