package bluegreen

import (
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// MakeFailed shows an action that failed, in the status that the round left behind. First match wins; false means that
// the error speaks for itself and the next look tries again.
//
//	action                       kind of the error   then
//	TriggerSavepoint             Invalid             the change fails: it is tried again with growing pauses
//	CreateSide                   Invalid             the spec counts as tried; corrected, it is tried at once
//	ReplaceSide of the target    Invalid             the same, and the change goes on with the spec that it had
//	ReplaceSide in place         Invalid             the same; the side is left as it is
//	ApplyIngress, DeleteIngress  any                 the condition of the Ingress says so, and holds nothing up
//	any other                    -                   -
func MakeFailed(
	s Snapshot, left v1beta1.FlinkBlueGreenDeploymentStatus, action plan.Action, err error,
) (plan.Plan, bool) {
	isIngress := false
	switch action.(type) {
	case plan.ApplyIngress, plan.DeleteIngress:
		isIngress = true
	}
	if action == nil || fail.KindOf(err) != fail.Invalid && !isIngress {
		return plan.Plan{}, false
	}
	resource := s.Resource.DeepCopy()
	resource.Status = *left.DeepCopy()
	s.Resource = resource
	v := newView(s)
	message := v.hide(fail.Message(err))
	if isIngress {
		return v.ingressNotMade(message), true
	}
	t := v.transition()
	if t == nil {
		return plan.Plan{}, false
	}
	var d Decision
	switch action := action.(type) {
	case plan.TriggerSavepoint:
		d = v.notTriggered(message)
	case plan.CreateSide:
		d = v.refused(*t, "Could not start Transition. Details: "+message)
	case plan.ReplaceSide:
		d = v.refused(*t, "FlinkDeployment "+action.Name+" could not be changed: "+message)
	default:
		return plan.Plan{}, false
	}
	d.Ahead, d.Again = false, false
	return finish(v, d), true
}

// notTriggered ends a change whose savepoint could not be asked for.
func (v *view) notTriggered(details string) Decision {
	return v.fails(plan.ReasonTransitionFailed, "Could not trigger Savepoint. Details: "+details)
}

// failed ends a change whose savepoint was not made.
func (v *view) failed(details string) Decision {
	return v.fails(plan.ReasonTransitionFailed, "Could not start Transition. Details: "+details)
}

// fails ends a change that is tried again with growing pauses. The side that serves was not touched.
func (v *view) fails(reason plan.Reason, text string) Decision {
	d := v.closed(v1beta1.FlinkJobFailing, text)
	d.Situation = Held
	d.Status.Retry = backoff.Failed(
		v.Resource.Status.Retry, v.Resource.Generation, metav1.NewTime(v.now()), string(reason), text,
	)
	d.Again = false
	d.Wait = plan.Cause{Reason: reason, Message: text + "; it is tried again"}
	d.Events = []plan.Event{{Warning: true, Reason: reason, Message: text, Once: true, Key: text}}
	return d
}

// refused notes that the API server, or admission, does not take the FlinkDeployment of a spec.
func (v *view) refused(t v1beta1.BlueGreenTransition, text string) Decision {
	attempt := &v1beta1.BlueGreenAttempt{
		SpecHash: t.SpecHash, Time: metav1.NewTime(v.now()), Reason: string(plan.ReasonSideRefused), Message: text,
	}
	d := v.closed(v1beta1.FlinkJobFailing, text)
	d.Situation = Held
	d.Status.FailedAttempt = attempt
	if t.Step == v1beta1.BlueGreenAwait { // the target is there, with the spec before
		d.Status.Transition = t.DeepCopy()
		d.Status.BlueGreenState = transitioningState(t.Target)
		d.Status.AbortTimestamp = v.Resource.Status.AbortTimestamp
	}
	d.Refused, d.Stall = text, plan.Cause{
		Reason:  plan.ReasonSideRefused,
		Message: text + ". Correct spec.template.spec",
	}
	d.Events = []plan.Event{{Warning: true, Reason: plan.ReasonSideRefused, Message: text, Once: true, Key: text}}
	return d
}

// ingressNotMade shows that the Ingress could not be made, changed or removed. The sides are as well as before.
func (v *view) ingressNotMade(message string) plan.Plan {
	text := "the Ingress could not be made, changed or removed: " + message
	p := plan.Plan{Situation: plan.Situation(v.Resource.Status.Situation)}
	if before := v.ingressFailed(); before == nil || before.Message != text {
		p.Events = []plan.Event{{
			Warning: true, Reason: plan.ReasonIngressFailed, Component: plan.ComponentOperator, Message: text,
		}}
	}
	next := v.next()
	next.Conditions = status.With(next.Conditions, metav1.Condition{
		Type:    summary.IngressReady,
		Status:  metav1.ConditionFalse,
		Reason:  string(plan.ReasonIngressFailed),
		Message: text,
	}, summary.At{Now: v.Now, Generation: v.Resource.Generation})
	if !equality.Semantic.DeepEqual(v.Resource.Status, *next) {
		p.Status = next
	}
	return p
}
