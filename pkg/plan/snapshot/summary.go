package snapshot

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// fastFor bounds how long one transition keeps the clock at its fastest; longer waits are looked at by the sweep.
const fastFor = 15 * time.Minute

// summarize derives from the result what people and the clock read: situation, conditions, pace.
func (v *view) summarize(o result) {
	v.want.Situation = string(o.situation)
	wanted := []metav1.Condition{v.accepted()}
	if o.jobDown {
		wanted = append(wanted, metav1.Condition{
			Type: summary.JobRunning, Status: metav1.ConditionFalse, Reason: string(plan.ReasonJobNotRunning),
			Message: o.wait.message,
		})
	}
	switch {
	case o.stall.reason != "":
		wanted = append(wanted, metav1.Condition{
			Type: summary.Stalled, Status: metav1.ConditionTrue, Reason: string(o.stall.reason), Message: o.stall.message,
		})
	case o.wait.reason != "":
		wanted = append(wanted, metav1.Condition{
			Type: summary.Reconciling, Status: metav1.ConditionTrue, Reason: string(o.wait.reason), Message: o.wait.message,
		})
	}
	for i := range wanted {
		wanted[i].Message = v.hide(wanted[i].Message)
	}
	r := v.resource()
	v.want.Conditions = summary.SetConditions(r.Status.Conditions, summary.At{
		Now: v.s.Now, Generation: r.Generation,
	}, wanted...)
	v.setPace(o)
}

func (v *view) accepted() metav1.Condition {
	c := metav1.Condition{
		Type: summary.SpecAccepted, Status: metav1.ConditionTrue, Reason: string(plan.ReasonAccepted),
		Message: "the spec is valid",
	}
	if v.problem != "" && !v.isFinal() {
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, "ValidationFailed", v.problem
	}
	return c
}

// setPace keeps the clock fast while something is under way, for at most fastFor after it began. When it began is
// stored, so that a repeated look moves nothing.
//
//	under way              began            pace
//	no, or slow            forgotten        slow
//	yes, and a new record  now              fast
//	yes                    now, if new      fast for fastFor, then slow
func (v *view) setPace(o result) {
	v.want.Pace = v1beta1.PaceSlow
	if o.wait.reason == "" || o.slow {
		v.want.PaceSince = nil
		return
	}
	if v.want.PaceSince == nil || o.record {
		v.want.PaceSince = timeOrNil(v.now())
	}
	if v.s.Now.Before(v.want.PaceSince.Add(fastFor)) {
		v.want.Pace = v1beta1.PaceFast
	}
}

func timeOrNil(t time.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	at := metav1.NewTime(t)
	return &at
}
