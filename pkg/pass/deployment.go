package pass

import (
	"context"

	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment"
)

// decideDeployment looks at one FlinkDeployment and decides.
func (r *Runner) decideDeployment(ctx context.Context, t target, last apply.Result) (decision, error) {
	s, err := r.Gather.Deployment(
		ctx, gather.Read{Resource: last.Resource, JobManager: last.JobManager, Prepared: last.Prepared},
	)
	if err != nil {
		return decision{}, err
	}
	p := deployment.Make(s)
	return decision{
		plan: p, hide: deployment.Hider(s),
		failed: func(ctx context.Context, result apply.Result, err error) error {
			return r.failed(ctx, t.object, result, tried[deployment.Snapshot]{s, p}, err)
		},
		done: func(ctx context.Context, result *apply.Result) {
			if onlyFinalizer(p) {
				result.JobManager = s.JobManager
			}
			r.wakeDependants(ctx, s, result.Resource, p)
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

// tried is a plan, and what it was made from.
type tried[S any] struct {
	seen S
	plan plan.Plan
}

// failed shows an error that only a person can fix in the resource's status; the others show in the log and come again.
func (r *Runner) failed(
	ctx context.Context, object kube.Object, result apply.Result, t tried[deployment.Snapshot], err error,
) error {
	s := t.seen
	if shown, showErr := r.ingressFailed(ctx, object, result, s, err); shown {
		return showErr
	}
	kind, left := fail.KindOf(err), leftBy(s, result)
	if kind == fail.Transient && !ours(err) {
		reason, message := fail.ReasonOf(err), fail.Message(err)
		if p, counted := deployment.MakeRefused(s, left.Resource.Status, result.Failed, reason, message); counted {
			return r.showRefused(ctx, object, result, p, err)
		}
	}
	if kind != fail.Denied && kind != fail.Invalid {
		return err
	}
	if writesStatus(result.Failed) && fail.ReasonOf(err) == fail.ReasonTooLarge {
		return r.tooLarge(ctx, object, result, smaller{
			leaner: deployment.MakeLeaner(left, t.plan, result.Failed),
			show:   deployment.MakeTooLarge(left, left.Resource.Status, t.plan.StatusIn(result.Failed)),
		}, err)
	}
	if shown, showErr := r.refused(ctx, object, result, left, err); shown {
		return showErr
	}
	p := deployment.MakeFailed(s, left.Resource.Status, fail.ReasonOf(err), fail.Message(err))
	if _, showErr := r.Apply.Execute(ctx, object, result.Resource, p); showErr != nil {
		return showErr
	}
	return err
}
