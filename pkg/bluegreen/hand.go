package bluegreen

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen/handover"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// hand carries a handover on, as package handover decides. A target whose resources are gone before anything ran on it
// is made anew.
func hand(v view, t v1beta1.BlueGreenTransition) Decision {
	if t.Handover == nil {
		return Decision{Situation: plan.Unobservable, Stall: plan.Cause{
			Reason: plan.ReasonStatusUnreadable, Message: "status.transition is at step " + string(t.Step) +
				" and has no handover; nothing is done until it can be read",
		}}
	}
	if d, remade := v.remade(t); remade {
		return d
	}
	if t.Step == v1beta1.BlueGreenWarm && v.Resource.Annotations[v1beta1.AnnotationAbort] == t.OperationID {
		return v.givenUp(t, "a user has aborted the change to FlinkDeployment "+v.name(t.Target), nil)
	}
	seen := v.handoverSeen(t)
	decided := handover.Decide(seen)
	before := *t.Handover
	take(&t, decided.State, v.refusedStart(t, seen))
	v.measure(&t)
	if decided.End != handover.Goes {
		return v.handed(t, decided, seen.Cluster.NoRoom)
	}
	return v.handing(t, before, decided)
}

// remade has a target made again that is gone, or lacks one of its resources, while it is made warm.
func (v *view) remade(t v1beta1.BlueGreenTransition) (Decision, bool) {
	side := v.Side(t.Target)
	d := v.ours(t.Target)
	switch {
	case t.Step != v1beta1.BlueGreenWarm || side.IsUnknown():
		return Decision{}, false
	case d == nil || d.UID != t.ChildUID:
		t.Step, t.ChildUID = v1beta1.BlueGreenClear, ""
		return v.at(t, Clearing, v.starting(t.Target)), true
	case d.DeletionTimestamp != nil:
		wait := v.at(t, Clearing, v.terminating(t.Target))
		v.goes(&wait, d)
		return wait, true
	case v.sessionJob(t.Target) == nil:
		t.Step = v1beta1.BlueGreenCreate
		return v.at(t, Clearing, v.starting(t.Target)), true
	}
	return Decision{}, false
}

// refusedStart is the ID of the job whose start Flink refused on the target; empty for none.
func (v *view) refusedStart(t v1beta1.BlueGreenTransition, s handover.Seen) string {
	d, there := v.Side(t.Target).Get()
	if !there || t.Step != v1beta1.BlueGreenRelease || s.Target.Failed == "" || !v.Moving.Target.Unlisted {
		return ""
	}
	return jobOf(d)
}

// take stores what a decision keeps.
func take(t *v1beta1.BlueGreenTransition, s handover.State, refused string) {
	if next := v1beta1.BlueGreenStep(s.Step); next != t.Step {
		t.Step, t.Since = next, metav1.NewTime(s.Since.UTC().Truncate(time.Second))
	}
	h := *t.Handover
	h.Failures, h.Earlier, h.Why = int32(s.Failures), s.Earlier, s.Why
	if s.Step == handover.Fence && h.Refused == "" {
		h.Refused = refused
	}
	t.Handover, t.Path = &h, s.Path
}

// measure keeps when the job ended on one side and when it ran on the other, as soon as that is known.
func (v *view) measure(t *v1beta1.BlueGreenTransition) {
	h := t.Handover
	if t.Step != v1beta1.BlueGreenRelease || !h.RunningAt.IsZero() {
		return
	}
	exactly := func(at time.Time) metav1.MicroTime { return metav1.NewMicroTime(at.UTC().Truncate(time.Microsecond)) }
	switch ended := v.Moving.Serving.EndedAt; {
	case !ended.IsZero():
		h.StoppedAt = exactly(ended)
	case h.StoppedAt.IsZero():
		h.StoppedAt = exactly(v.Now)
	}
	if ran := v.Moving.Target.RunningAt; !ran.IsZero() {
		h.RunningAt = exactly(ran)
	}
}

