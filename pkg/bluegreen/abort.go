package bluegreen

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// givenUp stores that the target is given up, and tells it after what was told before.
func (v *view) givenUp(t v1beta1.BlueGreenTransition, why string, told []plan.Event) Decision {
	t.Step, t.Reason, t.Message = v1beta1.BlueGreenAbort, string(plan.ReasonTransitionAborted), why
	stored := v.at(t, Aborting, v.aborting(t))
	stored.Events = append(told, plan.Event{
		Warning: true, Reason: plan.ReasonTransitionAborted, Once: true, Key: t.OperationID, Message: t.Message +
			gone(t) + servesOn(v, t),
	})
	return stored
}

// abort suspends a target that did not become ready in time; decided once, it is carried to its end. One that was
// to be handed over to is deleted.
func abort(v view, t v1beta1.BlueGreenTransition) Decision {
	side := v.Side(t.Target)
	d := v.ours(t.Target)
	wait := v.at(t, Aborting, v.aborting(t))
	switch {
	case side.IsUnknown():
		wait.Wait = unobservable("FlinkDeployment "+v.name(t.Target), side.Why()).Wait
		return wait
	case d == nil || d.UID != t.ChildUID || !t.Split && suspended(d):
		return v.aborted(t)
	case t.Split && d.DeletionTimestamp == nil: // it has no state, and its cluster would run on
		wait.Actions, wait.Soon = v.deletion(t.Target), true
		return wait
	case d.DeletionTimestamp != nil:
		v.goes(&wait, d)
		return wait
	case d.Spec.Job.DesiredState() != v1beta1.JobStateSuspended:
		wait.Actions, wait.Soon = []plan.Action{plan.SuspendSide{
			Namespace: d.Namespace, Name: d.Name, UID: d.UID, Generation: d.Generation,
		}}, true
		return wait
	}
	if v.now().After(t.Since.Add(v.cleanupTimeout(d))) {
		wait.Wait, wait.Stall = plan.Cause{}, plan.Cause{
			Reason:  plan.ReasonTransitionAborted,
			Message: t.Message + "; it is not suspended yet" + stateOf(d) + servesOn(&v, t),
		}
	}
	return wait
}

// aborted records that the target was given up.
func (v *view) aborted(t v1beta1.BlueGreenTransition) Decision {
	back := restState(t.From)
	text := fmt.Sprintf("Aborting deployment '%s', rolling B/G deployment back to %s", v.name(t.Target), back)
	d := v.closed(v1beta1.FlinkJobFailing, text)
	d.Status.BlueGreenState = back
	d.Status.FailedAttempt = &v1beta1.BlueGreenAttempt{
		SpecHash: t.SpecHash, Time: metav1.NewTime(v.now()), Reason: t.Reason, Message: t.Message,
	}
	d.Situation = Aborting
	d.Wait, d.Stall = plan.Cause{}, plan.Cause{Reason: plan.ReasonTransitionAborted, Message: t.Message}
	return d
}

// withdraw deletes a target that is not wanted any more.
func withdraw(v view, t v1beta1.BlueGreenTransition) Decision {
	side := v.Side(t.Target)
	d := v.ours(t.Target)
	wait := v.at(t, Withdrawing, v.terminating(t.Target))
	switch {
	case side.IsUnknown():
		wait.Wait = unobservable("FlinkDeployment "+v.name(t.Target), side.Why()).Wait
	case d == nil || d.UID != t.ChildUID:
		if t.Handover != nil && t.Handover.Upgrade && v.change == specdiff.BlueGreenTransition {
			return v.beginInPlace(v.active)
		}
		return v.closed(v1beta1.FlinkJobRunning, "")
	case d.DeletionTimestamp == nil:
		wait.Actions, wait.Soon = v.deletion(t.Target), true
	default:
		v.goes(&wait, d)
	}
	return wait
}
