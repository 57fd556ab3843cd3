package decide

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/report"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Unreadable stops at a status that cannot be read back.
func Unreadable(v *world.Look) decision.Decision {
	if v.Unreadable == "" {
		return decision.Pass()
	}
	return decision.Settle(decision.Result{Situation: plan.Refused, Stall: &plan.Cause{
		Reason:  plan.ReasonStatusUnreadable,
		Message: "status.reconciliationStatus.lastReconciledSpec cannot be read, so nothing is done: " + v.Unreadable,
	}})
}

// First decides for a resource that was never deployed.
//
//	spec               then
//	does not validate  Invalid: the status says why; nothing else until the spec changes
//	suspended          NeverStarted
//	running            the finalizer, then a first start
func First(v *world.Look) decision.Decision {
	if v.Last != nil {
		return decision.Pass()
	}
	if v.Problem != "" {
		return decision.Decision{Shown: report.Rejection(v), Result: decision.Result{
			Situation: plan.Invalid, Stall: &plan.Cause{Reason: v.ProblemReason, Message: v.Problem},
		}}
	}
	d := decision.Decision{Marks: []decision.Mark{decision.ErrorCleared, decision.NoJobManager}}
	add, missing := MissingFinalizer(v)
	switch {
	case !v.WantsRunning():
		d.Result.Situation = plan.NeverStarted
	case missing:
		d.Result = decision.Result{Situation: plan.FirstStart, Actions: []plan.Action{add}, Again: true}
	default:
		d.Start = &decision.Start{Purpose: v1beta1.PurposeDeploy, Target: v.Spec, From: firstState(&v.Spec)}
	}
	return d
}

// firstState is the state of a first start: the named savepoint, else none.
func firstState(spec *v1beta1.FlinkDeploymentSpec) *v1beta1.StartPoint {
	if spec.Job != nil && spec.Job.InitialSavepointPath != "" {
		return &v1beta1.StartPoint{
			Kind: v1beta1.StartSavepoint, Path: spec.Job.InitialSavepointPath, Reason: "InitialSavepointPath",
		}
	}
	return &v1beta1.StartPoint{Kind: v1beta1.StartEmpty, Reason: "FirstStart"}
}

// MissingFinalizer adds the finalizer that holds the resource; false when it is there.
func MissingFinalizer(v *world.Look) (plan.Action, bool) {
	if slices.Contains(v.Seen.Resource.Finalizers, v.Host.Finalizer()) {
		return nil, false
	}
	return plan.AddFinalizer{Finalizer: v.Host.Finalizer()}, true
}
