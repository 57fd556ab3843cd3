package tell

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
)

// holdRefused takes out of a result what was refused and is not due, with all that follows it, as if it were refused
// again. A result without it ends the count. True when something was taken out.
//
//	the result   the generation  its time  then
//	has it       the same        has come  try it
//	has it       the same        not yet   wait
//	has it       another         -         try it
//	has it not   -               -         forget it, unless what it depends on could not be looked at
func holdRefused(v *world.Look, result *decision.Result) bool {
	r := v.Want.Refused
	if r == nil || result.KeepsRefusal || v.Objected || result.Situation == plan.Unobservable {
		return false
	}
	is := func(a plan.Action) bool { return a.String() == r.Effect }
	if slices.ContainsFunc(result.First, is) {
		return false // its time has come, see facts.Objection
	}
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
		result.Wait = facts.RefusalWait(v)
	}
	return true
}
