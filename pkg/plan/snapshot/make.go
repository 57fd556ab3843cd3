package snapshot

import (
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
)

// rule gives a result, or that the view is not its business.
type rule func(v view) (result, bool)

// rules in their order; the first whose business it is decides.
//
//	deleting    the resource is marked for deletion
//	canary      the resource only probes the operator
//	settled     it is completed, abandoned or failed for good
//	finalizer   it lacks our finalizer
//	invalid     its spec does not validate and nothing is in flight
//	existing    it stands for a savepoint that exists
//	inProgress  a request is in flight
//	pending     a request is to be made
var rules = []struct {
	name   string
	decide rule
}{
	{"deleting", decideDeleting}, {"canary", decideCanary}, {"settled", decideSettled},
	{"finalizer", decideFinalizer}, {"invalid", decideInvalid}, {"existing", decideExisting},
	{"inProgress", decideInProgress}, {"pending", decidePending},
}

// Make decides what to do for one FlinkStateSnapshot. It is total: it never fails and never panics on any snapshot.
func Make(s Snapshot) plan.Plan {
	v := newView(s)
	for _, r := range rules {
		if result, mine := r.decide(v); mine {
			p := planOf(v, result)
			p.Rule = r.name
			return p
		}
	}
	return planOf(v, result{situation: plan.Unobservable})
}

// MakeFailed shows an effect that failed, in the status that a round left behind. A request that Flink refused is a
// failed attempt; a disposal that it refused is told and tried again, ever more seldom, until its deadline. Another
// failure gives false: the error speaks for itself.
func MakeFailed(
	s Snapshot, left v1beta1.FlinkStateSnapshotStatus, failed plan.Action, message string,
) (plan.Plan, bool) {
	resource := s.Resource.DeepCopy()
	resource.Status = *left.DeepCopy()
	s.Resource = resource
	v := newView(s)
	message = v.hide(message)
	switch failed.(type) {
	case plan.TriggerSavepoint, plan.TriggerCheckpoint:
		return planOf(v, attempt(v).failed(message)), true
	case plan.DisposeSavepoint:
		v.want.Retry = backoff.Failed(
			v.want.Retry, resource.Generation, metav1.NewTime(v.now()), string(plan.ReasonDisposal), message,
		)
		return planOf(v, disposal(v).waits(message)), true
	}
	return plan.Plan{}, false
}

func decideCanary(v view) (result, bool) {
	return result{situation: plan.Steady, silent: true}, v.isCanary()
}

func decideSettled(v view) (result, bool) {
	switch v.want.State {
	case v1beta1.SnapshotCompleted:
		return result{situation: Completed}, true
	case v1beta1.SnapshotAbandoned:
		return result{situation: Abandoned, stall: cause{plan.ReasonSnapshotAbandoned, v.want.Error}}, true
	case v1beta1.SnapshotFailed:
		return result{situation: Failed, stall: cause{plan.ReasonBackoffLimitExceeded, noneLeft}}, true
	}
	return result{}, false
}

func decideFinalizer(v view) (result, bool) {
	if !v.lacksFinalizer() {
		return result{}, false
	}
	add := plan.AddFinalizer{Finalizer: v1beta1.FinalizerFlinkStateSnapshot}
	return result{situation: Triggering, silent: true, actions: []plan.Action{add}, again: true}, true
}

// decideInvalid tells once that the spec does not validate. What is in flight is looked after all the same.
func decideInvalid(v view) (result, bool) {
	flies := v.want.State == v1beta1.SnapshotInProgress && v.job.presence != ""
	if v.problem == "" || flies || lost(v) {
		return result{}, false
	}
	told := v.condition(summary.SpecAccepted)
	if told == nil || told.Message != summary.OneLine(v.problem, summary.MaxMessageLength) {
		v.events = append(v.events, plan.Event{
			Warning: true, Reason: plan.ReasonValidationError, Component: plan.ComponentOperator, Message: v.headline,
		})
	}
	return result{situation: plan.Invalid, stall: cause{plan.ReasonValidationFailed, v.problem}}, true
}

// decideExisting stands for a savepoint that exists: it is complete at once, and needs no job.
func decideExisting(v view) (result, bool) {
	savepoint := v.resource().Spec.Savepoint
	if !savepoint.Exists() {
		return result{}, false
	}
	path := savepoint.Path
	v.want.TriggerTimestamp = v.instant()
	return attempt(v).complete(path), true
}

// planOf adds the summary to what a rule decided.
func planOf(v view, r result) plan.Plan {
	summarize(v, r)
	status := v.want.DeepCopy()
	p := plan.Plan{
		Situation: r.situation, Requeue: r.requeue(), Events: v.events,
	}
	if !r.silent && (r.record || !equality.Semantic.DeepEqual(v.resource().Status, *status)) {
		p.Status = status
	}
	if r.record || (p.Status != nil && status.Pace == v1beta1.PaceFast && v.resource().Status.Pace != v1beta1.PaceFast) {
		p.Actions = append(p.Actions, plan.WakeClock{})
	}
	if r.record {
		p.Actions = append(p.Actions, plan.Record{Status: status, Why: "intent"})
	}
	p.Actions = append(p.Actions, r.actions...)
	if labels := labels(v); labels != nil && !v.isCanary() && v.resource().DeletionTimestamp == nil &&
		v.s.SpecProblem == "" {
		p.Finish = append(p.Finish, labels)
	}
	p.Finish = append(p.Finish, r.finish...)
	return p
}
