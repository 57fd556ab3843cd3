package bluegreen

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func (v *view) terminating(colour v1beta1.BlueGreenType) plan.Cause {
	return plan.Cause{
		Reason: plan.ReasonSideTerminating, Message: "FlinkDeployment " + v.name(colour) + " is being deleted",
	}
}

// retiring stores that the target serves, moves the Ingress to it, and then deletes the old side.
func (v *view) retiring(t v1beta1.BlueGreenTransition, old *v1beta1.FlinkDeployment) Decision {
	d := v.at(t, Retiring, v.terminating(t.From))
	d.Soon, d.Again = true, true
	if v.ingressFailed() == nil {
		v.moveIngress(t.Target, &d)
	}
	d.Actions = append(d.Actions, v.deletion(old))
	return d
}

// retire deletes the old side. From here on the target serves, ready or not.
func retire(v view, t v1beta1.BlueGreenTransition) Decision {
	side := v.Side(t.From)
	old, there := side.Get()
	switch {
	case side.IsUnknown():
		return v.at(t, Retiring, unobservable("FlinkDeployment "+v.name(t.From), side.Why()).Wait)
	case there && old.UID == t.RetiredUID && old.DeletionTimestamp == nil:
		return v.retiring(t, old)
	case there && old.UID == t.RetiredUID:
		return v.serves(t, old)
	}
	return v.serves(t, nil)
}

// serves records that the target is the active side. A change is open until the old one is gone.
func (v *view) serves(t v1beta1.BlueGreenTransition, old *v1beta1.FlinkDeployment) Decision {
	next := v.next()
	d := Decision{Situation: Retiring, Status: next, Ahead: true, Again: true}
	next.LastReconciledSpec = t.Spec
	next.BlueGreenState = activeState(t.Target)
	next.JobStatus.State, next.Error = v1beta1.FlinkJobRunning, ""
	next.AbortTimestamp, next.DeploymentReadyTimestamp = v1beta1.BlueGreenTimeReset, v1beta1.BlueGreenTimeReset
	next.SavepointTriggerID, next.FailedAttempt, next.Retry = "", nil, nil
	message := "FlinkDeployment " + v.name(t.Target) + " serves"
	if t.From != "" {
		message += " in place of FlinkDeployment " + v.name(t.From)
	}
	d.Events = []plan.Event{{
		Reason: plan.ReasonTransitionCompleted, Once: true, Key: t.OperationID, Message: message,
	}}
	if old == nil {
		next.Transition = nil
		d.Situation = plan.Steady
		return d
	}
	t.Step, t.Since = v1beta1.BlueGreenRetired, metav1.NewTime(v.now())
	t.Spec, t.Path = "", ""
	next.Transition = &t
	d.Wait = v.terminating(t.From)
	return d
}

// retired waits until the old side is gone.
func retired(v view, t v1beta1.BlueGreenTransition) Decision {
	side := v.Side(t.From)
	old, there := side.Get()
	d := Decision{Situation: Retiring, Status: v.next(), Wait: v.terminating(t.From)}
	switch {
	case side.IsUnknown():
		d.Wait = unobservable("FlinkDeployment "+v.name(t.From), side.Why()).Wait
		return d
	case there && old.UID == t.RetiredUID && old.DeletionTimestamp == nil: // its deletion was not accepted after all
		d.Actions = []plan.Action{v.deletion(old)}
	case there && old.UID == t.RetiredUID:
		v.overdue(&d, old)
	default:
		d.Status.Transition = nil
		d.Again, d.Ahead = true, true
		return d
	}
	if serving := v.ours(t.Target); serving != nil {
		v.maintain(serving, &d)
	}
	return d
}

// overdue says that a side which is being deleted is not gone in time.
func (v *view) overdue(d *Decision, side *v1beta1.FlinkDeployment) {
	if side.DeletionTimestamp == nil || v.now().Before(side.DeletionTimestamp.Add(v.cleanupTimeout(side))) {
		return
	}
	wait, stall := notReady(side)
	if stall.Reason != "" {
		wait = stall
	}
	d.Wait, d.Stall = plan.Cause{}, plan.Cause{
		Reason: plan.ReasonSideTerminating,
		Message: fmt.Sprintf(
			"FlinkDeployment %s (UID %s) is being deleted since %s and is not gone; look at what holds it: %s",
			side.Name, side.UID, side.DeletionTimestamp.UTC().Format(time.RFC3339), wait.Message,
		),
	}
}
