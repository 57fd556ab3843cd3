package pass

import (
	"context"
	"sync"

	"github.com/kn-flink/kn-flink/pkg/fail"
)

// Flights runs at most one pass per key at a time in this process, and collapses a burst: however many requests come while a pass
// runs, one more pass follows, by the request that runs. The collapsed ones return at once. The zero value is ready.
//
// This saves work; it is no lock. Other pods run passes for the same key, and safety rests on preconditions alone.
type Flights struct {
	mu     sync.Mutex
	flying map[string]*bool
}

// Do runs, or leaves it to the one that runs. An error is that of the last run.
func (f *Flights) Do(ctx context.Context, key string, run func(context.Context) error) error {
	again := f.begin(key)
	if again == nil {
		return nil
	}
	for {
		err := f.once(ctx, key, run)
		if !f.next(key, again) {
			return err
		}
		if ctx.Err() != nil {
			f.land(key)
			return fail.As(fail.Transient, "pass of "+key, "Budget", ctx.Err())
		}
	}
}

// once runs, and lets the key go if the run panics.
func (f *Flights) once(ctx context.Context, key string, run func(context.Context) error) error {
	done := false
	defer func() {
		if !done {
			f.land(key)
		}
	}()
	err := run(ctx)
	done = true
	return err
}

func (f *Flights) begin(key string) *bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if again, flies := f.flying[key]; flies {
		*again = true
		return nil
	}
	if f.flying == nil {
		f.flying = map[string]*bool{}
	}
	again := new(bool)
	f.flying[key] = again
	return again
}

// next reports whether another run is due, or lets the key go.
func (f *Flights) next(key string, again *bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if *again {
		*again = false
		return true
	}
	delete(f.flying, key)
	return false
}

func (f *Flights) land(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.flying, key)
}
