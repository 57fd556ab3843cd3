package watch

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// Poll asks again each quarter of a second: for what has no watch, such as Flink's REST API.
func Poll(t *testing.T, limit time.Duration, what string, ok func(context.Context) (bool, error)) time.Time {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	var missing error
	for {
		done, err := ok(ctx)
		if done {
			return time.Now()
		}
		if ctx.Err() == nil && !endsWithTheDeadline(err) {
			missing = err
		}
		select {
		case <-ctx.Done():
			t.Fatalf("not in time: %s: %v", what, missing)
		case <-tick.C:
		}
	}
}

// endsWithTheDeadline tells an error that says only that the limit ends: also before it does, when client-go's rate
// limiter sees that its turn would come later.
func endsWithTheDeadline(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) ||
		err != nil && strings.Contains(err.Error(), "would exceed context deadline")
}
