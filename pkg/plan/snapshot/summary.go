package snapshot

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// summarize derives from the result what people and the clock read: situation, conditions, pace.
func summarize(v view, result result) {
	v.want.Situation = string(result.situation)
	wanted := []metav1.Condition{accepted(v)}
	if result.jobDown {
		wanted = append(wanted, metav1.Condition{
			Type: summary.JobRunning, Status: metav1.ConditionFalse, Reason: string(plan.ReasonJobNotRunning),
			Message: result.wait.message,
		})
	}
	switch {
	case result.stall.reason != "":
		wanted = append(wanted, metav1.Condition{
			Type: summary.Stalled, Status: metav1.ConditionTrue, Reason: string(result.stall.reason),
			Message: result.stall.message,
		})
	case result.wait.reason != "":
		wanted = append(wanted, metav1.Condition{
			Type: summary.Reconciling, Status: metav1.ConditionTrue, Reason: string(result.wait.reason),
			Message: result.wait.message,
		})
	}
	for i := range wanted {
		wanted[i].Message = v.hide(wanted[i].Message)
	}
	r := v.resource()
	v.want.ObservedGeneration = r.Generation
	v.want.Conditions = summary.SetConditions(r.Status.Conditions, summary.At{
		Now: v.s.Now, Generation: r.Generation,
	}, wanted...)
	v.want.Wait = waitOf(result)
	setPace(v, result)
}

// waitOf is what status.wait says.
func waitOf(r result) *v1beta1.Wait {
	cause := plan.Cause{Reason: r.wait.reason, Until: r.until, Then: r.then}
	if !r.retryAt.IsZero() {
		cause.Until, cause.Then = r.retryAt, plan.ThenTriedAgain
	}
	if r.stall.reason != "" || r.wait.reason == "" {
		return nil
	}
	return status.Wait(cause, r.situation)
}

func accepted(v view) metav1.Condition {
	c := metav1.Condition{
		Type: summary.SpecAccepted, Status: metav1.ConditionTrue, Reason: string(plan.ReasonAccepted),
		Message: "the spec is valid",
	}
	if v.problem != "" && !v.isFinal() {
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, "ValidationFailed", v.problem
	}
	return c
}

// setPace keeps the clock fast while something is under way.
func setPace(v view, r result) {
	v.want.Pace, v.want.PaceSince = plan.Movement{
		Now: v.s.Now, Moves: r.wait.reason != "", Attempt: r.retryAt, Since: v.want.PaceSince, Begins: r.record,
	}.Pace()
}
