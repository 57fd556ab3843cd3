package pass

import (
	"context"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// decider is gather and plan for the resources of one kind.
type decider func(r *Runner, ctx context.Context, t target, last apply.Result) (decision, error)

// deciders are those of the kinds.
var deciders = map[string]decider{
	v1beta1.KindFlinkDeployment:    (*Runner).decideDeployment,
	v1beta1.KindFlinkSessionJob:    (*Runner).decideSessionJob,
	v1beta1.KindFlinkStateSnapshot: (*Runner).decideSnapshot,

	v1beta1.KindFlinkBlueGreenDeployment: (*Runner).decideBlueGreen,
}

// target is the resource that a pass is for.
type target struct {
	key    event.Key
	kind   kinds.Kind
	object kube.Object
}

// decision is a plan, and what follows from its end.
type decision struct {
	plan plan.Plan
	// hide leaves the secrets of the resource out of a text.
	hide func(string) string
	// failed shows what could not be carried out, as far as its kind shows that, and answers the error of the pass.
	failed func(ctx context.Context, result apply.Result, err error) error
	// done follows when all was carried out. It may tell the next round what this one has seen.
	done func(ctx context.Context, result *apply.Result)
}
