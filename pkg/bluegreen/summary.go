package bluegreen

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// ingressCondition says whether the Ingress is as the spec asks; nil when the spec asks for none.
//
//	the spec's Ingress   the one that is there   it failed before   IngressReady
//	cannot be made       -                       -                  False CannotRender
//	-                    of another owner        -                  False ForeignObject
//	-                    as wanted               -                  True
//	-                    another, or none        yes                as it was
//	-                    another, or none        no                 False Applying
func (v *view) ingressCondition(next *v1beta1.FlinkBlueGreenDeploymentStatus) *metav1.Condition {
	colour := colourOf(next.BlueGreenState)
	if v.Resource.Spec.Ingress == nil || !v.managesIngress() || v.Ingress.IsUnknown() || colour == "" {
		return v.condition(summary.IngressReady)
	}
	if next.Transition != nil && next.Transition.From != "" && next.Transition.Step != v1beta1.BlueGreenRetired {
		return v.condition(summary.IngressReady) // the side that serves is about to change
	}
	c := metav1.Condition{Type: summary.IngressReady, Status: metav1.ConditionFalse}
	wanted, err := v.ingressOf(colour)
	there, present := v.Ingress.Get()
	switch {
	case err != nil:
		c.Reason, c.Message = "CannotRender", err.Error()
	case present && !v.owned(there):
		c.Reason = "ForeignObject"
		c.Message = "there is an Ingress " + there.Name + " that is not this resource's; rename or delete it"
	case present && render.SameIngress(there, wanted):
		c.Status, c.Reason, c.Message = metav1.ConditionTrue, "Applied", "the Ingress matches the spec"
	case v.ingressFailed() != nil:
		return v.ingressFailed()
	default:
		c.Reason, c.Message = "Applying", "the Ingress does not match the spec yet"
	}
	return &c
}

// summarize adds to the next status what people and the clock read: situation, conditions, pace.
func summarize(v view, d Decision, next *v1beta1.FlinkBlueGreenDeploymentStatus) {
	next.Situation = string(d.Situation)
	next.ObservedGeneration = v.Resource.Generation
	wanted := []metav1.Condition{v.acceptedCondition(d)}
	if active := v.ours(v.active); active != nil {
		wanted = append(wanted, jobRunning(active))
	}
	if c := v.ingressCondition(next); c != nil {
		wanted = append(wanted, *c)
	}
	if d.Unsafe != "" {
		wanted = append(wanted, metav1.Condition{
			Type:    summary.StateSafe,
			Status:  metav1.ConditionFalse,
			Reason:  string(plan.ReasonSideMissing),
			Message: d.Unsafe,
		})
	}
	switch stall := v.stall(d); {
	case stall.Reason != "":
		wanted = append(wanted, metav1.Condition{
			Type: summary.Stalled, Status: metav1.ConditionTrue, Reason: string(stall.Reason), Message: stall.Message,
		})
	case d.Wait.Reason != "":
		wanted = append(wanted, metav1.Condition{
			Type: summary.Reconciling, Status: metav1.ConditionTrue, Reason: string(d.Wait.Reason), Message: d.Wait.Message,
		})
	}
	for i := range wanted {
		wanted[i].Message = v.hide(wanted[i].Message)
	}
	next.Conditions = summary.SetConditions(v.Resource.Status.Conditions, summary.At{
		Now: v.Now, Generation: v.Resource.Generation,
	}, wanted...)
	next.Wait = v.waitOf(d, next)
	movement := plan.Movement{
		Now: v.Now, Since: next.PaceSince,
		// gates may wait for hours, and each look at them asks Flink and more: a sweep is often enough
		Moves:  d.Again || d.Wait.Reason != "" && d.Situation != Gated,
		Begins: next.Transition != nil && (v.transition() == nil || v.transition().Step != next.Transition.Step),
	}
	if next.Retry != nil && next.Transition == nil {
		movement.Attempt = next.Retry.After.Time
	}
	next.Pace, next.PaceSince = movement.Pace()
}

// waitOf is what status.wait says. A side that is to become ready has its deadline in status.
func (v *view) waitOf(d Decision, next *v1beta1.FlinkBlueGreenDeploymentStatus) *v1beta1.Wait {
	wait, deadline := d.Wait, instantOf(next.AbortTimestamp)
	if v.stall(d).Reason != "" || wait.Reason == "" {
		return nil
	}
	awaits := next.Transition != nil && next.Transition.Step == v1beta1.BlueGreenAwait && d.Situation == Transitioning
	if wait.Until.IsZero() && awaits && !deadline.IsZero() {
		wait.Until, wait.Then = deadline, "the change is given up"
	}
	return status.Wait(wait, d.Situation)
}

// stall is why nothing happens: what the rule says, or a spec that does not count while nothing is under way.
func (v *view) stall(d Decision) plan.Cause {
	if d.Stall.Reason == "" && d.Wait.Reason == "" && v.problem != "" {
		return plan.Cause{Reason: plan.ReasonValidationFailed, Message: v.problem}
	}
	return d.Stall
}

func (v *view) acceptedCondition(d Decision) metav1.Condition {
	c := metav1.Condition{
		Type: summary.SpecAccepted, Status: metav1.ConditionTrue, Reason: string(plan.ReasonAccepted),
		Message: "the spec is valid",
	}
	switch {
	case v.problem != "":
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, string(plan.ReasonValidationFailed), v.problem
	case d.Refused != "":
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, string(plan.ReasonSideRefused), d.Refused
	}
	return c
}

// jobRunning is the condition of the job of the side that serves, in its own words.
func jobRunning(d *v1beta1.FlinkDeployment) metav1.Condition {
	for _, c := range d.Status.Conditions {
		if c.Type == summary.JobRunning {
			return metav1.Condition{Type: c.Type, Status: c.Status, Reason: c.Reason, Message: c.Message}
		}
	}
	c := metav1.Condition{
		Type: summary.JobRunning, Status: metav1.ConditionFalse, Reason: string(plan.ReasonJobNotRunning),
		Message: "FlinkDeployment " + d.Name + " has no running job",
	}
	if d.Spec.Job.DesiredState() == v1beta1.JobStateSuspended {
		c.Reason, c.Message = summary.ReasonSuspended, "the job is suspended, as the spec asks"
	} else if d.Status.JobStatus.State == v1beta1.FlinkJobRunning {
		c.Status, c.Reason, c.Message = metav1.ConditionTrue, summary.JobRunning, "the job is RUNNING"
	}
	return c
}

// told are the events of what the look found, beside those of the rule.
func (v *view) told(d Decision) []plan.Event {
	var events []plan.Event
	if v.problem != "" && d.Situation != plan.Deleting {
		if c := v.condition(
			summary.SpecAccepted,
		); c == nil ||
			c.Message != summary.OneLine(v.problem, summary.MaxMessageLength) {
			events = append(events, plan.Event{Warning: true, Reason: plan.ReasonValidationError, Message: v.headline})
		}
	}
	return events
}
