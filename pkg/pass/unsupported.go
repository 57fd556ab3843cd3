package pass

import (
	"context"

	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/plan/unsupported"
)

// decideUnsupported looks at one resource of a kind that is not run yet.
func (r *Runner) decideUnsupported(_ context.Context, _ target, last apply.Result) (decision, error) {
	return decision{
		plan:   unsupported.Make(unsupported.Snapshot{Now: r.Gather.Now(), Resource: last.Resource}),
		hide:   func(text string) string { return text },
		failed: func(_ context.Context, _ apply.Result, err error) error { return err },
		done:   func(context.Context, *apply.Result) {},
	}, nil
}
