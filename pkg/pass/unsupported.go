package pass

import (
	"context"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/unsupported"
)

// unsupportedRound is gather, plan, apply for one resource of a kind that is not run yet.
func (r *Runner) unsupportedRound(
	ctx context.Context, object kube.Object, key event.Key, last apply.Result,
) (apply.Result, plan.Plan, error) {
	started := time.Now()
	s := r.Gather.Unsupported(ctx, last.Resource)
	p := unsupported.Make(s)
	result, err := r.Apply.Execute(ctx, object, last.Resource, p)
	err = fail.Discreet(err, unsupported.Hider(s))
	r.report(key, p, started, err)
	return result, p, err
}
