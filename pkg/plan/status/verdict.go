package status

import "github.com/kn-flink/kn-flink/pkg/plan"

// Verdict is what a rule decided, as far as it shows in status.
type Verdict struct {
	// Situation is what the round found.
	Situation plan.Situation
	// Stall says why nothing will happen until someone acts; nil when it is not so.
	Stall *plan.Cause
	// Wait says what is waited for; zero for the situation's own words.
	Wait plan.Cause
	// PodFailure says why the JobManager does not start; nil when nothing says so.
	PodFailure *plan.Cause
}

// moving are the situations in which something is under way that a next look may carry on.
var moving = map[plan.Situation]bool{
	plan.Deleting: true, plan.Stopping: true, plan.Starting: true, plan.FirstStart: true, plan.Upgrade: true,
	plan.Suspend: true, plan.Resume: true, plan.Lost: true, plan.Waiting: true, plan.Unobservable: true,
}

// Moving reports whether something is under way in a situation.
func Moving(s plan.Situation) bool { return moving[s] }
