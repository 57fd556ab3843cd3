package tell

import (
	"fmt"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// noEffect tells which of the spec's options have no effect, once for each generation: the condition SpecAccepted says
// which one was judged last. What the operator's own configuration sets is in the log of its start.
func noEffect(v *world.Look) {
	r := v.Seen.Resource
	for _, c := range r.Status.Conditions {
		if c.Type == summary.SpecAccepted && c.ObservedGeneration == r.Generation {
			return
		}
	}
	own, err := flinkconf.Flatten(r.Spec.FlinkConfiguration)
	if err != nil || v.Seen.SpecProblem != "" || r.DeletionTimestamp != nil {
		return
	}
	told := flinkconf.WithoutEffectInResource(own)
	if v1beta1.IsCanary(r.Labels) {
		told = append(told, "label "+v1beta1.LabelCanary+" makes no canary of a resource that was deployed: take it off")
	}
	defaults := v.Seen.Operator.Default(r.Namespace, r.Spec.FlinkVersion)
	for _, why := range world.ScalingPlugins(v.Seen.Operator).Unknown(defaults.Merge(own)) {
		told = append(told, "option "+why)
	}
	if len(told) > 0 {
		v.Tell(plan.Event{
			Warning: true, Reason: plan.ReasonOptionWithoutEffect, Component: plan.ComponentOperator, Once: true,
			Key:     fmt.Sprintf("OptionWithoutEffect: %d", r.Generation),
			Message: summary.OneLine(strings.Join(told, "; "), summary.MaxMessageLength),
		})
	}
}
