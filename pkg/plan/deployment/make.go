package deployment

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/subject"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
	"github.com/kn-flink/kn-flink/pkg/plan/storedspec"
)

// result is what a rule decided, before the summary is added.
type result struct {
	situation plan.Situation
	// record is one word when the status must be stored before the actions; empty when it may follow them.
	record string
	// actions in order, without the ones that every intent needs (WakeClock, Record).
	actions []plan.Action
	// finish are actions that follow the status write.
	finish []plan.Action
	// again asks for another round at once.
	again bool
	// tells is what this round does, for people: unlike what it found, no round that follows could tell it.
	tells *plan.Event
	// stall says why nothing will happen until someone acts; nil when it is not so.
	stall *plan.Cause
	// pods says that it is the end of pods.
	pods bool
	// wait says what is waited for, as a CamelCase reason and a line; empty for the situation's own words.
	wait plan.Cause
}

// requeue says how the pass goes on.
func (o result) requeue() plan.Requeue {
	switch soon := o.stall == nil && len(o.finish) == 0 && o.situation.EndsSoon(); {
	case o.again:
		return plan.RequeueNow
	case soon && o.pods:
		return plan.RequeueOnPods
	case soon:
		return plan.RequeueSoon
	}
	return ""
}

// rule answers an result, or that the view is not its business.
type rule func(v *view) (result, bool)

// rules in their order; the first whose business it is decides.
//
//	canary       a resource of somebody's test, not to be touched
//	deleting     the resource is marked for deletion
//	foreign      the stored intent is another resource's
//	inFlight     (brings the snapshots that status records up to what Flink says of them, decides nothing)
//	carryOn      an intent is open: Stopping, Starting or Released
//	unreadable   the stored status cannot be read
//	takenOver    another operator was at work (brings the status up to it, decides nothing)
//	unaccounted  a Deployment or high-availability data nobody accounts for
//	first        nothing was deployed yet
//	observed     (brings the status up to what was seen, decides nothing)
//	after        a JobManager whose job has ended
//	rolledForward (records that the spec is what runs since a rollback, decides nothing)
//	change       the spec asks for another cluster, a suspension or a resumption
//	rollBack     what was deployed does not become stable
//	heal         the job runs and does not get on
//	recover      the cluster or its job is gone and should run
//	settled      everything else: broken, waiting, suspended, ended, steady
var rules = []struct {
	name   string
	decide rule
}{
	{"canary", canary}, {"deleting", deleting}, {"foreign", foreign}, {"inFlight", inFlight}, {"carryOn", carryOn},
	{"unreadable", unreadable}, {"takenOver", takenOver}, {"unaccounted", unaccounted}, {"first", first},
	{"observed", observed}, {"after", after}, {"rolledForward", rolledForward}, {"change", change},
	{"rollBack", rollBack}, {"heal", heal}, {"recover", recoverLost}, {"settled", settled},
}

// Make decides what to do for one FlinkDeployment. It is total: it never fails and never panics on any snapshot.
func Make(s Snapshot) plan.Plan {
	v := &view{Subject: subject.New(s)}
	v.Accept()
	for _, r := range rules {
		if o, mine := r.decide(v); mine {
			v.judgeIngress()
			p := v.finish(o)
			p.Rule = r.name
			return p
		}
	}
	return v.finish(result{situation: plan.Unobservable})
}

// finish adds the summary to what a rule decided.
func (v *view) finish(o result) plan.Plan {
	if v.untouched {
		return plan.Plan{Situation: o.situation, Finish: o.finish}
	}
	if v.refused != nil && o.stall != nil { // otherwise something goes on that may make room for the change
		o.stall = v.refused
		v.fail(o.stall.Reason, o.stall.Message)
	}
	v.tellNoEffect()
	var more []metav1.Condition
	if v.Ingress != nil {
		more = append(more, *v.Ingress)
	}
	v.Summarize(status.Verdict{
		Situation: o.situation, Stall: o.stall, Wait: o.wait, PodFailure: v.podFailure(),
	}, more...)
	next := v.Want.DeepCopy()
	storedspec.Shorten(next)
	if v.BeginsOperation() {
		storedspec.Reserve(next)
	}
	p := plan.Plan{
		Situation: o.situation, Finish: o.finish, Gone: v.gone(o), Requeue: o.requeue(), Events: v.Events, Notes: v.Notes,
	}
	if o.again && o.record == "" {
		next, p.Events = nil, nil // a round follows at once: that one writes and tells what both found
	}
	if o.tells != nil {
		p.Events = append(p.Events, *o.tells)
	}
	v.keepSecrets(&p)
	changes := next != nil && !status.SameMeaning(v.Resource().Status, *next)
	if changes && !p.Gone && status.OnlyTells(v.Resource().Status, *next) {
		o.actions, p.Finish = append(o.actions, p.Finish...), nil // what failed may fail again, and that is told already
	}
	if o.record != "" || changes {
		p.Status = next
	}
	if o.record != "" || (changes && next.Pace == v1beta1.PaceFast) {
		p.Actions = append(p.Actions, plan.WakeClock{})
	}
	if o.record != "" {
		p.Actions = append(p.Actions, plan.Record{Status: next, Why: o.record})
	}
	p.Actions = append(p.Actions, o.actions...)
	if v.Intent() == nil {
		p.Actions = append(p.Actions, v.requests...)
	}
	if v.fixesIngress(o) {
		p.Finish = append(p.Finish, v.ingressAction)
	}
	return p
}

// keepSecrets leaves them out of what the plan tells.
func (v *view) keepSecrets(p *plan.Plan) {
	p.Events, p.Notes = slices.Clone(p.Events), slices.Clone(p.Notes)
	for i := range p.Events {
		p.Events[i] = v.HideIn(p.Events[i])
	}
	for i := range p.Notes {
		p.Notes[i] = v.Hide(p.Notes[i])
	}
}

// gone reports whether the result removes the last finalizer of a resource that is being deleted.
func (v *view) gone(o result) bool {
	last := plan.RemoveFinalizer{Finalizer: v1beta1.FinalizerFlinkDeployment}
	r := v.Seen.Resource
	return r.DeletionTimestamp != nil && len(o.finish) == 1 && o.finish[0] == plan.Action(last) &&
		slices.Equal(r.Finalizers, []string{last.Finalizer})
}
