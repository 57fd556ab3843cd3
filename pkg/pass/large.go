package pass

import (
	"context"
	"sync"
)

const (
	// largeAtOnce is how many passes with large resources are at work at once, one of them of one namespace. A pass over
	// the largest resource that is allowed takes some 20 MiB.
	largeAtOnce = 2
	// largeFrom is what a resource takes in memory, in bytes, to count as large. Others take some 60 KB.
	largeFrom = 512 << 10
)

// largeSeat is the place of one pass among those with large resources. It is taken when the first large resource comes,
// before that is decoded. Safe for concurrent use; the zero value with no places has no bound.
type largeSeat struct {
	places    *places
	namespace string

	mu          sync.Mutex
	taken, over bool
}

// room waits for the place, if the answer of the API server needs one and the pass has none yet.
func (s *largeSeat) room(ctx context.Context, cost int) error {
	s.mu.Lock()
	needs := cost >= largeFrom && !s.taken && !s.over
	s.mu.Unlock()
	if !needs {
		return nil
	}
	if err := s.places.take(ctx, s.namespace); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken || s.over { // another answer of the pass was first, or the pass did not wait
		s.places.leave(s.namespace)
		return ctx.Err()
	}
	s.taken = true
	return nil
}

// away leaves the place while the pass only waits; back takes it again at once.
func (s *largeSeat) away() (back func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.taken {
		return func() {}
	}
	s.places.leave(s.namespace)
	return func() { s.places.retake(s.namespace) }
}

// leave ends the pass.
func (s *largeSeat) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken {
		s.places.leave(s.namespace)
	}
	s.taken, s.over = false, true
}
