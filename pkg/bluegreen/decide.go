package bluegreen

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// rule gives a decision, or that another rule decides.
type rule func(v view) (Decision, bool)

// rules in their order; the first that decides counts.
//
//	deleting     the resource is marked for deletion
//	canary       the resource only tests an operator
//	unreadable   its status cannot be read, names an unknown state, or was stored for another resource
//	adopted      the Java operator left a change under way
//	carried      a change is under way
//	unaccounted  a side may run that status does not account for
//	invalid      the spec was never valid, and nothing was ever made of it
//	never        nothing was ever active
//	lost         the side that serves is gone
//	same         the spec is the one that serves
//	tried        the spec was tried and given up
//	backingOff   a change failed and its next attempt is not due yet
//	inPlace      the change is made on the side that serves
//	transition   the change needs a new side
var rules = []struct {
	name   string
	decide rule
}{
	{"deleting", deleting}, {"canary", canary}, {"unreadable", unreadable}, {"adopted", adopted}, {"carried", carried},
	{"unaccounted", unaccounted}, {"invalid", invalid}, {"never", never}, {"lost", lost}, {"same", same},
	{"tried", triedBefore}, {"backingOff", backingOff}, {"inPlace", inPlace}, {"transition", newSide},
}

// Decide decides what to do for one FlinkBlueGreenDeployment. It is total: it never fails and never panics.
func Decide(s Snapshot) Decision { return decide(newView(s)) }

func decide(v view) Decision {
	for _, r := range rules {
		if d, decides := r.decide(v); decides {
			d.Rule = r.name
			return d
		}
	}
	return Decision{Situation: plan.Unobservable, Wait: plan.Cause{
		Reason: plan.ReasonUnobservable, Message: "no rule decides about what was found; please report this",
	}}
}

func deleting(v view) (Decision, bool) {
	if v.Resource.DeletionTimestamp == nil {
		return Decision{}, false
	}
	d := Decision{Situation: plan.Deleting}
	k, _ := kinds.Of(v1beta1.KindFlinkBlueGreenDeployment)
	for _, f := range v.Resource.Finalizers {
		if f == k.Finalizer() { // none of ours; nobody else would take it off
			d.Finish = []plan.Action{plan.RemoveFinalizer{Finalizer: f}}
		}
	}
	return d, true
}

func canary(v view) (Decision, bool) {
	return Decision{Situation: plan.Steady}, v.isCanary()
}

func unreadable(v view) (Decision, bool) {
	status := v.Resource.Status
	stall := func(situation plan.Situation, reason plan.Reason, message string) (Decision, bool) {
		return Decision{Situation: situation, Stall: plan.Cause{Reason: reason, Message: message}}, true
	}
	switch {
	case v.recordProblem != "":
		return stall(plan.Unobservable, plan.ReasonStatusUnreadable,
			"status.lastReconciledSpec: "+v.recordProblem+"; nothing is done until it can be read")
	case status.BlueGreenState != "" && !status.BlueGreenState.Known():
		return stall(plan.Unobservable, plan.ReasonBlueGreenStateUnknown,
			"status.blueGreenState is \""+string(status.BlueGreenState)+"\", which this version does not know; nothing is "+
				"done until it is one of the states of the documentation")
	case v.foreign():
		return stall(plan.NotOurs, plan.ReasonForeignIntent,
			"status.transition was stored for another resource; remove it to let this one begin: kubectl edit "+
				"--subresource=status")
	}
	return Decision{}, false
}

// invalid tells that nothing can be made of a spec that was never valid.
func invalid(v view) (Decision, bool) {
	if v.problem == "" || v.wanted.known() {
		return Decision{}, false
	}
	d := Decision{Situation: plan.Invalid, Stall: plan.Cause{Reason: plan.ReasonValidationFailed, Message: v.problem}}
	next := v.next()
	next.BlueGreenState = restState(v.active)
	d.Status = next
	return d, true
}
