package shown

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/subject"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// Verdict is what a rule decided, as far as it shows in status.
type Verdict struct {
	// Situation is what the round found.
	Situation plan.Situation
	// Stall says why nothing will happen until someone acts; nil when it is not so.
	Stall *Cause
	// Wait says what is waited for; zero for the situation's own words.
	Wait Cause
}

// Cause is a reason, one CamelCase word, and a message, one line.
type Cause struct {
	// Reason is one CamelCase word.
	Reason plan.Reason
	// Message is one line.
	Message string
}

// fastFor bounds how long one transition keeps the clock at its fastest; longer waits are looked at by the sweep.
const fastFor = 15 * time.Minute

// moving are the situations in which something is under way that a next look may carry on.
var moving = map[plan.Situation]bool{
	plan.Deleting: true, plan.Stopping: true, plan.Starting: true, plan.FirstStart: true, plan.Upgrade: true,
	plan.Suspend: true, plan.Resume: true, plan.Lost: true, plan.Waiting: true, plan.Unobservable: true,
}

// Summarize derives from the result and the status what people and the clock read: situation, conditions, lifecycle
// state, pace.
func Summarize(v *subject.Subject, o Verdict) {
	v.Want.Situation = string(o.Situation)
	if o.Stall == nil && v.Problem != "" {
		o.Stall = &Cause{plan.ReasonValidationFailed, v.Problem}
	}
	resource := *v.Resource()
	resource.Status = v.Want
	v.Want.LifecycleState = summary.DeploymentLifecycle(&resource)
	setConditions(v, o)
	setGenerations(v)
	inFlight := len(snapshots.Pending(v.Want.JobStatus)) > 0
	next := v.NextAttempt(o.Wait.Reason)
	far := next.Sub(v.Seen.Now) > sleeps && !inFlight && o.Stall == nil
	setPace(v, !far && (moving[o.Situation] || inFlight) && (o.Stall == nil || o.Stall.Reason == "ValidationFailed"))
}

// setGenerations says which spec was judged and, where that is another one, which one is deployed. Each look judges the
// spec that it sees.
func setGenerations(v *subject.Subject) {
	v.Want.ObservedGeneration, v.Want.DeployedGeneration = v.Resource().Generation, nil
	if v.Want.ReconciliationStatus.LastReconciledSpec != "" && v.Deployed != v.Want.ObservedGeneration {
		deployed := v.Deployed
		v.Want.DeployedGeneration = &deployed
	}
}

// sleeps is the longest wait for a next attempt at which the clock ticks on; a longer one is the sweep's.
const sleeps = time.Minute

// setPace keeps the clock fast while the resource moves, for at most fastFor after the move began. When it began is
// stored, so that a repeated look moves nothing.
//
//	moves   began                       pace
//	no      forgotten                   slow
//	yes     now, if new or a new intent fast
//	yes     less than fastFor ago       fast
//	yes     longer ago                  slow
func setPace(v *subject.Subject, moves bool) {
	v.Want.Pace = v1beta1.PaceSlow
	if !moves {
		v.Want.PaceSince = nil
		return
	}
	if v.Want.PaceSince == nil || v.StoresIntent() {
		now := v.Now()
		v.Want.PaceSince = &now
	}
	if v.Seen.Now.Before(v.Want.PaceSince.Add(fastFor)) {
		v.Want.Pace = v1beta1.PaceFast
	}
}