// handing leaves a handover at the step that was decided, with its effects.
func (v *view) handing(
	t v1beta1.BlueGreenTransition, before v1beta1.BlueGreenHandover, decided handover.Decision,
) Decision {
	wait := plan.Cause{Reason: plan.ReasonHandoverWarming, Message: decided.Wait}
	situation := Transitioning
	if t.Step != v1beta1.BlueGreenWarm {
		wait.Reason, situation = plan.ReasonHandoverMoving, HandingOver
	}
	if wait.Message == "" {
		wait.Message = v.stepText(t)
	}
	d := v.at(t, situation, wait)
	if decided.Stalled {
		d.Wait, d.Stall = plan.Cause{}, plan.Cause{Reason: plan.ReasonHandoverUnknown, Message: decided.Wait}
	}
	d.Ahead = d.Ahead || decided.Stored
	d.Again = d.Again || decided.Stored
	for _, effect := range decided.Effects {
		d.Actions = append(d.Actions, v.carriedOut(t, effect, &d)...)
	}
	d.Soon = t.Step == v1beta1.BlueGreenWarm
	if t.Step != v1beta1.BlueGreenWarm && t.Handover.RunningAt.IsZero() && !decided.Stalled {
		d.Quick, d.Beside = true, v.beside(t)
	}
	if t.Handover.Why != "" && before.Why == "" && t.Step != v1beta1.BlueGreenWarm {
		d.Events = append(d.Events, plan.Event{
			Warning: true, Reason: plan.ReasonHandoverReturns, Once: true, Key: t.OperationID,
			Message: "the job returns to FlinkDeployment " + v.name(t.From) + ": " + t.Handover.Why,
		})
	}
	if stored := v.transition(); stored.Step != t.Step && t.Step == v1beta1.BlueGreenRelease {
		d.Events = append(d.Events, plan.Event{
			Reason: plan.ReasonTransitionSavepoint, Once: true, Key: t.OperationID,
			Message: "FlinkDeployment " + v.name(t.Target) + " starts from savepoint " + startOf(t),
		})
	}
	return d
}

// beside is the job whose passes this pass makes itself, because each moment of them is one without a running job.
func (v *view) beside(t v1beta1.BlueGreenTransition) []plan.Dependant {
	colour := t.From
	if t.Step == v1beta1.BlueGreenRelease || t.Step == v1beta1.BlueGreenFence {
		colour = t.Target
	}
	kind := v1beta1.KindFlinkDeployment
	if v.split(colour) {
		kind = v1beta1.KindFlinkSessionJob
	}
	return []plan.Dependant{{Kind: kind, Name: v.name(colour)}}
}

// handed ends a handover.
//
//	end         then
//	done        the target serves, and the old side is deleted
//	given up    the target is deleted, and the spec counts as tried
//	withdrawn   the target is deleted
//	upgraded    the same, and the side that serves gets the spec in place
//	redirected  the target is deleted, and a handover to the newer spec begins
func (v *view) handed(t v1beta1.BlueGreenTransition, decided handover.Decision, noRoom bool) Decision {
	why := decided.State.Why
	switch decided.End {
	case handover.Done:
		return v.handedOver(t)
	case handover.GivenUp:
		d := v.givenUp(t, why, nil)
		if noRoom {
			d.Status.Transition.Reason = string(plan.ReasonHandoverNoRoom)
			d.Events[0].Reason = plan.ReasonHandoverNoRoom
		}
		return d
	case handover.Redirected:
		return v.beginHandover(proposal{from: t.From, target: t.Target})
	}
	t.Step = v1beta1.BlueGreenWithdraw
	d := v.at(t, Withdrawing, v.terminating(t.Target))
	if decided.End == handover.Upgraded {
		d.Status.Transition.Handover.Upgrade = true
		d.Events = []plan.Event{{
			Warning: true, Reason: plan.ReasonHandoverNoRoom, Once: true, Key: t.OperationID,
			Message: why + "; FlinkDeployment " + v.name(t.From) + " is upgraded in place, as handover.fallback says",
		}}
	}
	return d
}

// handedOver has the target serve.
func (v *view) handedOver(t v1beta1.BlueGreenTransition) Decision {
	if side := v.Side(t.From); side.IsUnknown() {
		return v.at(t, HandingOver, unobservable("FlinkDeployment "+v.name(t.From), side.Why()).Wait)
	}
	old := v.ours(t.From)
	if old == nil {
		return v.serves(t, nil)
	}
	t.Step, t.RetiredUID = v1beta1.BlueGreenRetire, old.UID
	return v.retiring(t)
}
