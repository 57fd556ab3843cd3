package bluegreen

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// clear has what is left of an earlier side of the target's name go. The time to become ready does not run meanwhile.
//
//	the spec                    a FlinkDeployment of the name   what is left of it   then
//	needs no new side any more  -                               -                    the change ends
//	-                           of another owner                -                    Stalled
//	-                           may run, and no other side is   -                    Stalled: status may be an old one
//	-                           is there                        -                    it is deleted
//	-                           is being deleted                -                    wait
//	-                           -                               a Deployment         wait
//	-                           -                               HA data              it is deleted
//	the savepoint is of a run   -                               nothing              another savepoint, once ready
//	that has ended
//	-                           -                               nothing              it is created
func clear(v view, t v1beta1.BlueGreenTransition) Decision {
	side := v.Side(t.Target)
	wait := v.at(t, Clearing, plan.Cause{
		Reason:  plan.ReasonSideTerminating,
		Message: "FlinkDeployment " + v.name(t.Target) + " is created when what is left of the earlier one is gone",
	})
	if t.From != "" && v.takesBack() {
		return v.closed(v1beta1.FlinkJobRunning, "")
	}
	if t.From == "" && v.wanted.suspended() {
		return v.closed(v1beta1.FlinkJobSuspended, "")
	}
	if d, there := side.Get(); there {
		switch {
		case !v.owns(d):
			o := v.occupied(t.Target)
			wait.Situation, wait.Wait, wait.Stall = o.Situation, plan.Cause{}, o.Stall
		case d.Annotations[v1beta1.AnnotationSideOperation] == t.OperationID:
			t.Step = v1beta1.BlueGreenCreate
			return v.at(t, Transitioning, v.starting(t.Target))
		case v.Side(t.From).IsUnknown():
			wait.Wait = unobservable("FlinkDeployment "+v.name(t.From), v.Side(t.From).Why()).Wait
		case v.onlyLeft(t):
			return v.onlyRuns(t.Target)
		case d.DeletionTimestamp == nil:
			wait.Actions, wait.Soon = v.deletion(t.Target), true
		default:
			v.goes(&wait, d)
		}
		return wait
	}
	left, known := v.Left.Get()
	switch {
	case side.IsUnknown():
		wait.Wait = unobservable("FlinkDeployment "+v.name(t.Target), side.Why()).Wait
		return wait
	case !known:
		wait.Wait = unobservable("what is left of FlinkDeployment "+v.name(t.Target), v.Left.Why()).Wait
		return wait
	case left.JobManager:
		wait.Soon = true
		return wait
	case len(left.HAData) > 0:
		wait.Soon = true
		wait.Actions = []plan.Action{plan.DeleteHAData{
			HAData: plan.HAData{Namespace: v.Resource.Namespace, ConfigMaps: left.HAData},
		}}
		return wait
	}
	if again, needed := v.savepointAgain(t); needed {
		return again
	}
	return v.createFrom(t)
}

// createFrom stores what the target is created from, and creates it.
func (v *view) createFrom(t v1beta1.BlueGreenTransition) Decision {
	t.Step, t.Spec, t.SpecHash = v1beta1.BlueGreenCreate, v.wanted.text, v.wanted.hash
	t.ChildUID, t.ChildGeneration = "", 0
	switch {
	case t.Handover != nil:
		t.Path = ""
	case t.Source == nil:
		t.Path = v.wanted.path()
	}
	creation, err := v.creation(t)
	if err != nil {
		return Decision{Situation: plan.Invalid, Stall: plan.Cause{Reason: plan.ReasonCannotRender, Message: err.Error()}}
	}
	d := v.at(t, Transitioning, v.starting(t.Target))
	d.Status.AbortTimestamp = v.deadline()
	d.Ahead, d.Again, d.Actions = true, true, creation
	return d
}

// create makes sure that the target is there.
func create(v view, t v1beta1.BlueGreenTransition) Decision {
	side := v.Side(t.Target)
	d, there := side.Get()
	switch {
	case side.IsUnknown():
		return v.at(t, Transitioning, unobservable("FlinkDeployment "+v.name(t.Target), side.Why()).Wait)
	case there && v.owns(d) && d.Annotations[v1beta1.AnnotationSideOperation] == t.OperationID && d.Spec.Job == nil:
		return v.createFrom(t) // the FlinkSessionJob of its cluster is not there yet
	case there && v.owns(d) && d.Annotations[v1beta1.AnnotationSideOperation] == t.OperationID && t.Handover != nil:
		t.Step, t.ChildUID = v1beta1.BlueGreenWarm, d.UID
		h := *t.Handover
		h.Began, t.Handover = metav1.NewTime(v.now()), &h
		next := v.at(t, Transitioning, plan.Cause{Reason: plan.ReasonHandoverWarming, Message: v.stepText(t)})
		next.Again = false
		return next
	case there && v.owns(d) && d.Annotations[v1beta1.AnnotationSideOperation] == t.OperationID:
		t.Step, t.ChildUID, t.ChildGeneration = v1beta1.BlueGreenAwait, d.UID, d.Generation
		next := v.at(t, Transitioning, v.awaiting(t))
		next.Again = false
		return next
	case there:
		t.Step = v1beta1.BlueGreenClear
		return v.at(t, Clearing, v.starting(t.Target))
	case t.From != "" && v.takesBack(), t.From == "" && v.wanted.suspended():
		t.Step = v1beta1.BlueGreenClear
		return v.at(t, Clearing, v.starting(t.Target))
	}
	if again, needed := v.savepointAgain(t); needed {
		return again
	}
	return v.createFrom(t)
}

// savepointAgain takes another savepoint where the one of the change is of a run that has ended: the job has moved on.
func (v *view) savepointAgain(t v1beta1.BlueGreenTransition) (Decision, bool) {
	if t.Source == nil || t.From == "" {
		return Decision{}, false
	}
	active := v.ours(t.From)
	switch {
	case active == nil || sameRun(active, t.Source):
		return Decision{}, false
	case !ready(active):
		return v.at(t, Clearing, plan.Cause{
			Reason: plan.ReasonSideNotReady,
			Message: "the job of FlinkDeployment " + active.Name + " was started again since its savepoint was taken; another " +
				"one is taken when it is ready",
		}), true
	}
	return v.beginSavepoint(proposal{from: t.From, target: t.Target}), true
}
