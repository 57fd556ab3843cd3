package job

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// First decides for a resource that was never deployed.
//
//	spec               then
//	does not validate  Invalid: the status says why; nothing else until the spec changes
//	suspended          NeverStarted
//	running            the finalizer, then a first start
func First(v Life) (Result, bool) {
	if v.Last != nil {
		return Result{}, false
	}
	if v.Problem != "" {
		Report(v).Rejected()
		return Result{
			Situation: plan.Invalid, Stall: &plan.Cause{Reason: v.ProblemReason, Message: v.Problem},
		}, true
	}
	v.Want.Error = ""
	v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	if !v.WantsRunning() {
		return Result{Situation: plan.NeverStarted}, true
	}
	if add, missing := MissingFinalizer(v); missing {
		return Result{Situation: plan.FirstStart, Actions: []plan.Action{add}, Again: true}, true
	}
	return Starting(v).Begin(v1beta1.PurposeDeploy, v.Spec, firstState(&v.Spec)), true
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

// MissingFinalizer adds the finalizer that holds the resource; false when it is there.
func MissingFinalizer(v Life) (plan.Action, bool) {
	if slices.Contains(v.Seen.Resource.Finalizers, v.Host.Finalizer()) {
		return nil, false
	}
	return plan.AddFinalizer{Finalizer: v.Host.Finalizer()}, true
}
