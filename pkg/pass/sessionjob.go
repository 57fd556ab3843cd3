package pass

import (
	"context"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/bluegreen"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/host/sessionjob"
)

// decideSessionJob looks at one FlinkSessionJob and decides.
func (r *Runner) decideSessionJob(ctx context.Context, t target, last apply.Result) (decision, error) {
	inquiry, err := r.Gather.SessionJob(ctx, last.Resource)
	if err != nil {
		return decision{}, err
	}
	p := inquiry.Plan()
	return decision{
		plan: p, hide: inquiry.Hide,
		failed: func(ctx context.Context, result apply.Result, err error) error {
			left := sessionJobLeftBy(*inquiry.Seen, result)
			return r.answer(ctx, t.object, result, sessionjob.Failed(left, effectOf(result, p, err)), err)
		},
		done: func(ctx context.Context, result *apply.Result) {
			if !inquiry.MovesJob(p) {
				return
			}
			r.Apply.Events.Wake(ctx, result.Resource, bluegreen.ParentOf(inquiry.Seen.Resource.OwnerReferences))
			job := v1beta1.JobReference{Kind: v1beta1.JobKindFlinkSessionJob, Name: inquiry.Seen.Resource.Name}
			there := r.Gather.Snapshots(ctx, inquiry.Seen.Resource.Namespace, job)
			r.Apply.Events.Wake(ctx, result.Resource, inquiry.Dependants(there, p))
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
