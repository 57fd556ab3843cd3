package deployment

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// first decides for a resource that was never deployed.
//
//	spec               then
//	does not validate  Invalid: the status says why; nothing else until the spec changes
//	suspended          NeverStarted
//	running            the finalizer, then a first start
func first(v *view) (result, bool) {
	if v.Last != nil {
		return result{}, false
	}
	if v.Problem != "" {
		v.rejected()
		return result{
			situation: plan.Invalid, stall: &plan.Cause{Reason: plan.ReasonValidationFailed, Message: v.Problem},
		}, true
	}
	v.Want.Error = ""
	v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	if !v.WantsRunning() {
		return result{situation: plan.NeverStarted}, true
	}
	if add, missing := v.finalizer(); missing {
		return result{situation: plan.FirstStart, actions: []plan.Action{add}, again: true}, true
	}
	return v.beginStart(v1beta1.PurposeDeploy, v.Spec, firstState(&v.Spec)), true
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

// rejected tells once that the spec does not validate.
func (v *view) rejected() {
	text := v.ErrorText(summary.TypeValidation, v.Headline, "")
	if v.Want.Error != text {
		v.Tell(plan.Event{
			Warning: true, Reason: plan.ReasonValidationError, Component: plan.ComponentOperator, Message: v.Headline,
		})
	}
	v.Want.Error = text
}

func (v *view) finalizer() (plan.Action, bool) {
	for _, f := range v.Seen.Resource.Finalizers {
		if f == v1beta1.FinalizerFlinkDeployment {
			return nil, false
		}
	}
	return plan.AddFinalizer{Finalizer: v1beta1.FinalizerFlinkDeployment}, true
}

// unaccounted stops at what stands in our place and status does not account for.
//
//	there is                                            never deployed     deployed
//	a Deployment that is not owned by this resource     Unaccounted        Unaccounted
//	a Deployment that is                                Unaccounted;       -
//	                                                    taken over if told
//	HA data with a checkpoint, stateful spec, no        Unaccounted        -
//	savepoint named, not told to ignore it
func unaccounted(v *view) (result, bool) {
	jm, present := v.Seen.JobManager.Get()
	switch {
	case v.Seen.JobManager.IsUnknown():
		return v.unobservable("the JobManager Deployment", v.Seen.JobManager.Why()), true
	case present && !v.Owned(jm):
		return v.stands("a Deployment that belongs to another owner"), true
	case present && v.Last == nil && v.Problem == "" && v.Seen.Resource.Annotations[v1beta1.AnnotationAdopt] == "true":
		return v.adopt(), true
	case present && v.Last == nil:
		return v.stands("a Deployment that an earlier resource of this name left"), true
	case v.Last != nil || v.Problem != "" || job.Stateless(&v.Spec) || !v.WantsRunning() || !v.HA().Store.Readable():
		return result{}, false
	case v.Spec.Job.InitialSavepointPath != "" || v.Seen.Resource.Annotations[v1beta1.AnnotationIgnoreState] == "true":
		return result{}, false
	}
	what, why, unknown := v.HA().Unknown()
	if unknown {
		return v.unobservable(what, why), true
	}
	where := v.HA().Checkpoint()
	return v.stands("high-availability data with a checkpoint (" + where + ")"), where != ""
}

// stands reports what is in the way. Nothing is touched.
func (v *view) stands(what string) result {
	r := v.Seen.Resource
	return result{situation: plan.Unaccounted, stall: &plan.Cause{Reason: plan.ReasonUnaccounted, Message: fmt.Sprintf(
		"there is %s under the name %s, which status does not account for, so nothing is changed; remove it, or run: "+
			"kubectl annotate flinkdeployment %s -n %s %s=true to take a running cluster over, or %s=true to give up "+
			"what an "+
			"earlier job left",
		what, r.Name, r.Name, r.Namespace, v1beta1.AnnotationAdopt, v1beta1.AnnotationIgnoreState)}}
}

// adopt takes over a cluster of this resource whose status was lost, as the user told us to: the spec counts as what it
// was started with. An application must run exactly one job, or it is not known which.
func (v *view) adopt() result {
	jobs, answered := v.Seen.Flink.Jobs.Get()
	if !answered {
		return v.unobservable("the cluster to take over", v.Seen.Flink.Jobs.Why())
	}
	if v.Spec.Job != nil {
		if len(jobs) != 1 {
			return v.stands(fmt.Sprintf("a cluster with %d jobs instead of one", len(jobs)))
		}
		v.Want.JobStatus.JobID = jobs[0].ID
		v.Want.TaskManager = v.TaskManagerInfo(v.Spec)
	}
	v.Want.Error = ""
	v.Deployed = v.Generation
	v.Want.ReconciliationStatus.State = v1beta1.ReconciliationDeployed
	v.Want.ReconciliationStatus.ReconciliationTimestamp = v.Seen.Now.UnixMilli()
	v.StoreReconciled(v1beta1.ReconciledDeployment{Spec: *v.Spec.DeepCopy()}, false)
	v.Observe()
	o, _ := settled(v)
	return o
}
