package pass

import (
	"context"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/sessionjob"
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
			return r.sessionJobFailed(ctx, t.object, result, tried[sessionjob.Snapshot]{s, p}, err)
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

// sessionJobFailed shows an error that the resource's status has to tell: one that only a person can fix, and any of an
// upload or a run, which are tried again. The others show in the log and come again.
func (r *Runner) sessionJobFailed(
	ctx context.Context, object kube.Object, result apply.Result, t tried[sessionjob.Snapshot], err error,
) error {
	kind, submission := fail.KindOf(err), sessionjob.IsSubmission(result.Failed)
	transient := kind == fail.Transient && !ours(err)
	if kind == fail.Conflict || (!submission && !transient && kind != fail.Denied && kind != fail.Invalid) {
		return err
	}
	s := t.seen
	resource := s.Resource.DeepCopy()
	resource.ResourceVersion = result.Resource.GetResourceVersion()
	if stored, ok := result.Stored.(*v1beta1.FlinkSessionJobStatus); ok {
		resource.Status = *stored.DeepCopy()
	}
	s.Resource = resource
	reason, message := fail.ReasonOf(err), fail.Message(err)
	if transient && !submission {
		if p, counted := sessionjob.MakeRefused(s, resource.Status, result.Failed, reason, message); counted {
			return r.showRefused(ctx, object, result, p, err)
		}
		return err
	}
	if writesStatus(result.Failed) && reason == fail.ReasonTooLarge {
		return r.tooLarge(ctx, object, result, smaller{
			leaner: sessionjob.MakeLeaner(s, t.plan, result.Failed),
			show:   sessionjob.MakeTooLarge(s, resource.Status, t.plan.StatusIn(result.Failed)),
		}, err)
	}
	p, shown := sessionJobRefused(s, result.Failed, message)
	if !shown || kind != fail.Invalid {
		p, shown = sessionjob.MakeFailed(s, resource.Status, result.Failed, reason, message), submission
	}
	if _, showErr := r.Apply.Execute(ctx, object, result.Resource, p); showErr != nil || shown {
		return showErr
	}
	return err
}

// sessionJobRefused is the plan that shows a request about snapshots that Flink refused: the job is as well as before.
func sessionJobRefused(s sessionjob.Snapshot, failed plan.Action, message string) (plan.Plan, bool) {
	if seen, mine := sessionjob.RefusedRescale(s, failed); mine {
		return sessionjob.Make(seen), true
	}
	if seen, mine := sessionjob.RefusedRequest(s, failed, message); mine {
		return sessionjob.Make(seen), true
	}
	return sessionjob.RefusedDisposal(s, failed, message)
}
