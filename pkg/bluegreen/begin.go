package bluegreen

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// change is a change that begins.
type change struct {
	// from is the colour that serves until target does; empty where none does.
	from, target v1beta1.BlueGreenType
	// path is what the target starts from; empty means without state.
	path string
}

// begin is a decision that stores a change before anything of it is done.
func (v *view) begin(step v1beta1.BlueGreenStep, c change) (Decision, *v1beta1.BlueGreenTransition) {
	next := v.next()
	id, over := v.operation()
	next.Transition = &v1beta1.BlueGreenTransition{
		OperationID: id,
		Over:        over,
		Step:        step,
		From:        c.from,
		Target:      c.target,
		Path:        c.path,
		Since:       metav1.NewTime(v.now()),
		Looked:      metav1.NewTime(v.now()),
	}
	resetMarks(next)
	next.JobStatus.State, next.Error = v1beta1.FlinkJobReconciling, ""
	return Decision{Status: next, Ahead: true, Again: true}, next.Transition
}

// beginTransition begins with a new side that needs no savepoint.
func (v *view) beginTransition(c change) Decision {
	d, t := v.begin(v1beta1.BlueGreenClear, c)
	d.Situation = Clearing
	d.Status.BlueGreenState = transitioningState(c.target)
	from := "without state"
	if c.path != "" {
		from = "from " + c.path
	}
	d.Wait = plan.Cause{
		Reason:  plan.ReasonSideStarting,
		Message: "FlinkDeployment " + v.name(c.target) + " is to be created",
	}
	d.Events = []plan.Event{{
		Reason: plan.ReasonTransitionStarted, Once: true, Key: t.OperationID,
		Message: "FlinkDeployment " + v.name(c.target) + " is created for the changed spec, " + from,
	}}
	return d
}

// beginSavepoint begins with a savepoint of the side that serves.
func (v *view) beginSavepoint(c change) Decision {
	active := v.ours(c.from)
	d, t := v.begin(v1beta1.BlueGreenSavepoint, c)
	t.Source = sourceOf(active)
	d.Situation = Savepointing
	d.Status.BlueGreenState = savepointingState(c.from)
	d.Status.SavepointTriggerID = plan.DeriveID(v.Resource.UID, t.Over, plan.PurposeTrigger)
	d.Wait = v.takingSavepoint(active.Name)
	trigger, problem := v.trigger(active, d.Status.SavepointTriggerID, t.Source.JobID)
	if problem != "" {
		return v.notTriggered(problem)
	}
	d.Again, d.Soon, d.Actions = false, true, []plan.Action{trigger}
	d.Events = []plan.Event{
		{
			Reason: plan.ReasonTransitionStarted,
			Once:   true,
			Key:    t.OperationID,
			Message: "FlinkDeployment " + v.name(
				c.target,
			) + " is created for the changed spec, from a savepoint of " + active.Name,
		},
	}
	return d
}

// beginInPlace begins with a change of the side that serves, or of the first one.
func (v *view) beginInPlace(colour v1beta1.BlueGreenType) Decision {
	d, t := v.begin(v1beta1.BlueGreenPatch, change{target: colour})
	t.Spec, t.SpecHash = v.wanted.text, v.wanted.hash
	d.Situation = Changing
	d.Status.BlueGreenState = transitioningState(colour)
	d.Wait = v.changing(colour)
	what := map[specdiff.BlueGreenKind]string{
		specdiff.BlueGreenSuspend: "is suspended", specdiff.BlueGreenResume: "is resumed",
	}[v.change]
	if what == "" {
		what = "gets the changed spec"
	}
	d.Events = []plan.Event{{
		Reason: plan.ReasonSpecChanged, Once: true, Key: t.OperationID,
		Message: "FlinkDeployment " + v.name(colour) + " " + what,
	}}
	return d
}

func (v *view) name(colour v1beta1.BlueGreenType) string { return ChildName(v.Resource.Name, colour) }

func (v *view) takingSavepoint(name string) plan.Cause {
	return plan.Cause{
		Reason:  plan.ReasonTakingTransitionSavepoint,
		Message: "a savepoint of FlinkDeployment " + name + " is being taken; its job runs on",
	}
}

func (v *view) changing(colour v1beta1.BlueGreenType) plan.Cause {
	return plan.Cause{
		Reason: plan.ReasonSideChanging, Message: "FlinkDeployment " + v.name(colour) + " is being changed in place",
	}
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

// closed is a decision that ends the change under way.
func (v *view) closed(state v1beta1.FlinkJobState, text string) Decision {
	next := v.next()
	next.Transition = nil
	next.BlueGreenState = restState(v.active)
	next.JobStatus.State, next.Error = state, text
	resetMarks(next)
	d := Decision{Situation: plan.Steady, Status: next, Ahead: true, Again: true}
	if text != "" {
		d.Wait = plan.Cause{Reason: plan.ReasonSideNotReady, Message: text}
	}
	return d
}
