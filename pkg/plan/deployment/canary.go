package deployment

import (
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// canary leaves a resource alone that somebody made to test an operator: it is not deployed, and not held when it is
// deleted.
func canary(v *view) (result, bool) {
	r := v.Seen.Resource
	if !strings.EqualFold(r.Labels[v1beta1.LabelCanary], "true") {
		return result{}, false
	}
	v.untouched = true
	if _, missing := v.finalizer(); r.DeletionTimestamp != nil && !missing {
		return result{
			situation: plan.Canary, finish: []plan.Action{plan.RemoveFinalizer{Finalizer: v1beta1.FinalizerFlinkDeployment}},
		}, true
	}
	return result{situation: plan.Canary}, true
}
