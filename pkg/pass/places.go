package pass

import (
	"context"
	"sync"
)

// places bounds how many passes of this process are at work at once. A pass that only waits, for pods to end or for
// Flink, has left its place; when it goes on it takes one without waiting, so that what has begun is finished before
// anything new begins. Safe for concurrent use.
type places struct {
	mu sync.Mutex
	// free may be below zero: by as many passes as went on while all places were taken.
	free    int
	waiting []chan struct{}
}

// newPlaces are so many; nil, which has no bound, for fewer than one.
func newPlaces(most int) *places {
	if most < 1 {
		return nil
	}
	return &places{free: most}
}

// take waits for a place, behind all who wait already. It fails when the context is done first.
func (p *places) take(ctx context.Context) error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	if p.free > 0 {
		p.free--
		p.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	p.waiting = append(p.waiting, turn)
	p.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, other := range p.waiting {
		if other == turn {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			return ctx.Err()
		}
	}
	p.give() // it was its turn just now
	return ctx.Err()
}

// retake takes a place at once.
func (p *places) retake() {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.free--
	}
}

// leave makes a place free.
func (p *places) leave() {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.give()
	}
}

// give makes a place free for the first who waits. It is called with the lock.
func (p *places) give() {
	if p.free++; p.free > 0 && len(p.waiting) > 0 {
		p.free--
		close(p.waiting[0])
		p.waiting = p.waiting[1:]
	}
}
