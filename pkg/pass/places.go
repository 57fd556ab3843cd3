package pass

import (
	"context"
	"slices"
	"sync"
)

// shares is how many namespaces have all places between them: each has at most its share, so that one whose JobManagers
// do not answer, or that has many resources, leaves places for the others.
const shares = 4

// places bounds how many passes of this process are at work at once, and how many of one namespace. A pass that only
// waits, for pods to end or for Flink, has left its place; when it continues it takes one without waiting, so that what
// has begun is finished before anything new begins. Safe for concurrent use.
type places struct {
	mu sync.Mutex
	// free may be below zero: by as many passes as continued while all places were taken.
	free int
	// share is how many one namespace has at most.
	share   int
	held    map[string]int
	waiting []*waiter
}

// waiter is a pass that waits for a place.
type waiter struct {
	namespace string
	turn      chan struct{}
}

// newPlaces are so many; nil, which has no bound, for fewer than one. alone is whether there is one namespace only,
// which may have all of them.
func newPlaces(most int, alone bool) *places {
	if most < 1 {
		return nil
	}
	share := most
	if !alone {
		share = max(1, most/shares)
	}
	return &places{free: most, share: share, held: map[string]int{}}
}

// take waits for a place, behind all of its namespace that wait already. It fails when the context is done first.
func (p *places) take(ctx context.Context, namespace string) error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	if p.free > 0 && p.held[namespace] < p.share {
		p.seat(namespace)
		p.mu.Unlock()
		return nil
	}
	w := &waiter{namespace, make(chan struct{})}
	p.waiting = append(p.waiting, w)
	p.mu.Unlock()
	select {
	case <-w.turn:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.waiting, w); i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
	} else {
		p.give(namespace) // it was its turn just now
	}
	return ctx.Err()
}

// retake takes a place at once.
func (p *places) retake(namespace string) {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.seat(namespace)
	}
}

// leave makes a place free.
func (p *places) leave(namespace string) {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.give(namespace)
	}
}

// seat takes a place for a namespace. It is called with the lock, as give is.
func (p *places) seat(namespace string) {
	p.free--
	p.held[namespace]++
}

// give makes a place of a namespace free for the first who waits and whose namespace has not got its share.
func (p *places) give(namespace string) {
	p.free++
	if p.held[namespace]--; p.held[namespace] == 0 {
		delete(p.held, namespace)
	}
	for p.free > 0 {
		i := slices.IndexFunc(p.waiting, func(w *waiter) bool { return p.held[w.namespace] < p.share })
		if i < 0 {
			return
		}
		w := p.waiting[i]
		p.waiting = slices.Delete(p.waiting, i, i+1)
		p.seat(w.namespace)
		close(w.turn)
	}
}
