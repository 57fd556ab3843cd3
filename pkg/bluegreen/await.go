package bluegreen

import (
	"fmt"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// await waits until the target is ready, and for the deletion delay.
//
//	the target       the spec                   the target is   the side that served   then
//	is gone          -                          -               -                      it is created again
//	-                is again that of the side  -               is there               the target is deleted
//	                 that serves
//	-                has changed                -               -                      the target gets it
//	-                a user asks to abort it     -               is there               it is given up
//	-                -                          not ready       is there               wait; abort at the deadline
//	-                -                          not ready       is gone                wait; Stalled at the deadline
//	-                -                          ready           is there               after gates and delay: retire it
//	-                -                          ready           is gone, or none       the target serves
func await(v view, t v1beta1.BlueGreenTransition) Decision {
	side := v.Side(t.Target)
	d := v.ours(t.Target)
	switch {
	case side.IsUnknown():
		return v.at(t, Transitioning, unobservable("FlinkDeployment "+v.name(t.Target), side.Why()).Wait)
	case d == nil || d.DeletionTimestamp != nil || d.UID != t.ChildUID:
		t.Step, t.ChildUID, t.ChildGeneration = v1beta1.BlueGreenClear, "", 0
		next := v.at(t, Clearing, v.starting(t.Target))
		next.Status.DeploymentReadyTimestamp = unset(next.Status.DeploymentReadyTimestamp)
		return next
	case t.From != "" && v.change == specdiff.BlueGreenIgnore:
		t.Step = v1beta1.BlueGreenWithdraw
		next := v.at(t, Withdrawing, v.terminating(t.Target))
		next.Events = []plan.Event{
			{
				Reason: plan.ReasonTransitionWithdrawn,
				Once:   true,
				Key:    t.OperationID,
				Message: "the spec is again that of FlinkDeployment " + v.name(
					t.From,
				) + "; FlinkDeployment " + d.Name + " is deleted",
			},
		}
		return next
	case v.wanted.hash != t.SpecHash && !v.wanted.suspended():
		return v.retarget(t, d)
	case d.Annotations[v1beta1.AnnotationSideSpec] != t.SpecHash && t.ChildGeneration == 0:
		return v.replaceTarget(t, d)
	case v.Resource.Annotations[v1beta1.AnnotationAbort] == t.OperationID && v.ours(t.From) != nil:
		return v.givenUp(t, "a user has aborted the change to FlinkDeployment "+d.Name, nil)
	}
	return v.awaited(t, d)
}

// awaited decides about a target that is there and has the spec of the change.
func (v *view) awaited(t v1beta1.BlueGreenTransition, d *v1beta1.FlinkDeployment) Decision {
	known := t.ChildGeneration == d.Generation
	t.ChildGeneration = d.Generation
	next := v.at(t, Transitioning, v.awaiting(t))
	readyAt := instantOf(v.Resource.Status.DeploymentReadyTimestamp)
	isReady := ready(d)
	if !isReady || !known {
		readyAt = time.Time{}
		next.Status.DeploymentReadyTimestamp = unset(next.Status.DeploymentReadyTimestamp)
		t.Gates = nil
		next.Status.Transition.Gates = nil
	}
	if !isReady {
		return v.notReadyYet(t, d, next)
	}
	if readyAt.IsZero() {
		readyAt = v.now()
		next.Status.DeploymentReadyTimestamp = v.instant()
	}
	if v.Side(t.From).IsUnknown() && t.From != "" {
		next.Wait = unobservable("FlinkDeployment "+v.name(t.From), v.Side(t.From).Why()).Wait
		return next
	}
	old := v.ours(t.From)
	if old == nil {
		return v.serves(t, nil)
	}
	if held, holds := v.gated(t, readyAt, &next); holds {
		return held
	}
	if until := readyAt.Add(v.delay()); v.now().Before(until) {
		next.Wait = plan.Cause{Reason: plan.ReasonSideReady, Message: fmt.Sprintf(
			"FlinkDeployment %s is ready; FlinkDeployment %s is deleted at %s UTC",
			d.Name, old.Name, until.UTC().Format("15:04:05"),
		), Until: until, Then: "FlinkDeployment " + old.Name + " is deleted"}
		next.Soon = until.Sub(v.now()) < 10*time.Second
		return next
	}
	t.Step, t.RetiredUID, t.Gates = v1beta1.BlueGreenRetire, old.UID, next.Status.Transition.Gates
	retires := v.retiring(t)
	retires.Events = append(next.Events, retires.Events...)
	return retires
}

func unset(text string) string {
	if text == "" {
		return ""
	}
	return v1beta1.BlueGreenTimeReset
}

// notReadyYet waits for a target, or gives it up.
func (v *view) notReadyYet(t v1beta1.BlueGreenTransition, d *v1beta1.FlinkDeployment, next Decision) Decision {
	next.Wait.Message += stateOf(d)
	deadline := instantOf(next.Status.AbortTimestamp)
	if deadline.IsZero() {
		next.Status.AbortTimestamp = v.deadline()
		return next
	}
	if !v.overDeadline(next.Status) {
		return next
	}
	old := v.Side(t.From)
	switch {
	case t.From != "" && old.IsUnknown():
		return next
	case t.From != "" && v.ours(t.From) == nil:
		next.Wait, next.Stall = plan.Cause{}, plan.Cause{
			Reason: plan.ReasonSideNotReady,
			Message: "FlinkDeployment " + d.Name + " is not ready in time, and FlinkDeployment " + v.name(t.From) +
				" is gone, so it is left as it is" + stateOf(d) + ". Correct spec.template.spec",
		}
		next.Status.JobStatus.State, next.Status.Error = v1beta1.FlinkJobFailing, next.Stall.Message
		return next
	case t.From == "" && v.recorded.known(): // the side that serves was created again: it is the only one
		next := v.closed(v1beta1.FlinkJobFailing, "FlinkDeployment "+d.Name+" is not ready in time"+stateOf(d))
		next.Status.LastReconciledSpec = t.Spec
		next.Status.BlueGreenState = activeState(t.Target)
		return next
	}
	return v.givenUp(t, fmt.Sprintf(
		"FlinkDeployment %s was not ready by %s%s", d.Name, next.Status.AbortTimestamp, stateOf(d),
	), nil)
}

// retarget gives a target that is not ready, or whose delay runs, the spec that was changed meanwhile. It starts from
// the same savepoint, as long as it has not run.
func (v *view) retarget(t v1beta1.BlueGreenTransition, d *v1beta1.FlinkDeployment) Decision {
	t.Spec, t.SpecHash, t.ChildGeneration, t.Gates = v.wanted.text, v.wanted.hash, 0, nil
	if v.change == specdiff.BlueGreenSavepointRedeploy || t.Source == nil {
		t.Path = v.wanted.path()
	}
	return v.replaceTarget(t, d)
}

// replaceTarget replaces the spec of the target by that of the change.
func (v *view) replaceTarget(t v1beta1.BlueGreenTransition, d *v1beta1.FlinkDeployment) Decision {
	replacement, err := v.replacement(t, d)
	if err != nil {
		return Decision{Situation: plan.Invalid, Stall: plan.Cause{Reason: plan.ReasonCannotRender, Message: err.Error()}}
	}
	next := v.at(t, Transitioning, v.awaiting(t))
	next.Status.AbortTimestamp = v.deadline()
	next.Status.DeploymentReadyTimestamp = unset(next.Status.DeploymentReadyTimestamp)
	next.Ahead, next.Actions = true, replacement
	return next
}
