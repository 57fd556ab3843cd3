package deployment

import (
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/inherit"
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

// inherited takes over what another operator was doing: a state of UPGRADING without an intent of ours. It also puts our finalizer back where
// somebody took it away.
func inherited(v *view) (outcome, bool) {
	if v.Last == nil {
		return outcome{}, false
	}
	jm, present := v.Seen.JobManager.Get()
	if add, missing := v.finalizer(); missing && present && v.Owned(jm) {
		return outcome{situation: plan.Waiting, actions: []plan.Action{add}, again: true}, true
	}
	inherit.Status(v.Subject)
	return outcome{}, false
}
