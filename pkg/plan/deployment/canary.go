package deployment

import (
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// canary leaves a resource alone that somebody made to test an operator: it is not deployed, and not held when it is
// deleted.
func canary(v *view) (job.Result, bool) {
	r := v.Seen.Resource
	if !strings.EqualFold(r.Labels[v1beta1.LabelCanary], "true") {
		return job.Result{}, false
	}
	v.untouched = true
	if _, missing := v.MissingFinalizer(); r.DeletionTimestamp != nil && !missing {
		return job.Result{
			Situation: plan.Canary, Finish: []plan.Action{plan.RemoveFinalizer{Finalizer: v1beta1.FinalizerFlinkDeployment}},
		}, true
	}
	return job.Result{Situation: plan.Canary}, true
}
