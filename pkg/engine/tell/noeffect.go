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
	told = append(told, noSide(r)...)
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

// noSide says that a reference to a FlinkBlueGreenDeployment as owner makes no side of a FlinkDeployment: sides are
// found by their names.
func noSide(r *v1beta1.FlinkDeployment) (told []string) {
	for _, o := range r.OwnerReferences {
		blue, green := o.Name+"-blue", o.Name+"-green"
		if o.Kind == v1beta1.KindFlinkBlueGreenDeployment && o.APIVersion == v1beta1.APIVersion && r.Name != blue &&
			r.Name != green {
			told = append(told, fmt.Sprintf(
				"the owner FlinkBlueGreenDeployment %s makes no side of it, because its sides are %s and %s", o.Name, blue, green,
			))
		}
	}
	return told
}
