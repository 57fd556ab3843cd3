package bluegreen

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// What is decided while no change is under way.

// never decides while nothing was ever active.
//
//	the spec asks for   FlinkDeployment of the first side   then
//	-                   of another owner                    Stalled
//	a suspended job     -                                   nothing is created
//	-                   not there                           it is created, from the path of the spec or without state
//	what was tried      ours                                wait for another spec
//	another spec        ours                                it gets the spec in place: what it has of state stays
func never(v view) (Decision, bool) {
	if v.active != "" || !v.wanted.known() {
		return Decision{}, false
	}
	next := v.next()
	next.BlueGreenState = restState("")
	first := v.first()
	switch d := v.Side(first); {
	case d.IsUnknown():
		return unobservable("FlinkDeployment "+ChildName(v.Resource.Name, first), d.Why()), true
	case v.stranger(first) != nil:
		return v.occupied(first), true
	case v.wanted.suspended() && d.IsAbsent():
		next.JobStatus.State = v1beta1.FlinkJobSuspended
		return Decision{Situation: plan.NeverStarted, Status: next}, true
	case v.failedBefore():
		return v.given(next), true
	case d.IsPresent():
		return v.beginInPlace(first), true
	}
	if d, waits := backingOff(v); waits {
		return d, true
	}
	return v.beginTransition(proposal{target: first, path: v.wanted.path()}), true
}

// lost decides while the side that serves is not there.
//
//	the FlinkDeployment      the change             upgradeMode   then
//	cannot be read           -                      -             look again
//	is being deleted         -                      -             wait until it is gone; Stalled in time
//	is of another owner      -                      -             Stalled
//	is gone                  SAVEPOINT_REDEPLOY     -             it is created, from the path of the spec
//	is gone                  -                      stateless     it is created, from the path of the spec, if any
//	is gone                  -                      stateful      Stalled: no state is known to start from
//	is gone                  to a suspended job     -             nothing is created
func lost(v view) (Decision, bool) {
	side := v.Side(v.active)
	name := ChildName(v.Resource.Name, v.active)
	d, there := side.Get()
	switch {
	case side.IsUnknown():
		return unobservable("FlinkDeployment "+name, side.Why()), true
	case there && !v.owns(d):
		return v.occupied(v.active), true
	case there && d.DeletionTimestamp == nil && d.Spec.Job != nil:
		return Decision{}, false
	case there && d.DeletionTimestamp == nil: // a session cluster, and the FlinkSessionJob on it is gone
	case there:
		wait := Decision{Situation: plan.Lost, Wait: plan.Cause{
			Reason: plan.ReasonSideTerminating, Message: "FlinkDeployment " + name + ", which serves, is being deleted",
		}}
		v.overdue(&wait, d) // a session cluster waits for its job, which only a user may delete
		return wait, true
	}
	redeploys := v.change == specdiff.BlueGreenSavepointRedeploy && v.wanted.path() != ""
	switch {
	case v.wanted.suspended():
		next := v.next()
		next.JobStatus.State = v1beta1.FlinkJobSuspended
		return Decision{Situation: plan.Suspended, Status: next}, true
	case redeploys || v.wanted.stateless():
		if d, waits := backingOff(v); waits {
			return d, true
		}
		d := v.beginTransition(proposal{target: v.active, path: v.wanted.path()})
		d.Events = append(d.Events, plan.Event{
			Warning: true, Reason: plan.ReasonSideMissing, Once: true, Key: d.Status.Transition.OperationID,
			Message: "FlinkDeployment " + name + ", which served, is gone; it is created again",
		})
		return d, true
	}
	why := "FlinkDeployment " + name + ", which served, is gone, and with it what is known of the state of its job. " +
		"Find the newest savepoint or checkpoint and set spec.template.spec.job.initialSavepointPath to it together with " +
		"a new savepointRedeployNonce; or set upgradeMode: stateless to begin without state"
	next := v.next()
	next.JobStatus.State, next.Error = v1beta1.FlinkJobFailing, why
	return Decision{
		Situation: plan.StateLost, Status: next, Unsafe: why,
		Stall: plan.Cause{Reason: plan.ReasonSideMissing, Message: why},
	}, true
}

// same decides while the spec is the one that serves: what people see of it, and what is left of an attempt.
func same(v view) (Decision, bool) {
	if v.change != specdiff.BlueGreenIgnore {
		return Decision{}, false
	}
	next, d := v.next(), v.ours(v.active)
	out := Decision{Situation: plan.Steady, Status: next}
	next.BlueGreenState, next.Retry = activeState(v.active), nil
	resetMarks(next)
	if next.FailedAttempt != nil {
		next.FailedAttempt = nil // it was taken back
		if other := v.ours(v.active.Other()); other != nil && other.DeletionTimestamp == nil {
			out.Actions = append(out.Actions, v.deletion(v.active.Other())...)
		}
	}
	if text, drift := v.recordDrift(); drift {
		next.LastReconciledSpec = text
	}
	switch {
	case suspended(d):
		out.Situation = plan.Suspended
		next.JobStatus.State, next.Error = v1beta1.FlinkJobSuspended, ""
	case v.split(v.active) && !v.recorded.suspended() && d.Spec.Job.DesiredState() == v1beta1.JobStateSuspended:
		out.Situation, out.Wait = plan.Waiting, v.changing(v.active)
		out.Actions = append(out.Actions, v.switched(v.active, v1beta1.JobStateRunning, v.servingMode(), "")...)
	case v.recorded.suspended() || d.Spec.Job.DesiredState() == v1beta1.JobStateSuspended:
		out.Situation = plan.Suspend
		out.Wait = plan.Cause{
			Reason:  plan.ReasonSideChanging,
			Message: "FlinkDeployment " + d.Name + " is being suspended",
		}
	case ready(d):
		next.JobStatus.State, next.Error = v1beta1.FlinkJobRunning, ""
	default:
		out.Situation = plan.Waiting
		out.Wait, out.Stall = notReady(d)
	}
	v.maintain(d, &out)
	return out, true
}

