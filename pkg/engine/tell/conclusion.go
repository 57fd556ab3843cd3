package tell

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/engine/report"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
	"github.com/kn-flink/kn-flink/pkg/plan/storedspec"
)

// Plan is the plan of a result, with the status that follows from it.
func Plan(v *world.Look, r decision.Result, more ...metav1.Condition) plan.Plan {
	if v.Untouched {
		return plan.Plan{Situation: r.Situation, Finish: r.Finish}
	}
	noEffect(v)
	held := holdRefused(v, &r)
	if v.Found.Refused != nil && r.Stall != nil { // otherwise something goes on that may make room for the change
		r.Stall = v.Found.Refused
		record.Show(v, report.Failure(v, r.Stall.Reason, r.Stall.Message))
	}
	remember(v)
	summarize(v, status.Verdict{
		Situation: r.Situation, Stall: r.Stall, Wait: r.Wait, PodFailure: v.Host.PodFailure(),
	}, more...)
	next := v.Want.DeepCopy()
	v.Host.Trim(next)
	if !storedspec.Keep(next, &v.Resource().Status, &v.Seen.Decoded().Status) {
		storedspec.Shorten(next)
	}
	if v.BeginsOperation() {
		storedspec.Reserve(next)
	}
	p := plan.Plan{
		Situation: r.Situation, Finish: r.Finish, Gone: gone(v, r), Requeue: r.Requeue(), Events: v.Events, Notes: v.Notes,
	}
	if r.Again && r.Record == "" {
		next, p.Events = nil, nil // a round follows at once: that one writes and tells what both found
	}
	p.Events, p.TellFirst = append(p.Events, r.Tells...), len(r.Tells) > 0
	keepSecrets(v, &p)
	changes := next != nil && !status.SameMeaning(v.Resource().Status, *next)
	if changes && !p.Gone && status.OnlyTells(v.Resource().Status, *next) {
		r.Actions, p.Finish = append(r.Actions, p.Finish...), nil // what failed may fail again, and that is told already
	}
	if r.Record != "" || changes {
		p.Status = next
	}
	p.Actions = append(p.Actions, r.First...)
	if r.Record != "" || (changes && next.Pace == v1beta1.PaceFast) {
		p.Actions = append(p.Actions, plan.WakeClock{})
	}
	if r.Record != "" {
		p.Actions = append(p.Actions, plan.Record{Status: next, Why: r.Record})
	}
	p.Actions = append(p.Actions, r.Actions...)
	p.Actions = append(p.Actions, v.Also...)
	if v.Intent() == nil {
		p.Actions = append(p.Actions, v.Requests...)
	}
	p.Finish = append(p.Finish, r.Last...)
	if held {
		p.Requeue = ""
	}
	p.History = historyOf(v, r.Again)
	return p
}

// keepSecrets leaves them out of what the plan tells.
func keepSecrets(v *world.Look, p *plan.Plan) {
	p.Events, p.Notes = slices.Clone(p.Events), slices.Clone(p.Notes)
	for i := range p.Events {
		p.Events[i] = world.HideEvent(v, p.Events[i])
	}
	for i := range p.Notes {
		p.Notes[i] = v.Shown(p.Notes[i])
	}
}

// gone reports whether the result removes the last finalizer of a resource that is being deleted.
func gone(v *world.Look, result decision.Result) bool {
	last := plan.RemoveFinalizer{Finalizer: v.Host.Finalizer()}
	r := v.Seen.Resource
	return r.DeletionTimestamp != nil && len(result.Finish) == 1 && result.Finish[0] == plan.Action(last) &&
		slices.Equal(r.Finalizers, []string{last.Finalizer})
}
