package job

import (
	"fmt"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// tellNoEffect tells which of the spec's options have no effect, once for each generation: the condition SpecAccepted
// says which one was judged last. What the operator's own configuration sets is in the log of its start.
func (v Conclusion) tellNoEffect() {
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
	defaults := v.Seen.Operator.Default(r.Namespace, r.Spec.FlinkVersion)
	for _, why := range scalingPlugins(v.Seen.Operator).Unknown(defaults.Merge(own)) {
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
