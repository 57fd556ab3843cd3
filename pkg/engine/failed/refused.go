package failed

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
)

// Rehearsed is what status.refused says after a rehearsal that did not end with yes.
func Rehearsed(v *world.Look, failed plan.Action, refused bool, message string) *v1beta1.Refused {
	said := v1beta1.Refused{Effect: failed.String(), Retry: v1beta1.Retry{
		Generation: v.Resource().Generation, Reason: string(plan.ReasonNotRehearsed),
		Message: "whether Kubernetes takes what the spec asks for is not known, so nothing is stopped: " + v.Hide(message),
	}}
	if refused {
		said.Reason = string(plan.ReasonRefusedByKubernetes)
		said.Message = "Kubernetes refuses what the spec asks for, so nothing is stopped for it: " + v.Hide(message)
	}
	return backoff.Refused(v.Want.Refused, said, v.Now())
}

// atOnce is for how long after the begin of a movement what is refused is tried with each look, and nothing is stored.
const atOnce = 10 * time.Second

// Again counts one more refusal of an action. It is false for one that is tried with the next look:
//
//	 #  the action         refused before  the movement began  then
//	A1  is not refusable   -               -                   the next look tries it
//	A2  -                  no              less than 10 s ago  the next look tries it
//	A3  -                  -               -                   pause for 2 s, then 4 s, 8 s and so on, up to 10 minutes
func Again(v *world.Look, failed plan.Action, reason, message string) (decision.Result, bool) {
	if failed == nil || !failed.Refusable() {
		return decision.Result{}, false
	}
	before := v.Want.Refused
	same := before != nil && before.Effect == failed.String()
	if since := v.Want.PaceSince; !same && since != nil && v.Since(*since) < atOnce {
		return decision.Result{}, false
	}
	v.Want.Refused = backoff.Refused(before, v1beta1.Refused{Effect: failed.String(), Retry: v1beta1.Retry{
		Generation: v.Resource().Generation, Reason: reason, Message: v.Hide(message),
	}}, v.Now())
	return decision.Result{Situation: refusedIn(v), KeepsRefusal: true, Wait: facts.RefusalWait(v)}, true
}

// refusedIn is the one that the round left that was refused.
func refusedIn(v *world.Look) plan.Situation {
	if s := plan.Situation(v.Resource().Status.Situation); s != "" {
		return s
	}
	return plan.Waiting
}
