package pass

import (
	"context"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// decideDeployment looks at one FlinkDeployment and decides.
func (r *Runner) decideDeployment(ctx context.Context, t target, last apply.Result) (decision, error) {
	inquiry, err := r.Gather.Deployment(
		ctx, gather.Read{Resource: last.Resource, JobManager: last.JobManager, Prepared: last.Prepared},
	)
	if err != nil {
		return decision{}, err
	}
	p := inquiry.Plan()
	return decision{
		plan: p, hide: inquiry.Hide,
		failed: func(ctx context.Context, result apply.Result, err error) error {
			left := leftBy(*inquiry.Seen, result)
			return r.answer(ctx, t.object, result, deployment.Failed(left, effectOf(result, p, err)), err)
		},
		done: func(ctx context.Context, result *apply.Result) {
			if onlyFinalizer(p) {
				result.JobManager = inquiry.Seen.JobManager
			}
			r.wakeDependants(ctx, inquiry, result.Resource, p)
		},
	}, nil
}

// onlyFinalizer reports whether the plan did nothing but hold the resource. What was seen before still holds then: the
// write was guarded by the resource's version, and nobody makes a Deployment without a write to the resource first.
func onlyFinalizer(p plan.Plan) bool {
	effects := p.Effects()
	if len(effects) != 1 {
		return false
	}
	_, only := effects[0].(plan.AddFinalizer)
	return only
}

// leftBy is the snapshot with the resource as the round left it.
func leftBy(s cluster.Snapshot, result apply.Result) cluster.Snapshot {
	resource := s.Resource.DeepCopy()
	resource.ResourceVersion = result.Resource.GetResourceVersion()
	if stored, ok := result.Stored.(*v1beta1.FlinkDeploymentStatus); ok {
		resource.Status = *stored.DeepCopy()
	}
	s.Resource = resource
	return s
}
