package job

import (
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Canary leaves a resource alone that somebody made to test an operator: it is not deployed, and not held when it is
// deleted.
func Canary(v Life) (Result, bool) {
	r := v.Seen.Resource
	if !strings.EqualFold(r.Labels[v1beta1.LabelCanary], "true") {
		return Result{}, false
	}
	v.Untouched = true
	if _, missing := MissingFinalizer(v); r.DeletionTimestamp != nil && !missing {
		return Result{
			Situation: plan.Canary, Finish: []plan.Action{plan.RemoveFinalizer{Finalizer: v.Host.Finalizer()}},
		}, true
	}
	return Result{Situation: plan.Canary}, true
}
