package job

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
	"github.com/kn-flink/kn-flink/pkg/plan/storedspec"
)

// Conclusion makes of a rule's result what leaves the round: the status with its conditions, generations and pace, and
// the plan.
type Conclusion Life

// Plan is the plan of a result, with the status that follows from it.
func (v Conclusion) Plan(r Result, more ...metav1.Condition) plan.Plan {
	if v.Untouched {
		return plan.Plan{Situation: r.Situation, Finish: r.Finish}
	}
	v.tellNoEffect()
	held := Refusal(v).hold(&r)
	if v.Refused != nil && r.Stall != nil { // otherwise something goes on that may make room for the change
		r.Stall = v.Refused
		Report(v).Fail(r.Stall.Reason, r.Stall.Message)
	}
	v.summarize(status.Verdict{
		Situation: r.Situation, Stall: r.Stall, Wait: r.Wait, PodFailure: v.Host.PodFailure(),
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
		Situation: r.Situation, Finish: r.Finish, Gone: v.gone(r), Requeue: r.Requeue(), Events: v.Events, Notes: v.Notes,
	}
	if r.Again && r.Record == "" {
		next, p.Events = nil, nil // a round follows at once: that one writes and tells what both found
	}
	p.Events = append(p.Events, r.Tells...)
	v.keepSecrets(&p)
	changes := next != nil && !status.SameMeaning(v.Resource().Status, *next)
	if changes && !p.Gone && status.OnlyTells(v.Resource().Status, *next) {
		r.Actions, p.Finish = append(r.Actions, p.Finish...), nil // what failed may fail again, and that is told already
	}
	if r.Record != "" || changes {
		p.Status = next
	}
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
	return p
}

// keepSecrets leaves them out of what the plan tells.
func (v Conclusion) keepSecrets(p *plan.Plan) {
	p.Events, p.Notes = slices.Clone(p.Events), slices.Clone(p.Notes)
	for i := range p.Events {
		p.Events[i] = v.HideIn(p.Events[i])
	}
	for i := range p.Notes {
		p.Notes[i] = v.Hide(p.Notes[i])
	}
}

// gone reports whether the result removes the last finalizer of a resource that is being deleted.
func (v Conclusion) gone(result Result) bool {
	last := plan.RemoveFinalizer{Finalizer: v.Host.Finalizer()}
	r := v.Seen.Resource
	return r.DeletionTimestamp != nil && len(result.Finish) == 1 && result.Finish[0] == plan.Action(last) &&
		slices.Equal(r.Finalizers, []string{last.Finalizer})
}
