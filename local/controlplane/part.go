package controlplane

import (
	"context"
	"fmt"
	"time"
)

// patience is how long a part may take to end when asked to.
const patience = 30 * time.Second

// part is one running piece of the control plane.
type part struct {
	name   string
	cancel context.CancelFunc
	done   chan struct{}
}

// run starts a part that works until its context ends. One that ends before that has failed.
func (c *ControlPlane) run(name string, work func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	p := &part{name: name, cancel: cancel, done: make(chan struct{})}
	c.parts = append(c.parts, p)
	go func() {
		defer close(p.done)
		err := work(ctx)
		if ctx.Err() == nil {
			select {
			case c.failed <- fmt.Errorf("%s ended by itself: %w (log: %s)", name, err, c.LogFile()):
			default: // an earlier failure is the cause of this one
			}
		}
	}()
}

func (p *part) end() error {
	p.cancel()
	select {
	case <-p.done:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("%s did not end within %s of being asked to", p.name, patience)
	}
}

// await calls ready every few milliseconds until it is true, the time is up or a part has failed.
func (c *ControlPlane) await(ctx context.Context, what string, ready func(context.Context) (bool, error)) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	var last error
	for {
		ok, err := ready(ctx)
		if ok {
			return nil
		}
		if err != nil && ctx.Err() == nil {
			last = err
		}
		select {
		case <-tick.C:
		case err := <-c.failed:
			c.failed <- err
			return err
		case <-ctx.Done():
			return fmt.Errorf("%s: %w; last answer: %v", what, ctx.Err(), last)
		}
	}
}
