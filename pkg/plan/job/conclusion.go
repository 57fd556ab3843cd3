package job

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
	"github.com/kn-flink/kn-flink/pkg/plan/storedspec"
)

// Outcome makes of a rule's result what leaves the round: the status with its conditions, generations and pace, and the
// plan.
type Outcome Life

// Plan is the plan of a result, with the status that follows from it.
func (v Outcome) Plan(o Result, more ...metav1.Condition) plan.Plan {
	if v.Untouched {
		return plan.Plan{Situation: o.Situation, Finish: o.Finish}
	}
	v.tellNoEffect()
	held := Refusal(v).hold(&o)
	if v.Refused != nil && o.Stall != nil { // otherwise something goes on that may make room for the change
		o.Stall = v.Refused
		Report(v).Fail(o.Stall.Reason, o.Stall.Message)
	}
	v.summarize(status.Verdict{
		Situation: o.Situation, Stall: o.Stall, Wait: o.Wait, PodFailure: v.Host.PodFailure(),
	}, more...)
	next := v.Want.DeepCopy()
	v.Host.Trim(next)
	if !storedspec.Keep(next, &v.Resource().Status, &v.Seen.recorded().status) {
		storedspec.Shorten(next)
	}
	if v.BeginsOperation() {
		storedspec.Reserve(next)
	}
	p := plan.Plan{
		Situation: o.Situation, Finish: o.Finish, Gone: v.gone(o), Requeue: o.Requeue(), Events: v.Events, Notes: v.Notes,
	}
	if o.Again && o.Record == "" {
		next, p.Events = nil, nil // a round follows at once: that one writes and tells what both found
	}
	if o.Tells != nil {
		p.Events = append(p.Events, *o.Tells)
	}
	v.keepSecrets(&p)
	changes := next != nil && !status.SameMeaning(v.Resource().Status, *next)
	if changes && !p.Gone && status.OnlyTells(v.Resource().Status, *next) {
		o.Actions, p.Finish = append(o.Actions, p.Finish...), nil // what failed may fail again, and that is told already
	}
	if o.Record != "" || changes {
		p.Status = next
	}
	if o.Record != "" || (changes && next.Pace == v1beta1.PaceFast) {
		p.Actions = append(p.Actions, plan.WakeClock{})
	}
	if o.Record != "" {
		p.Actions = append(p.Actions, plan.Record{Status: next, Why: o.Record})
	}
	p.Actions = append(p.Actions, o.Actions...)
	p.Actions = append(p.Actions, v.Also...)
	if v.Intent() == nil {
		p.Actions = append(p.Actions, v.Requests...)
	}
	p.Finish = append(p.Finish, o.Last...)
	if held {
		p.Requeue = ""
	}
	return p
}

// keepSecrets leaves them out of what the plan tells.
func (v Outcome) keepSecrets(p *plan.Plan) {
	p.Events, p.Notes = slices.Clone(p.Events), slices.Clone(p.Notes)
	for i := range p.Events {
		p.Events[i] = v.HideIn(p.Events[i])
	}
	for i := range p.Notes {
		p.Notes[i] = v.Hide(p.Notes[i])
	}
}

// gone reports whether the result removes the last finalizer of a resource that is being deleted.
func (v Outcome) gone(o Result) bool {
	last := plan.RemoveFinalizer{Finalizer: v.Host.Finalizer()}
	r := v.Seen.Resource
	return r.DeletionTimestamp != nil && len(o.Finish) == 1 && o.Finish[0] == plan.Action(last) &&
		slices.Equal(r.Finalizers, []string{last.Finalizer})
}