// recordDrift is the record of a spec whose template is recorded and whose rest is not; false when all is.
func (v *view) recordDrift() (string, bool) {
	if v.problem != "" || v.wanted.hash != v.recorded.hash || v.wanted.text == v.Resource.Status.LastReconciledSpec {
		return "", false
	}
	return v.wanted.text, true
}

// triedBefore decides about a spec that was tried and given up: it is not tried again by itself.
func triedBefore(v view) (Decision, bool) {
	if !v.failedBefore() {
		return Decision{}, false
	}
	next := v.next()
	next.BlueGreenState = activeState(v.active)
	out := v.given(next)
	v.maintain(v.ours(v.active), &out)
	return out, true
}

func (v *view) given(next *v1beta1.FlinkBlueGreenDeploymentStatus) Decision {
	a := next.FailedAttempt
	next.JobStatus.State = v1beta1.FlinkJobFailing
	d := Decision{Situation: Held, Status: next, Stall: plan.Cause{
		Reason: plan.Reason(a.Reason),
		Message: a.Message + ". This spec is not tried again: correct spec.template.spec, or set a new " +
			"spec.template.spec.restartNonce to try it once more",
	}}
	if a.Reason == string(plan.ReasonSideRefused) {
		d.Refused = a.Message
	}
	return d
}

// backingOff waits for the next attempt at a change that failed.
func backingOff(v view) (Decision, bool) {
	r := v.Resource.Status.Retry
	if !backoff.Waits(r, v.Resource.Generation, v.Now) {
		return Decision{}, false
	}
	out := Decision{Situation: Held, Status: v.next(), Wait: plan.Cause{
		Reason:  plan.Reason(r.Reason),
		Message: r.Message + "; it is tried again at " + r.After.UTC().Format("15:04:05") + " UTC",
		Until:   r.After.Time, Then: plan.ThenTriedAgain,
	}}
	if d := v.ours(v.active); d != nil {
		v.maintain(d, &out)
	}
	return out, true
}

// inPlace changes the side that serves.
//
//	change                the side that serves   then
//	SUSPEND, RESUME       -                      in place
//	any                   is suspended           in place
//	any                   its job has ended      in place: there is nothing to hand over, and no savepoint to take
//	SAVEPOINT_REDEPLOY    not ready              in place: nothing of what it has is asked for
//	PATCH_CHILD           ready                  in place
//	any                   not ready              wait: the change begins when it is
func inPlace(v view) (Decision, bool) {
	d := v.ours(v.active)
	switch {
	case v.change == specdiff.BlueGreenSuspend, v.change == specdiff.BlueGreenResume,
		d.Spec.Job.DesiredState() == v1beta1.JobStateSuspended, jobEnded(d):
		return v.beginInPlace(v.active), true
	case !ready(d) && v.change == specdiff.BlueGreenSavepointRedeploy && v.wanted.path() != "":
		return v.beginInPlace(v.active), true
	case !ready(d):
		return v.activeNotReady(d), true
	case v.change == specdiff.BlueGreenPatchChild:
		return v.beginInPlace(v.active), true
	}
	return Decision{}, false
}

// activeNotReady holds a change back until the side that serves is ready.
func (v *view) activeNotReady(d *v1beta1.FlinkDeployment) Decision {
	next := v.next()
	next.BlueGreenState = activeState(v.active)
	next.JobStatus.State = v1beta1.FlinkJobFailing
	next.Error = fmt.Sprintf(
		"Transition to %s not possible, current Flink Deployment '%s' is not READY. FAILING '%s'",
		v.active.Other(), d.Name, v.Resource.Name,
	)
	out := Decision{Situation: Held, Status: next}
	if out.Wait, out.Stall = notReady(d); out.Stall.Reason == "" {
		out.Wait = plan.Cause{
			Reason:  plan.ReasonSideNotReady,
			Message: next.Error + ": " + out.Wait.Message + "; the change begins when it is ready",
		}
	}
	v.maintain(d, &out)
	return out
}

// newSide begins a change that needs a new side.
//
// With handover.enabled the job moves to it, see hand; else both run for a while:
//
//	change              upgradeMode   the new side starts from
//	SAVEPOINT_REDEPLOY  -             the path of the spec
//	TRANSITION          stateless     the path of the spec, or without state
//	TRANSITION          stateful      a savepoint of the job that runs, taken for this
func newSide(v view) (Decision, bool) {
	if v.stranger(v.active.Other()) != nil {
		return v.occupied(v.active.Other()), true
	}
	if v.Side(v.active.Other()).IsUnknown() {
		return unobservable(
			"FlinkDeployment "+ChildName(v.Resource.Name, v.active.Other()),
			v.Side(v.active.Other()).Why(),
		), true
	}
	c := proposal{from: v.active, target: v.active.Other()}
	if v.handsOver() {
		return v.beginHandover(c), true
	}
	if v.change == specdiff.BlueGreenSavepointRedeploy || v.wanted.stateless() {
		c.path = v.wanted.path()
		return v.beginTransition(c), true
	}
	return v.beginSavepoint(c), true
}
