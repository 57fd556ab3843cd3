package bluegreen

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// unaccounted stops, while no change is under way, at a side that may run and that status does not account for: status
// may be an old one that was put back. Nothing is touched.
//
//	the side of status   sides that may run   told to take it over   then
//	any                  both                 -                      Stalled, until a user deletes one
//	is gone              the other one        yes                    that one serves
//	is gone              the other one        no                     Stalled
//	none, or is there    it, or one           -                      -
func unaccounted(v view) (Decision, bool) {
	if v.Blue.IsUnknown() || v.Green.IsUnknown() {
		return Decision{}, false
	}
	blue, green := v.ours(v1beta1.Blue), v.ours(v1beta1.Green)
	switch {
	case mayRun(blue) && mayRun(green):
		return v.bothRun(), true
	case v.active == "" || v.ours(v.active) != nil:
		return Decision{}, false
	case mayRun(v.ours(v.active.Other())):
		return v.onlyRuns(v.active.Other()), true
	}
	return Decision{}, false
}

// mayRun reports whether a side is there and its spec asks for a job that runs.
func mayRun(d *v1beta1.FlinkDeployment) bool {
	return d != nil && d.DeletionTimestamp == nil && d.Spec.Job.DesiredState() == v1beta1.JobStateRunning
}

// onlyLeft reports whether a side that the change under way did not make is the only one whose job may run.
func (v *view) onlyLeft(t v1beta1.BlueGreenTransition) bool {
	return mayRun(v.ours(t.Target)) && v.ours(t.From) == nil
}

// bothRun stalls where two sides may run, and status has no change that would end one of them.
func (v *view) bothRun() Decision {
	serves := "and does not say which of them serves"
	if v.active != "" {
		serves = "and says that " + v.name(v.active) + " serves"
	}
	return Decision{Situation: plan.Unaccounted, Stall: plan.Cause{
		Reason: plan.ReasonUnaccounted,
		Message: fmt.Sprintf(
			"FlinkDeployments %s and %s may both run, while status has no change under way %s: it may be an old one that "+
				"was put back. Nothing is changed. Find out which of the two has the newest state, and delete the other one",
			v.name(v1beta1.Blue), v.name(v1beta1.Green), serves,
		),
	}}
}

// onlyRuns takes over the only side whose job may run, where a user has said so, and else stalls.
func (v *view) onlyRuns(colour v1beta1.BlueGreenType) Decision {
	r, d := v.Resource, v.ours(colour)
	if r.Annotations[v1beta1.AnnotationAdopt] != "true" {
		return Decision{Situation: plan.Unaccounted, Stall: plan.Cause{
			Reason: plan.ReasonUnaccounted,
			Message: fmt.Sprintf(
				"FlinkDeployment %s is the only side that may run, and status does not say that it serves: it may be an old "+
					"one that was put back. Nothing is changed. To go on with that side: "+
					"kubectl annotate flinkbluegreendeployment %s -n %s %s=true",
				d.Name, r.Name, r.Namespace, v1beta1.AnnotationAdopt,
			),
		}}
	}
	next := v.next()
	next.Transition, next.BlueGreenState, next.Error = nil, activeState(colour), ""
	next.FailedAttempt, next.Retry = nil, nil
	resetMarks(next)
	if d.Annotations[v1beta1.AnnotationSideSpec] == v.wanted.hash && v.problem == "" {
		next.LastReconciledSpec = v.wanted.text
	} else if text, known := v.recordOf(d); known {
		next.LastReconciledSpec = text
	}
	return Decision{
		Situation: plan.Steady, Status: next, Ahead: true, Again: true,
		Events: []plan.Event{{
			Reason: plan.ReasonTransitionCompleted, Once: true, Key: "adopted/" + string(d.UID),
			Message: "FlinkDeployment " + d.Name + " serves: a user has said so",
		}},
	}
}
