package bluegreen

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// abortedText begins status.error of a transition that was aborted.
const abortedText = "Aborting deployment '"

// adopted takes over a change that the Java operator left under way, which stores none: what it is follows from the
// state and from what is there. No side is touched.
//
//	state                     sides that are there   taken for
//	SAVEPOINTING_x            x                      a savepoint of x, by its ID at Flink; without an ID another one
//	TRANSITIONING_TO_y        x and y                a transition to y, whose delay begins anew
//	TRANSITIONING_TO_y        y                      a change of y in place
//	TRANSITIONING_TO_y        x                      a transition to y that has not begun
//	INITIALIZING_BLUE         any                    the first side, which is changed in place when the spec does
//	ACTIVE_x, FAILING, with   x, y suspended         a transition that was aborted: what x runs is recorded
//	the text of an abort
func adopted(v view) (Decision, bool) {
	s := v.Resource.Status
	if s.Transition != nil || !v.wanted.known() {
		return Decision{}, false
	}
	target := colourOf(s.BlueGreenState)
	if v.Blue.IsUnknown() || v.Green.IsUnknown() {
		return Decision{}, false
	}
	switch state := string(s.BlueGreenState); {
	case strings.HasPrefix(state, "SAVEPOINTING_"):
		return v.adoptSavepoint(target)
	case strings.HasPrefix(state, "TRANSITIONING_TO_"):
		return v.adoptTransition(target), true
	case s.FailedAttempt == nil && s.JobStatus.State == v1beta1.FlinkJobFailing && strings.HasPrefix(s.Error, abortedText):
		return v.adoptAborted()
	}
	return Decision{}, false
}

func (v *view) adoptSavepoint(from v1beta1.BlueGreenType) (Decision, bool) {
	active := v.ours(from)
	if active == nil || v.Resource.Status.SavepointTriggerID == "" {
		next := v.next()
		next.BlueGreenState = activeState(from)
		return Decision{Situation: Savepointing, Status: next, Ahead: true, Again: true}, true
	}
	id := v.Resource.Status.SavepointTriggerID
	d, t := v.begin(v1beta1.BlueGreenSavepoint, proposal{from: from, target: from.Other()})
	t.Source = sourceOf(active)
	d.Situation, d.Wait = Savepointing, v.takingSavepoint(active.Name)
	d.Status.SavepointTriggerID, d.Status.BlueGreenState = id, savepointingState(from)
	return d, true
}

func (v *view) adoptTransition(target v1beta1.BlueGreenType) Decision {
	side, other := v.ours(target), v.ours(target.Other())
	recorded := v.Resource.Status.LastReconciledSpec
	abort := v.Resource.Status.AbortTimestamp
	switch {
	case side == nil && other != nil: // nothing of it was made
		next := v.next()
		next.BlueGreenState = activeState(target.Other())
		if text, known := v.recordOf(other); known {
			next.LastReconciledSpec = text
		}
		return Decision{Situation: Transitioning, Status: next, Ahead: true, Again: true}
	case side == nil:
		next := v.next()
		next.BlueGreenState, next.LastReconciledSpec = restState(""), ""
		return Decision{Situation: Transitioning, Status: next, Ahead: true, Again: true}
	}
	c, step := proposal{target: target}, v1beta1.BlueGreenSettle
	if other != nil {
		c.from, step = target.Other(), v1beta1.BlueGreenAwait
	}
	d, t := v.begin(step, c)
	d.Situation, d.Wait = Transitioning, v.starting(target)
	d.Status.BlueGreenState = transitioningState(target)
	d.Status.AbortTimestamp = abort
	t.ChildUID, t.ChildGeneration = side.UID, side.Generation
	t.Spec, t.SpecHash = recorded, v.recorded.hash
	if side.Spec.Job != nil {
		t.Path = side.Spec.Job.InitialSavepointPath
	}
	if other != nil {
		if text, known := v.recordOf(other); known {
			d.Status.LastReconciledSpec = text
		}
	} else if side.Status.ReconciliationStatus.LastReconciledSpec == "" {
		d.Status.LastReconciledSpec = ""
	}
	return d
}

func (v *view) adoptAborted() (Decision, bool) {
	next := v.next()
	active := colourOf(next.BlueGreenState)
	next.FailedAttempt = &v1beta1.BlueGreenAttempt{
		SpecHash: v.recorded.hash, Time: metav1.NewTime(v.now()), Reason: string(plan.ReasonTransitionAborted),
		Message: next.Error,
	}
	if active == "" {
		next.LastReconciledSpec = ""
	} else if d := v.ours(active); d != nil {
		if text, known := v.recordOf(d); known {
			next.LastReconciledSpec = text
		}
	}
	return Decision{Situation: Held, Status: next, Ahead: true, Again: true}, true
}

// recordOf is the record of the spec that a side has, in place of one that was tried and never served.
func (v *view) recordOf(d *v1beta1.FlinkDeployment) (string, bool) {
	if !v.recorded.known() {
		return "", false
	}
	s := v.recorded.FlinkBlueGreenDeploymentSpec.DeepCopy()
	child := d.Spec.DeepCopy()
	if child.Job != nil && s.Template.Spec.Job != nil {
		child.Job.InitialSavepointPath = s.Template.Spec.Job.InitialSavepointPath
	}
	if child.Ingress != nil {
		child.Ingress.Template = strings.TrimPrefix(
			child.Ingress.Template,
			strings.ToLower(string(colourOfName(d.Name)))+"-",
		)
	}
	s.Template.Spec = child
	recorded := specOf(s)
	return recorded.text, recorded.known()
}

func colourOfName(name string) v1beta1.BlueGreenType {
	if strings.HasSuffix(name, "-"+strings.ToLower(string(v1beta1.Green))) {
		return v1beta1.Green
	}
	return v1beta1.Blue
}
