package deployment

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// fastFor bounds how long one transition keeps the clock at its fastest; longer waits are looked at by the sweep.
const fastFor = 15 * time.Minute

// moving are the situations in which something is under way that a next look may carry on.
var moving = map[plan.Situation]bool{
	plan.Deleting: true, plan.Stopping: true, plan.Starting: true, plan.FirstStart: true, plan.Upgrade: true,
	plan.Suspend: true, plan.Resume: true, plan.Lost: true, plan.Waiting: true, plan.Unobservable: true,
}

// summarize derives from the outcome and the status what people and the clock read: situation, conditions, lifecycle state, pace.
func (v *view) summarize(o outcome) {
	v.want.Situation = string(o.situation)
	if o.stall == nil && v.problem != "" {
		o.stall = &stall{"ValidationFailed", v.problem}
	}
	resource := *v.resource()
	resource.Status = v.want
	v.want.LifecycleState = summary.DeploymentLifecycle(&resource)
	v.setConditions(o)
	v.setPace(moving[o.situation] && (o.stall == nil || o.stall.reason == "ValidationFailed"))
}

// setPace keeps the clock fast while the resource moves, for at most fastFor after the move began. When it began is stored, so that
// a repeated look moves nothing.
//
//	moves   began                       pace
//	no      forgotten                   slow
//	yes     now, if new or a new intent fast
//	yes     less than fastFor ago       fast
//	yes     longer ago                  slow
func (v *view) setPace(moves bool) {
	v.want.Pace, v.want.NextLook = v1beta1.PaceSlow, nil
	if !moves {
		v.want.PaceSince = nil
		return
	}
	if v.want.PaceSince == nil || v.storesIntent() {
		now := v.now()
		v.want.PaceSince = &now
	}
	if until := metav1.NewTime(v.want.PaceSince.Add(fastFor)); v.s.Now.Before(until.Time) {
		v.want.Pace, v.want.NextLook = v1beta1.PaceFast, &until
	}
}

// storesIntent reports whether this round stores an intent of its own.
func (v *view) storesIntent() bool {
	stored := v.resource().Status.Intent
	return v.want.Intent != nil && (stored == nil || stored.OperationID != v.want.Intent.OperationID)
}
