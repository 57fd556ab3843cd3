package console

import (
	"sync"
	"time"

	"github.com/kn-flink/kn-flink/pkg/view"
)

const (
	// sharedFor is how long an answer is given to whoever asks for the same.
	sharedFor = 2 * time.Second
	// sharedMost is how many answers are kept.
	sharedMost = 200
)

// sharedKey says of whom and of what an answer is.
type sharedKey struct{ caller, what string }

// shared are answers that are not old. The zero value has none.
type shared struct {
	mu      sync.Mutex
	entries map[sharedKey]*sharedEntry
}

type sharedEntry struct {
	once  sync.Once
	from  time.Time
	value any
	err   error
}

// share gives the answer that is not older than age, or makes it once for all who ask meanwhile. A failure is shared,
// too, so that a server that is away is not asked by each tab.
func share[T any](s *shared, key sharedKey, now view.Clock, age time.Duration, produce func() (T, error)) (T, error) {
	e := s.entry(key, now(), age)
	e.once.Do(func() { e.value, e.err = produce() })
	value, _ := e.value.(T)
	return value, e.err
}

// entry is the one of a key that is not older than age.
func (s *shared) entry(key sharedKey, now time.Time, age time.Duration) *sharedEntry {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[key]; e != nil && now.Sub(e.from) < age {
		return e
	}
	if s.entries == nil || len(s.entries) >= sharedMost {
		s.entries = map[sharedKey]*sharedEntry{}
	}
	e := &sharedEntry{from: now}
	s.entries[key] = e
	return e
}
