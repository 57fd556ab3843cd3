package shown

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
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
	m := plan.Movement{
		Now: v.Seen.Now, Since: v.Want.PaceSince, Begins: v.StoresIntent(),
		Moves: (moving[o.Situation] || inFlight) && (o.Stall == nil || o.Stall.Reason == plan.ReasonValidationFailed),
	}
	if o.Stall == nil && !inFlight {
		m.Attempt = v.NextAttempt(o.Wait.Reason)
	}
	v.Want.Pace, v.Want.PaceSince = m.Pace()
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
