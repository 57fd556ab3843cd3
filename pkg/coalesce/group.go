package coalesce

import (
	"context"
	"sync"

	"github.com/kn-flink/kn-flink/pkg/fail"
)

// Group runs at most one pass per key at a time in this process, and collapses a burst: however many requests come
// while a pass runs, one more pass follows, by the request that runs. The collapsed ones return at once. The zero value
// is ready.
//
// A request is firm when somebody knows that there is something to do, and a hint otherwise. A run is firm when one of
// its requests is, or when the run of that key before it failed: what it left undone nobody else may ask for.
//
// This saves work; it is no lock. Other pods run passes for the same key, and safety rests on preconditions alone.
type Group struct {
	mu      sync.Mutex
	running map[string]*requested
	failed  map[string]bool
}

// requested is what came while a run was under way.
type requested struct{ again, firm bool }

// Do runs, or leaves it to the one that runs. An error is that of the last run.
func (f *Group) Do(ctx context.Context, key string, firm bool, run func(ctx context.Context, firm bool) error) error {
	firm, runs := f.begin(key, firm)
	if !runs {
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
			f.release(key)
			return fail.As(fail.Transient, "pass of "+key, "Budget", ctx.Err())
		}
	}
}

// once runs, and lets the key go if the run panics.
func (f *Group) once(ctx context.Context, key string, firm bool, run func(context.Context, bool) error) error {
	done := false
	defer func() {
		if !done {
			f.release(key)
		}
	}()
	err := run(ctx, firm)
	done = true
	return err
}

// begin takes the key, or leaves the request to the run that has it.
func (f *Group) begin(key string, firm bool) (firmly, runs bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r, runs := f.running[key]; runs {
		r.again, r.firm = true, r.firm || firm
		return false, false
	}
	if f.running == nil {
		f.running, f.failed = map[string]*requested{}, map[string]bool{}
	}
	f.running[key] = &requested{}
	return firm || f.failed[key], true
}

// next reports whether another run is due and how firmly, or lets the key go.
func (f *Group) next(key string, err error) (again, firm bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.failed, key)
	if err != nil {
		f.failed[key] = true
	}
	r := f.running[key]
	if !r.again {
		delete(f.running, key)
		return false, false
	}
	f.running[key] = &requested{}
	return true, r.firm || err != nil
}

// release lets the key go after a run that did not come to its end.
func (f *Group) release(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.running, key)
	f.failed[key] = true
}
