package process

import "time"

// Skew sets how much the clocks of Flink's machines are ahead of everybody else's; negative: behind. Times that Flink
// tells are its own.
func (f *Flink) Skew(ahead time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.skew = ahead
}

// Skewed is how much the clocks of Flink's machines are ahead of everybody else's; negative: behind.
func (f *Flink) Skewed() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.skew
}
