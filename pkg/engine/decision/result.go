package decision

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Unobservable waits for what could not be looked at. Nothing is done on a guess.
func Unobservable(what, why string) Result {
	if why == "" {
		why = "not checked"
	}
	return Result{
		Situation: plan.Unobservable,
		Wait:      plan.Cause{Reason: plan.ReasonUnobservable, Message: fmt.Sprintf("%s cannot be read: %s", what, why)},
	}
}

// Result is what a rule decided, before the summary is added.
type Result struct {
	// Situation is what the rule found.
	Situation plan.Situation
	// Record is one word when the status must be stored before the actions; empty when it may follow them.
	Record string
	// First are actions that come before Record: what fails ends the round before anything is stored.
	First []plan.Action
	// Actions in order, without the ones that every intent needs (WakeClock, Record).
	Actions []plan.Action
	// Finish are actions that follow the status write.
	Finish []plan.Action
	// Last are actions that follow Finish.
	Last []plan.Action
	// Again asks for another round at once.
	Again bool
	// Tells is what this round does, for people: unlike what it found, no round that follows could tell it.
	Tells []plan.Event
	// Stall says why nothing will happen until someone acts; nil when it is not so.
	Stall *plan.Cause
	// Pods says that it is the end of pods.
	Pods bool
	// Soon says that it most likely goes on by itself within seconds, also in a situation that does not say so, or after
	// actions that end others.
	Soon bool
	// KeepsRefusal says that it is about something that failed, and no decision: what was refused before stays counted.
	KeepsRefusal bool
	// Wait says what is waited for, as a CamelCase reason and a line; empty for the situation's own words.
	Wait plan.Cause
}

// Requeue says how the pass goes on.
func (r Result) Requeue() plan.Requeue {
	switch soon := r.Stall == nil && (r.Soon || len(r.Finish) == 0 && r.Situation.EndsSoon()); {
	case r.Again:
		return plan.RequeueNow
	case soon && r.Pods:
		return plan.RequeueOnPods
	case soon:
		return plan.RequeueSoon
	}
	return ""
}
