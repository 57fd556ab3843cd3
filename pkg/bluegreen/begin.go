package bluegreen

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
	"github.com/kn-flink/kn-flink/pkg/plan/running"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// beginTransition begins with a new side that needs no savepoint.
func (v *view) beginTransition(c proposal) Decision {
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
		Message: "FlinkDeployment " + v.name(c.target) + " is created for the changed spec, " + from + v.scaledAnew(c.from),
	}}
	return d
}

// beginSavepoint begins with a savepoint of the side that serves.
func (v *view) beginSavepoint(c proposal) Decision {
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
			) + " is created for the changed spec, from a savepoint of " + active.Name + v.scaledAnew(c.from),
		},
	}
	return d
}

// scaledAnew says that what the autoscaler has learnt of a side does not count for the next one; empty where it is off.
func (v *view) scaledAnew(from v1beta1.BlueGreenType) string {
	d := v.ours(from)
	if d == nil || !options.Bool(running.Of(v.Operator, d).Config, key.AutoscalerEnabled) {
		return ""
	}
	return fmt.Sprintf(
		"; it begins with parallelism %d of the template, and the autoscaler measures it anew", v.wanted.job().Parallelism,
	)
}

// beginInPlace begins with a change of the side that serves, or of the first one.
func (v *view) beginInPlace(colour v1beta1.BlueGreenType) Decision {
	d, t := v.begin(v1beta1.BlueGreenPatch, proposal{target: colour})
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

// beginHandover begins with a new side that the job moves to. Nothing of the side that serves is touched until the new
// one is warm.
func (v *view) beginHandover(c proposal) Decision {
	d, t := v.begin(v1beta1.BlueGreenClear, c)
	t.Split, t.Handover = true, &v1beta1.BlueGreenHandover{}
	if v.change == specdiff.BlueGreenSavepointRedeploy {
		t.Handover.From = v.wanted.path()
	}
	d.Situation = Clearing
	d.Status.BlueGreenState = transitioningState(c.target)
	d.Wait = v.starting(c.target)
	message := "FlinkDeployment " + v.name(c.target) + " is made warm for the changed spec, and then the job of " +
		v.name(c.from) + " moves to it"
	if !v.split(c.from) {
		message += "; FlinkDeployment " + v.name(c.from) + " is an application, so if the job fails on the new side, it " +
			"returns with the gap of a restart"
	}
	d.Events = []plan.Event{{Reason: plan.ReasonTransitionStarted, Once: true, Key: t.OperationID, Message: message}}
	return d
}
