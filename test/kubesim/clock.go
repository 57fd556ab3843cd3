package kubesim

import (
	"sync"
	"time"
)

// Epoch is where every simulated clock starts: a Thursday noon, so that a cron schedule reads well.
var Epoch = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// Clock is simulated time. It moves only when told to. Safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that stands at Epoch.
func NewClock() *Clock { return &Clock{now: Epoch} }

// Now returns the simulated time, in UTC.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock forward.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
