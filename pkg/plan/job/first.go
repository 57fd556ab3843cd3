package job

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// First decides for a resource that was never deployed.
//
//	spec               then
//	does not validate  Invalid: the status says why; nothing else until the spec changes
//	suspended          NeverStarted
//	running            the finalizer, then a first start
func First(v *Life) (Result, bool) {
	if v.Last != nil {
		return Result{}, false
	}
	if v.Problem != "" {
		v.Rejected()
		return Result{
			Situation: plan.Invalid, Stall: &plan.Cause{Reason: plan.ReasonValidationFailed, Message: v.Problem},
		}, true
	}
	v.Want.Error = ""
	v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	if !v.WantsRunning() {
		return Result{Situation: plan.NeverStarted}, true
	}
	if add, missing := v.MissingFinalizer(); missing {
		return Result{Situation: plan.FirstStart, Actions: []plan.Action{add}, Again: true}, true
	}
	return v.BeginStart(v1beta1.PurposeDeploy, v.Spec, firstState(&v.Spec)), true
}

// firstState is the state of a first start: the named savepoint, else none.
func firstState(spec *v1beta1.FlinkDeploymentSpec) v1beta1.StartPoint {
	if spec.Job != nil && spec.Job.InitialSavepointPath != "" {
		return v1beta1.StartPoint{
			Kind: v1beta1.StartSavepoint, Path: spec.Job.InitialSavepointPath, Reason: "InitialSavepointPath",
		}
	}
	return v1beta1.StartPoint{Kind: v1beta1.StartEmpty, Reason: "FirstStart"}
}

// Rejected tells once that the spec does not validate.
func (v *Life) Rejected() {
	text := v.ErrorText(summary.TypeValidation, v.Headline, "")
	if v.Want.Error != text {
		v.Tell(plan.Event{
			Warning: true, Reason: plan.ReasonValidationError, Component: plan.ComponentOperator, Message: v.Headline,
		})
	}
	v.Want.Error = text
}

// MissingFinalizer adds the finalizer that holds the resource; false when it is there.
func (v *Life) MissingFinalizer() (plan.Action, bool) {
	if slices.Contains(v.Seen.Resource.Finalizers, v.Host.Finalizer()) {
		return nil, false
	}
	return plan.AddFinalizer{Finalizer: v.Host.Finalizer()}, true
}
