package job

import (
	"fmt"
	"slices"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
)

// Refusal is about a change of an object that was refused for now: a webhook of somebody else is away, or the API
// server asks for patience. It is tried again, less and less.
type Refusal Life

// atOnce is for how long after the begin of a movement what is refused is tried with each look, and nothing is stored.
const atOnce = 10 * time.Second

// Again counts one more refusal of an action. It is false for one that is tried with the next look:
//
//	 #  the action         refused before  the movement began  then
//	A1  is not refusable   -               -                   the next look tries it
//	A2  -                  no              less than 10 s ago  the next look tries it
//	A3  -                  -               -                   pause for 2 s, then 4 s, 8 s and so on, up to 10 minutes
func (v Refusal) Again(failed plan.Action, reason, message string) (Result, bool) {
	if failed == nil || !plan.Refusable(failed) {
		return Result{}, false
	}
	before := v.Want.Refused
	same := before != nil && before.Effect == failed.String()
	if since := v.Want.PaceSince; !same && since != nil && v.Since(*since) < atOnce {
		return Result{}, false
	}
	v.Want.Refused = backoff.Refused(before, v1beta1.Refused{Effect: failed.String(), Retry: v1beta1.Retry{
		Generation: v.Resource().Generation, Reason: reason, Message: v.Hide(message),
	}}, v.Now())
	return Result{Situation: v.situation(), KeepsRefusal: true, Wait: v.wait()}, true
}

// situation is the one that the round left that was refused.
func (v Refusal) situation() plan.Situation {
	if s := plan.Situation(v.Resource().Status.Situation); s != "" {
		return s
	}
	return plan.Waiting
}

func (v Refusal) wait() plan.Cause {
	r := v.Want.Refused
	return plan.Cause{Reason: plan.Reason(r.Reason), Message: fmt.Sprintf(
		"%s; next attempt at %s", r.Message, r.After.UTC().Format(time.RFC3339),
	)}
}

// hold takes out of a result what was refused and is not due, with all that follows it, as if it were refused again. A
// result without it ends the count. True when something was taken out.
//
//	the result   the generation  its time  then
//	has it       the same        has come  try it
//	has it       the same        not yet   wait
//	has it       another         -         try it
//	has it not   -               -         forget it, unless what it depends on could not be looked at
func (v Refusal) hold(result *Result) bool {
	r := v.Want.Refused
	if r == nil || result.KeepsRefusal || result.Situation == plan.Unobservable {
		return false
	}
	is := func(a plan.Action) bool { return a.String() == r.Effect }
	lists, at := []*[]plan.Action{&result.Actions, &result.Finish, &result.Last}, -1
	for i, list := range lists {
		if slices.ContainsFunc(*list, is) {
			at = i
			break
		}
	}
	if at < 0 {
		v.Want.Refused = nil
		return false
	}
	if !backoff.Waits(&r.Retry, v.Resource().Generation, v.Seen.Now) {
		return false
	}
	*lists[at] = slices.Clone((*lists[at])[:slices.IndexFunc(*lists[at], is)])
	for _, later := range lists[at+1:] {
		*later = nil
	}
	result.Again = false
	if result.Stall == nil {
		result.Wait = v.wait()
	}
	return true
}
