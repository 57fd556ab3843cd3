package pass

import (
	"context"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/bluegreen"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

// decideBlueGreen looks at one FlinkBlueGreenDeployment and decides.
func (r *Runner) decideBlueGreen(ctx context.Context, t target, last apply.Result) (decision, error) {
	s, err := r.Gather.BlueGreenOf(ctx, last.Resource)
	if err != nil {
		return decision{}, err
	}
	return decision{
		plan: bluegreen.Make(s), hide: bluegreen.Hider(s),
		failed: func(ctx context.Context, result apply.Result, err error) error {
			return r.blueGreenFailed(ctx, t.object, result, s, err)
		},
		done: func(context.Context, *apply.Result) {},
	}, nil
}

// blueGreenFailed shows, in status, what could not be carried out, as far as it is told there; that is no error of the
// pass. Every other error shows in the log and comes again.
func (r *Runner) blueGreenFailed(
	ctx context.Context, object kube.Object, result apply.Result, s bluegreen.Snapshot, err error,
) error {
	status := s.Resource.Status
	if stored, ok := result.Stored.(*v1beta1.FlinkBlueGreenDeploymentStatus); ok {
		status = *stored
	}
	p, shows := bluegreen.MakeFailed(s, status, result.Failed, err)
	if !shows {
		return err
	}
	_, err = r.Apply.Execute(ctx, object, result.Resource, p)
	return err
}
