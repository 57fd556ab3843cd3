package pass

import (
	"context"
	"errors"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/engine/failed"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// effectOf is what failed of a plan.
func effectOf(result apply.Result, p plan.Plan, err error) failed.Effect {
	e := failed.Effect{
		Action: result.Failed, Kind: fail.KindOf(err), Reason: fail.ReasonOf(err), Message: fail.Message(err),
		Ours: ours(err), Plan: p,
	}
	if _, rehearsed := e.Action.(plan.Rehearse); rehearsed { // what the API server said, without the words around it
		e.Message = strings.TrimPrefix(e.Message, e.Action.String()+": ")
	}
	return e
}

// ours reports whether an error is that the time of this pass is over: nobody refused anything.
func ours(err error) bool {
	reason := fail.ReasonOf(err)
	return reason == apply.ReasonOverdue || reason == apply.ReasonBudget || reason == fail.ReasonCanceled
}

// answer does what follows an effect that failed, and gives what is left of the error.
func (r *Runner) answer(
	ctx context.Context, object kube.Object, result apply.Result, o failed.Outcome, err error,
) error {
	if fits, carryErr := r.firstThatFits(ctx, object, result, o.Leaner); fits {
		return carryErr
	}
	_, showErr := r.firstThatFits(ctx, object, result, o.Plans)
	switch {
	case showErr != nil && o.Both:
		return errors.Join(err, showErr)
	case showErr != nil || o.Ends:
		return showErr
	}
	return err
}

// firstThatFits carries out the first plan whose status is not too large. It is false when there is none.
func (r *Runner) firstThatFits(
	ctx context.Context, object kube.Object, result apply.Result, plans []plan.Plan,
) (fits bool, err error) {
	for _, p := range plans {
		if _, err = r.Apply.Execute(ctx, object, result.Resource, p); fail.ReasonOf(err) != fail.ReasonTooLarge {
			return true, err
		}
	}
	return false, err
}
