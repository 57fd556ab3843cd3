package pass

import (
	"context"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshot"
)

// decideSnapshot looks at one FlinkStateSnapshot and decides.
func (r *Runner) decideSnapshot(ctx context.Context, t target, last apply.Result) (decision, error) {
	s, err := r.Gather.StateSnapshotOf(ctx, last.Resource)
	if err != nil {
		return decision{}, err
	}
	p := snapshot.Make(s)
	return decision{
		plan: p, hide: snapshot.Hider(s),
		failed: func(ctx context.Context, result apply.Result, err error) error {
			return r.snapshotFailed(ctx, t.object, result, s, err)
		},
		done: func(ctx context.Context, result *apply.Result) {
			r.Apply.Events.Wake(ctx, result.Resource, snapshot.Dependants(s, p))
		},
	}, nil
}

// snapshotFailed shows, in the snapshot's status, a request that Flink refused: that is an attempt that failed, and no
// error of the pass. Every other error shows in the log and comes again.
func (r *Runner) snapshotFailed(
	ctx context.Context, object kube.Object, result apply.Result, s snapshot.Snapshot, err error,
) error {
	if fail.KindOf(err) != fail.Invalid || result.Failed == nil {
		return err
	}
	status := s.Resource.Status
	if stored, ok := result.Stored.(*v1beta1.FlinkStateSnapshotStatus); ok {
		status = *stored
	}
	p, shows := snapshot.MakeFailed(s, status, result.Failed, fail.Message(err))
	if !shows {
		return err
	}
	_, err = r.Apply.Execute(ctx, object, result.Resource, p)
	return err
}
