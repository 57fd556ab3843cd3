package pass

import (
	"context"
	"errors"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment"
)

// refused shows a request about a job's snapshots that Flink refused. The job is as well as before, so neither the pass
// nor the resource has failed. shown is false for every other error.
func (r *Runner) refused(
	ctx context.Context, object kube.Object, result apply.Result, left deployment.Snapshot, err error,
) (shown bool, carryErr error) {
	if fail.KindOf(err) != fail.Invalid || result.Failed == nil {
		return false, nil
	}
	if seen, mine := deployment.RefusedRescale(left, result.Failed); mine {
		_, carryErr = r.Apply.Execute(ctx, object, result.Resource, deployment.Make(seen))
		return true, carryErr
	}
	p, shown := deployment.RefusedDisposal(left, result.Failed, fail.Message(err))
	if seen, mine := deployment.RefusedRequest(left, result.Failed, fail.Message(err)); mine {
		p, shown = deployment.Make(seen), true
	}
	if !shown {
		return false, nil
	}
	_, carryErr = r.Apply.Execute(ctx, object, result.Resource, p)
	return true, carryErr
}

// ingressFailed shows an Ingress that could not be made, changed or removed, whatever the reason: the webhook of its
// controller may be away as well as a right. shown is false for every other action, and for a view that was stale.
func (r *Runner) ingressFailed(
	ctx context.Context, object kube.Object, result apply.Result, s deployment.Snapshot, err error,
) (shown bool, carryErr error) {
	switch result.Failed.(type) {
	case plan.ApplyIngress: // it has no precondition: what looks like a stale view is a webhook's answer
	case plan.DeleteIngress:
		if fail.KindOf(err) == fail.Conflict {
			return false, nil
		}
	default:
		return false, nil
	}
	left := leftBy(s, result)
	p := deployment.MakeIngressFailed(left, left.Resource.Status, fail.ReasonOf(err), fail.Message(err))
	_, carryErr = r.Apply.Execute(ctx, object, result.Resource, p)
	return true, carryErr
}

// writesStatus reports whether what failed is a write of the resource's status; nil is the one at the end of a round.
func writesStatus(failed plan.Action) bool {
	_, record := failed.(plan.Record)
	return failed == nil || record
}

// smaller are plans with smaller statuses, in the order in which they are tried.
type smaller struct {
	// leaner go on with a deletion; none for what is no deletion.
	leaner []plan.Plan
	// show say that a status is too large. The event beside the first needs no status.
	show []plan.Plan
}

// tooLarge goes on where a status was refused because of its size, by the first plan whose status the API server takes.
func (r *Runner) tooLarge(
	ctx context.Context, object kube.Object, result apply.Result, plans smaller, err error,
) error {
	if fits, carryErr := r.firstThatFits(ctx, object, result, plans.leaner); fits {
		return carryErr
	}
	if _, showErr := r.firstThatFits(ctx, object, result, plans.show); showErr != nil {
		return showErr
	}
	return err
}

// firstThatFits carries out the first plan whose status is not too large. It is false when there is none.
func (r *Runner) firstThatFits(
	ctx context.Context, object kube.Object, result apply.Result, plans []plan.Plan,
) (fits bool, err error) {
	for _, p := range plans {
		if _, err := r.Apply.Execute(ctx, object, result.Resource, p); fail.ReasonOf(err) != fail.ReasonTooLarge {
			return true, err
		}
	}
	return false, nil
}

// ours reports whether an error is that the time of this pass is over: nobody refused anything.
func ours(err error) bool {
	reason := fail.ReasonOf(err)
	return reason == apply.ReasonOverdue || reason == apply.ReasonBudget || reason == fail.ReasonCanceled
}

// showRefused counts, by the plan for it, what was refused for now, and answers with the refusal.
func (r *Runner) showRefused(
	ctx context.Context, object kube.Object, result apply.Result, p plan.Plan, err error,
) error {
	if _, showErr := r.Apply.Execute(ctx, object, result.Resource, p); showErr != nil {
		return errors.Join(err, showErr)
	}
	return err
}

// leftBy is the snapshot with the resource as the round left it.
func leftBy(s deployment.Snapshot, result apply.Result) deployment.Snapshot {
	resource := s.Resource.DeepCopy()
	resource.ResourceVersion = result.Resource.GetResourceVersion()
	if stored, ok := result.Stored.(*v1beta1.FlinkDeploymentStatus); ok {
		resource.Status = *stored.DeepCopy()
	}
	s.Resource = resource
	return s
}
