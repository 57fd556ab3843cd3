package deployment

import (
	"strconv"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// canary leaves a resource alone that somebody made to test an operator: it is not deployed, and not held when it is deleted.
func canary(v *view) (outcome, bool) {
	r := v.Seen.Resource
	if !strings.EqualFold(r.Labels[v1beta1.LabelCanary], "true") {
		return outcome{}, false
	}
	v.untouched = true
	if _, missing := v.finalizer(); r.DeletionTimestamp != nil && !missing {
		return outcome{situation: plan.Canary, finish: []plan.Action{plan.RemoveFinalizer{Finalizer: v1beta1.FinalizerFlinkDeployment}}}, true
	}
	return outcome{situation: plan.Canary}, true
}

// observed brings the status of a resource that was deployed up to what was seen, for the rules that follow.
func observed(v *view) (outcome, bool) {
	if v.Last != nil {
		v.Observe()
	}
	return outcome{}, false
}

// inherited takes over what another operator was doing: a state of UPGRADING without an intent of ours.
//
//	Deployment                                 then
//	made for the recorded generation           the target is deployed already: say so
//	otherwise                                  the rules go on from the recorded spec, which is suspended
//
// It also puts our finalizer back where somebody took it away.
func inherited(v *view) (outcome, bool) {
	if v.Last == nil {
		return outcome{}, false
	}
	if add, missing := v.finalizer(); missing && v.Seen.JobManager.IsPresent() {
		return outcome{situation: plan.Waiting, actions: []plan.Action{add}, again: true}, true
	}
	r := &v.Want.ReconciliationStatus
	jm, present := v.Seen.JobManager.Get()
	if r.State != v1beta1.ReconciliationUpgrading || !present || jm.DeletionTimestamp != nil ||
		v.Want.JobManagerDeploymentStatus == v1beta1.JobManagerReady ||
		jm.Annotations[v1beta1.AnnotationGeneration] != strconv.FormatInt(v.Want.ObservedGeneration, 10) {
		return outcome{}, false
	}
	v.Note("the recorded spec is deployed already: an upgrade by another operator is taken over")
	r.State = v1beta1.ReconciliationDeployed
	record := v1beta1.ReconciledDeployment{Spec: *v.Last.Spec.DeepCopy()}
	if record.Spec.Job != nil {
		record.Spec.Job.State = v1beta1.JobStateRunning
		v.SetJobState(v1beta1.FlinkJobReconciling)
	}
	v.StoreReconciled(record, v.IsFirst())
	return outcome{}, false
}
