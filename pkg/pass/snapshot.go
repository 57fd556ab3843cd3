package pass

import (
	"context"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshot"
)

// snapshotRound is gather, plan, apply for one FlinkStateSnapshot.
func (r *Runner) snapshotRound(
	ctx context.Context, object kube.Object, key event.Key, last apply.Result,
) (apply.Result, plan.Plan, error) {
	started := time.Now()
	s, err := r.Gather.StateSnapshotOf(ctx, last.Resource)
	if err != nil {
		return apply.Result{}, plan.Plan{}, err
	}
	p := snapshot.Make(s)
	result, err := r.Apply.Execute(ctx, object, last.Resource, p)
	err = fail.Discreet(err, snapshot.Hider(s))
	r.report(key, p, started, err)
	if err != nil {
		return result, p, r.snapshotFailed(ctx, object, result, s, err)
	}
	r.Apply.Events.Wake(ctx, result.Resource, snapshot.Dependants(s, p))
	return result, p, nil
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
