package bluegreen

import (
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Decision is what one look decided.
type Decision struct {
	// Situation is the one word for what was found.
	Situation plan.Situation
	// Rule is the name of the rule that decided.
	Rule string
	// Status is the next one, without what finish adds: conditions, pace, situation. Nil leaves it as it is.
	Status *v1beta1.FlinkBlueGreenDeploymentStatus
	// Ahead stores the status before the actions.
	Ahead bool
	// Actions are carried out in order; Finish are those that follow the status.
	Actions, Finish []plan.Action
	// Again asks for another round at once, Soon for a look in a moment.
	Again, Soon bool
	// Wait says what is under way, Stall why nothing happens until somebody acts; zero when it is not so.
	Wait, Stall plan.Cause
	// Unsafe says why no state is known to start from; empty when one is, or none is needed.
	Unsafe string
	// Events are told.
	Events []plan.Event
	// Refused says why a side was refused; empty when none was.
	Refused string
}

// rule gives a decision, or that another rule decides.
type rule func(v view) (Decision, bool)

// rules in their order; the first that decides counts.
//
//	deleting     the resource is marked for deletion
//	canary       the resource only tests an operator
//	unreadable   its status cannot be read, names an unknown state, or was stored for another resource
//	adopted      the Java operator left a change under way
//	carried      a change is under way
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
	{"invalid", invalid}, {"never", never}, {"lost", lost}, {"same", same}, {"tried", tried},
	{"backingOff", backingOff}, {"inPlace", inPlace}, {"transition", transition},
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

// Make is the plan of the decision.
func Make(s Snapshot) plan.Plan {
	v := newView(s)
	return finish(v, decide(v))
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
	return Decision{Situation: plan.Steady}, v.Resource.Labels[v1beta1.LabelCanary] == "true"
}

func unreadable(v view) (Decision, bool) {
	status := v.Resource.Status
	stall := func(situation plan.Situation, reason plan.Reason, message string) (Decision, bool) {
		return Decision{Situation: situation, Stall: plan.Cause{Reason: reason, Message: message}}, true
	}
	switch {
	case v.unreadable != "":
		return stall(plan.Unobservable, plan.ReasonStatusUnreadable,
			"status.lastReconciledSpec: "+v.unreadable+"; nothing is done until it can be read")
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

// next is a copy of the stored status, for a rule to say what it becomes.
func (v *view) next() *v1beta1.FlinkBlueGreenDeploymentStatus { return v.Resource.Status.DeepCopy() }

// finish makes the plan: the one place where a decision becomes a status.
func finish(v view, d Decision) plan.Plan {
	p := plan.Plan{Situation: d.Situation, Rule: d.Rule, Finish: d.Finish}
	switch {
	case d.Again:
		p.Requeue = plan.RequeueNow
	case d.Soon:
		p.Requeue = plan.RequeueSoon
	}
	if v.Resource.DeletionTimestamp != nil ||
		d.Situation == plan.Steady && v.Resource.Labels[v1beta1.LabelCanary] == "true" {
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
	status.Error = v.hide(status.Error)
	summarize(v, d, status)
	if d.Ahead || !equality.Semantic.DeepEqual(v.Resource.Status, *status) {
		p.Status = status
	}
	for _, e := range append(d.Events, v.told(d)...) {
		e.Message = v.hide(e.Message)
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
