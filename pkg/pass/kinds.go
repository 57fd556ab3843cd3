package pass

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// kind is how passes for the resources of one kind are made.
type kind struct {
	// resource is what they are read and written as.
	resource schema.GroupVersionResource
	// decide is gather and plan.
	decide func(r *Runner, ctx context.Context, t target, last apply.Result) (decision, error)
}

// kinds are those that passes are made for. The last one is not run yet: see package unsupported.
var kinds = map[string]kind{
	v1beta1.KindFlinkDeployment:          {v1beta1.FlinkDeploymentGVR, (*Runner).decideDeployment},
	v1beta1.KindFlinkStateSnapshot:       {v1beta1.FlinkStateSnapshotGVR, (*Runner).decideSnapshot},
	v1beta1.KindFlinkSessionJob:          {v1beta1.FlinkSessionJobGVR, (*Runner).decideSessionJob},
	v1beta1.KindFlinkBlueGreenDeployment: {v1beta1.FlinkBlueGreenDeploymentGVR, (*Runner).decideUnsupported},
}

// target is the resource that a pass is for.
type target struct {
	key    event.Key
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
