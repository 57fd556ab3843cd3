package flights

import (
	"context"
	"sync"

	"github.com/kn-flink/kn-flink/pkg/fail"
)

// Flights runs at most one pass per key at a time in this process, and collapses a burst: however many requests come while a pass
// runs, one more pass follows, by the request that runs. The collapsed ones return at once. The zero value is ready.
//
// A request is firm when somebody knows that there is something to do, and a hint otherwise. A run is firm when one of its requests is,
// or when the run of that key before it failed: what it left undone nobody else may ask for.
//
// This saves work; it is no lock. Other pods run passes for the same key, and safety rests on preconditions alone.
type Flights struct {
	mu     sync.Mutex
	flying map[string]*requested
	failed map[string]bool
}

// requested is what came while a run was under way.
type requested struct{ again, firm bool }

// Do runs, or leaves it to the one that runs. An error is that of the last run.
func (f *Flights) Do(ctx context.Context, key string, firm bool, run func(ctx context.Context, firm bool) error) error {
	firm, flies := f.begin(key, firm)
	if !flies {
		return nil
	}
	for {
		err := f.once(ctx, key, firm, run)
		again := false
		again, firm = f.next(key, err)
		if !again {
			return err
		}
		if ctx.Err() != nil {
			f.land(key)
			return fail.As(fail.Transient, "pass of "+key, "Budget", ctx.Err())
		}
	}
}

// once runs, and lets the key go if the run panics.
func (f *Flights) once(ctx context.Context, key string, firm bool, run func(context.Context, bool) error) error {
	done := false
	defer func() {
		if !done {
			f.land(key)
		}
	}()
	err := run(ctx, firm)
	done = true
	return err
}

// begin takes the key, or leaves the request to the run that has it.
func (f *Flights) begin(key string, firm bool) (firmly, flies bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r, flies := f.flying[key]; flies {
		r.again, r.firm = true, r.firm || firm
		return false, false
	}
	if f.flying == nil {
		f.flying, f.failed = map[string]*requested{}, map[string]bool{}
	}
	f.flying[key] = &requested{}
	return firm || f.failed[key], true
}

// next reports whether another run is due and how firmly, or lets the key go.
func (f *Flights) next(key string, err error) (again, firm bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.failed, key)
	if err != nil {
		f.failed[key] = true
	}
	r := f.flying[key]
	if !r.again {
		delete(f.flying, key)
		return false, false
	}
	f.flying[key] = &requested{}
	return true, r.firm || err != nil
}

// land lets the key go after a run that did not come to its end.
func (f *Flights) land(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.flying, key)
	f.failed[key] = true
}
