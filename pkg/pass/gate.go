package pass

import (
	"context"
	"time"

	"github.com/kn-flink/kn-flink/pkg/fail"
)

// Gate bounds how many passes of this process run at the same time, and gives each its budget from the moment on that it runs. A burst of
// a hundred resources is done sooner in order than all at once: an API server that is asked by a hundred passes answers none in time.
type Gate struct {
	slots  chan struct{}
	budget time.Duration
}

// NewGate lets so many through at a time, each for the budget.
func NewGate(slots int, budget time.Duration) *Gate {
	return &Gate{slots: make(chan struct{}, slots), budget: budget}
}

// Through waits for a slot and runs. A caller whose time is over before one is free comes again: that is Transient.
func (g *Gate) Through(ctx context.Context, run func(context.Context) error) error {
	select {
	case g.slots <- struct{}{}:
	case <-ctx.Done():
		return fail.As(fail.Transient, "wait for a pass", "Busy", ctx.Err())
	}
	defer func() { <-g.slots }()
	ctx, cancel := context.WithTimeout(ctx, g.budget)
	defer cancel()
	return run(ctx)
}
