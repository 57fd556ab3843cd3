package bluegreen

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
)

// proposal is a change that is to begin.
type proposal struct {
	// from is the colour that serves until target does; empty where none does.
	from, target v1beta1.BlueGreenType
	// path is what the target starts from; empty means without state.
	path string
}

// resetMarks sets the times and the trigger ID of a change to what they are while there is none.
func resetMarks(s *v1beta1.FlinkBlueGreenDeploymentStatus) {
	if s.AbortTimestamp != "" {
		s.AbortTimestamp = v1beta1.BlueGreenTimeReset
	}
	if s.DeploymentReadyTimestamp != "" {
		s.DeploymentReadyTimestamp = v1beta1.BlueGreenTimeReset
	}
	s.SavepointTriggerID = ""
}

// begin is a decision that stores a change before anything of it is done.
func (v *view) begin(step v1beta1.BlueGreenStep, c proposal) (Decision, *v1beta1.BlueGreenTransition) {
	next := v.next()
	id, over := v.operation()
	next.Transition = &v1beta1.BlueGreenTransition{
		OperationID: id,
		Over:        over,
		Step:        step,
		From:        c.from,
		Target:      c.target,
		Path:        c.path,
		Split:       v.handsOver() && step == v1beta1.BlueGreenClear,
		Since:       metav1.NewTime(v.now()),
		Looked:      metav1.NewTime(v.now()),
	}
	resetMarks(next)
	next.JobStatus.State, next.Error = v1beta1.FlinkJobReconciling, ""
	return Decision{Status: next, Ahead: true, Again: true}, next.Transition
}

// closed is a decision that ends the change under way. A side whose job has been suspended meanwhile does not run.
func (v *view) closed(state v1beta1.FlinkJobState, text string) Decision {
	if d := v.ours(v.active); state == v1beta1.FlinkJobRunning && d != nil && suspended(d) {
		state = v1beta1.FlinkJobSuspended
	}
	next := v.next()
	next.Transition = nil
	next.BlueGreenState = restState(v.active)
	next.JobStatus.State, next.Error = state, text
	resetMarks(next)
	d := Decision{Situation: plan.Steady, Status: next, Ahead: true, Again: true}
	switch {
	case state == v1beta1.FlinkJobFailing:
		d.Situation = plan.Waiting
	case state == v1beta1.FlinkJobSuspended && v.active == "":
		d.Situation = plan.NeverStarted
	case state == v1beta1.FlinkJobSuspended:
		d.Situation = plan.Suspended
	}
	if text != "" {
		d.Wait = plan.Cause{Reason: plan.ReasonSideNotReady, Message: text}
	}
	return d
}

// at is a decision that leaves a change at a step. A step that changes is stored ahead of its actions, and looked at at
// once.
func (v *view) at(t v1beta1.BlueGreenTransition, situation plan.Situation, wait plan.Cause) Decision {
	next := v.next()
	d := Decision{Situation: situation, Status: next, Wait: wait}
	if stored := v.transition(); stored.Step != t.Step || stored.OperationID != t.OperationID {
		t.Since = metav1.NewTime(v.now())
		d.Ahead, d.Again = true, true
	}
	next.Transition = &t
	next.JobStatus.State, next.Error = v1beta1.FlinkJobReconciling, ""
	next.BlueGreenState = transitioningState(t.Target)
	return d
}

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
	// Again asks for another round at once, Soon for a look in a moment, Quick for one within a tenth of a second.
	Again, Soon, Quick bool
	// Beside are resources whose passes this one makes, too.
	Beside []plan.Dependant
	// Wait says what is under way, Stall why nothing happens until somebody acts; zero when it is not so.
	Wait, Stall plan.Cause
	// Unsafe says why no state is known to start from; empty when one is, or none is needed.
	Unsafe string
	// Events are told.
	Events []plan.Event
	// Refused says why a side was refused; empty when none was.
	Refused string
}

// next is a copy of the stored status, for a rule to say what it becomes.
func (v *view) next() *v1beta1.FlinkBlueGreenDeploymentStatus { return v.Resource.Status.DeepCopy() }

// notTriggered ends a change whose savepoint could not be asked for.
func (v *view) notTriggered(details string) Decision {
	return v.fails(plan.ReasonTransitionFailed, "Could not trigger Savepoint. Details: "+details)
}

// failed ends a change whose savepoint was not made.
func (v *view) failed(details string) Decision {
	return v.fails(plan.ReasonTransitionFailed, "Could not start Transition. Details: "+details)
}

// fails ends a change that is tried again with growing pauses. The side that serves was not touched.
func (v *view) fails(reason plan.Reason, text string) Decision {
	d := v.closed(v1beta1.FlinkJobFailing, text)
	d.Situation = Held
	d.Status.Retry = backoff.Failed(
		v.Resource.Status.Retry, v.Resource.Generation, metav1.NewTime(v.now()), string(reason), text,
	)
	d.Again = false
	d.Wait = plan.Cause{
		Reason: reason, Message: text + "; it is tried again", Until: d.Status.Retry.After.Time, Then: plan.ThenTriedAgain,
	}
	d.Events = []plan.Event{{Warning: true, Reason: reason, Message: text, Once: true, Key: text}}
	return d
}

// refused notes that the API server, or admission, does not take the FlinkDeployment of a spec.
func (v *view) refused(t v1beta1.BlueGreenTransition, text string) Decision {
	attempt := &v1beta1.BlueGreenAttempt{
		SpecHash: t.SpecHash, Time: metav1.NewTime(v.now()), Reason: string(plan.ReasonSideRefused), Message: text,
	}
	d := v.closed(v1beta1.FlinkJobFailing, text)
	d.Situation = Held
	d.Status.FailedAttempt = attempt
	if t.Step == v1beta1.BlueGreenAwait { // the target is there, with the spec before
		d.Status.Transition = t.DeepCopy()
		d.Status.BlueGreenState = transitioningState(t.Target)
		d.Status.AbortTimestamp = v.Resource.Status.AbortTimestamp
	}
	d.Refused, d.Stall = text, plan.Cause{
		Reason:  plan.ReasonSideRefused,
		Message: text + ". Correct spec.template.spec",
	}
	d.Events = []plan.Event{{Warning: true, Reason: plan.ReasonSideRefused, Message: text, Once: true, Key: text}}
	return d
}

// as shows the state of a savepoint that is being taken.
func (d Decision) as(t v1beta1.BlueGreenTransition) Decision {
	d.Status.BlueGreenState = savepointingState(t.From)
	return d
}
