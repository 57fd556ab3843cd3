package pass

import (
	"context"

	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/plan/unsupported"
)

// decideUnsupported looks at one resource of a kind that is not run yet.
func (r *Runner) decideUnsupported(ctx context.Context, _ target, last apply.Result) (decision, error) {
	s := r.Gather.Unsupported(ctx, last.Resource)
	return decision{
		plan: unsupported.Make(s), hide: unsupported.Hider(s),
		failed: func(_ context.Context, _ apply.Result, err error) error { return err },
		done:   func(context.Context, *apply.Result) {},
	}, nil
}
