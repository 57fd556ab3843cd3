package bluegreen

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen/handover"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// inPlaceSide is the side that is changed in place, and the decision to wait for it. It is decided already where the
// side cannot be read, is gone, or is to have another spec by now.
func (v *view) inPlaceSide(t v1beta1.BlueGreenTransition) (d *v1beta1.FlinkDeployment, wait Decision, decided bool) {
	d, wait = v.ours(t.Target), v.at(t, Changing, v.changing(t.Target))
	switch {
	case v.Side(t.Target).IsUnknown():
		wait.Wait = unobservable("FlinkDeployment "+v.name(t.Target), v.Side(t.Target).Why()).Wait
		return nil, wait, true
	case d == nil || d.DeletionTimestamp != nil:
		gone := "FlinkDeployment " + v.name(t.Target) + " is gone while it was changed"
		return nil, v.closed(v1beta1.FlinkJobFailing, gone), true
	case v.wanted.known() && v.wanted.hash != t.SpecHash:
		return nil, v.beginInPlace(t.Target), true
	}
	return d, wait, false
}

// patch replaces the spec of the side that serves.
func patch(v view, t v1beta1.BlueGreenTransition) Decision {
	d, wait, decided := v.inPlaceSide(t)
	if decided {
		return wait
	}
	if d.Annotations[v1beta1.AnnotationSideSpec] == t.SpecHash {
		t.Step, t.ChildUID, t.ChildGeneration = v1beta1.BlueGreenSettle, d.UID, d.Generation
		next := v.at(t, Changing, v.changing(t.Target))
		next.Status.AbortTimestamp = v.deadline()
		return next
	}
	replacement, err := v.replacement(t, d)
	if err != nil {
		return Decision{Situation: plan.Invalid, Stall: plan.Cause{Reason: plan.ReasonCannotRender, Message: err.Error()}}
	}
	if v.split(t.Target) && v.change != specdiff.BlueGreenPatchChild {
		return v.patchInTurn(t, wait, replacement)
	}
	wait.Actions, wait.Again = replacement, true
	return wait
}

// patchInTurn changes a session cluster only while no job runs on it. First match wins:
//
//	the spec asks for  the job                the cluster           then
//	no job             has another spec       -                     the job gets it
//	a job              is to run              has another spec      suspend it, with a savepoint
//	-                  has not ended          has another spec      wait
//	-                  has ended              has another spec      the cluster gets it
//	-                  has another spec       is not settled        wait
//	-                  has another spec       is settled            the job gets it
func (v *view) patchInTurn(t v1beta1.BlueGreenTransition, wait Decision, replacement []plan.Action) Decision {
	var cluster, job plan.Action
	for _, a := range replacement {
		if a.(plan.ReplaceSide).Kind == v1beta1.KindFlinkSessionJob {
			job = a
		} else {
			cluster = a
		}
	}
	made, err := parseSpec(t.Spec)
	if err != nil {
		return wait // settle says so
	}
	seen := handover.See(v.Parts[t.Target].Job, handover.Unknown)
	act := func(actions ...plan.Action) Decision {
		wait.Actions, wait.Again = actions, true
		return wait
	}
	switch {
	case made.suspended() && job != nil:
		return act(job)
	case cluster != nil && seen.Wanted:
		return act(v.switched(t.Target, v1beta1.JobStateSuspended, v1beta1.UpgradeModeSavepoint, "")...)
	case cluster != nil && seen.Runs != handover.No:
		wait.Wait.Message += ": its job is being stopped first"
		return wait
	case cluster != nil:
		return act(cluster)
	case !clusterSettled(v.Parts[t.Target].Cluster):
		wait.Wait.Message += ": its cluster is to run first"
		return wait
	}
	return act(job)
}

// settle waits until the side that serves has done what its new spec asks for. It is never aborted: it is the only one.
//
//	the side that serves       the grace period   then
//	does what the spec asks    -                  the spec is recorded: RUNNING or SUSPENDED
//	does not yet               is over            the spec is recorded: FAILING, until it does
//	does not yet               runs               wait
func settle(v view, t v1beta1.BlueGreenTransition) Decision {
	d, wait, decided := v.inPlaceSide(t)
	if decided {
		return wait
	}
	made, err := parseSpec(t.Spec)
	if err != nil {
		return Decision{Situation: plan.Unobservable, Stall: plan.Cause{
			Reason: plan.ReasonStatusUnreadable, Message: "status.transition.spec: " + err.Error(),
		}}
	}
	state, text := v1beta1.FlinkJobRunning, ""
	switch {
	case made.suspended() && suspended(d):
		state = v1beta1.FlinkJobSuspended
	case !made.suspended() && ready(d):
	case v.overDeadline(wait.Status):
		state, text = v1beta1.FlinkJobFailing, "FlinkDeployment "+d.Name+
			" was changed in place and has not done in time what "+
			"its spec asks for"+stateOf(
			d,
		)
	default:
		wait.Wait.Message += stateOf(d)
		return wait
	}
	next := v.closed(state, text)
	if state == v1beta1.FlinkJobFailing && !v.recorded.known() {
		next.Status.BlueGreenState = restState("")
		next.Status.FailedAttempt = &v1beta1.BlueGreenAttempt{
			SpecHash: t.SpecHash, Time: metav1.NewTime(v.now()), Reason: string(plan.ReasonSideNotReady), Message: text,
		}
		return next
	}
	next.Status.LastReconciledSpec, next.Status.BlueGreenState = t.Spec, activeState(t.Target)
	next.Status.FailedAttempt, next.Status.Retry = nil, nil
	if state == v1beta1.FlinkJobSuspended {
		next.Situation = plan.Suspended
	}
	return next
}
