package bluegreen

import (
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// Make is the plan of the decision.
func Make(s Snapshot) plan.Plan {
	v := newView(s)
	return finish(v, decide(v))
}

// finish makes the plan: the one place where a decision becomes a status.
func finish(v view, d Decision) plan.Plan {
	p := plan.Plan{Situation: d.Situation, Rule: d.Rule, Finish: d.Finish, Beside: d.Beside}
	switch {
	case d.Again:
		p.Requeue = plan.RequeueNow
	case d.Quick:
		p.Requeue = plan.RequeueQuick
	case d.Soon:
		p.Requeue = plan.RequeueSoon
	}
	if v.Resource.DeletionTimestamp != nil ||
		d.Situation == plan.Steady && v.isCanary() {
		return p
	}
	status := d.Status
	if status == nil {
		status = v.next()
	}
	clocked(v, status)
	moved := status.BlueGreenState != v.Resource.Status.BlueGreenState ||
		status.JobStatus.State != v.Resource.Status.JobStatus.State ||
		status.LastReconciledSpec != v.Resource.Status.LastReconciledSpec
	if moved {
		status.LastReconciledTimestamp = v.instant()
	}
	v.tidy(status)
	summarize(v, d, status)
	if d.Ahead || !equality.Semantic.DeepEqual(v.Resource.Status, *status) {
		p.Status = status
	}
	for _, e := range append(d.Events, v.told(d)...) {
		e.Message = v.hide(summary.OneLine(e.Message, summary.MaxMessageLength))
		if e.Component == "" {
			e.Component = plan.ComponentOperator
		}
		p.Events = append(p.Events, e)
	}
	if d.Ahead || (p.Status != nil && status.Pace == v1beta1.PaceFast && v.Resource.Status.Pace != v1beta1.PaceFast) {
		p.Actions = append(p.Actions, plan.WakeClock{})
	}
	if d.Ahead {
		p.Actions = append(p.Actions, plan.Record{Status: status, Why: "intent"})
	}
	p.Actions = append(p.Actions, d.Actions...)
	return p
}

// tidy leaves secrets, and what is no character of a line, out of the texts of a status: they quote what Flink,
// services, admission and the sides say. Only the path that the side starts from, and the specs, stay as they are.
func (v *view) tidy(status *v1beta1.FlinkBlueGreenDeploymentStatus) {
	texts := []*string{&status.Error}
	if status.Retry != nil {
		texts = append(texts, &status.Retry.Message)
	}
	if status.FailedAttempt != nil {
		texts = append(texts, &status.FailedAttempt.Message)
	}
	if t := status.Transition; t != nil {
		texts = append(texts, &t.Message)
		for i := range t.Gates {
			texts = append(texts, &t.Gates[i].Message)
		}
	}
	for _, text := range texts {
		*text = v.hide(summary.OneLine(*text, summary.MaxMessageLength))
	}
}

// MakeFailed shows an action that failed, in the status that the round left behind. First match wins; false means that
// the error speaks for itself and the next look tries again.
//
//	action                       kind of the error   then
//	TriggerSavepoint             Invalid             the change fails: it is tried again with growing pauses
//	CreateSide                   Invalid             the spec counts as tried; corrected, it is tried at once
//	ReplaceSide of the target    Invalid             the same, and the change goes on with the spec that it had
//	ReplaceSide in place         Invalid             the same; the side is left as it is
//	PlanJar                      Denied              the change is given up: main of the new job failed
//	ApplyIngress, DeleteIngress  any                 the condition of the Ingress says so, and holds nothing up
//	any other                    -                   -
func MakeFailed(
	s Snapshot, left v1beta1.FlinkBlueGreenDeploymentStatus, action plan.Action, err error,
) (plan.Plan, bool) {
	isIngress, told := false, fail.KindOf(err) == fail.Invalid
	switch action.(type) {
	case plan.ApplyIngress, plan.DeleteIngress:
		isIngress, told = true, true
	case plan.PlanJar:
		told = fail.KindOf(err) == fail.Denied
	}
	if action == nil || !told {
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
	case plan.PlanJar:
		d = v.givenUp(*t, "main of the new job failed: "+message, nil)
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
