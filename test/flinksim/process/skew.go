package process

import "time"

// Skew sets how much the clocks of Flink's machines are ahead of everybody else's; negative: behind. Times that Flink
// tells are its own.
func (f *Flink) Skew(ahead time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.skew = ahead
}

// SkewNode is Skew for the processes of one node.
func (f *Flink) SkewNode(node string, ahead time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.skews[node] = ahead
}

// ahead is how much the clock of a node is ahead of everybody else's.
func (f *Flink) ahead(node string) time.Duration {
	if own, set := f.skews[node]; set {
		return own
	}
	return f.skew
}
