package pass

import (
	"context"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/host/sessionjob"
)

// decideSessionJob looks at one FlinkSessionJob and decides.
func (r *Runner) decideSessionJob(ctx context.Context, t target, last apply.Result) (decision, error) {
	s, err := r.Gather.SessionJob(ctx, last.Resource)
	if err != nil {
		return decision{}, err
	}
	p := sessionjob.Make(s)
	return decision{
		plan: p, hide: sessionjob.Hider(s),
		failed: func(ctx context.Context, result apply.Result, err error) error {
			left := sessionJobLeftBy(s, result)
			return r.answer(ctx, t.object, result, sessionjob.Failed(left, effectOf(result, p, err)), err)
		},
		done: func(ctx context.Context, result *apply.Result) {
			if !sessionjob.MovesJob(s, p) {
				return
			}
			job := v1beta1.JobReference{Kind: v1beta1.JobKindFlinkSessionJob, Name: s.Resource.Name}
			s.Snapshots = r.Gather.Snapshots(ctx, s.Resource.Namespace, job)
			r.Apply.Events.Wake(ctx, result.Resource, sessionjob.Dependants(s, p))
		},
	}, nil
}

// sessionJobLeftBy is the snapshot with the resource as the round left it.
func sessionJobLeftBy(s session.Snapshot, result apply.Result) session.Snapshot {
	resource := s.Resource.DeepCopy()
	resource.ResourceVersion = result.Resource.GetResourceVersion()
	if stored, ok := result.Stored.(*v1beta1.FlinkSessionJobStatus); ok {
		resource.Status = *stored.DeepCopy()
	}
	s.Resource = resource
	return s
}
