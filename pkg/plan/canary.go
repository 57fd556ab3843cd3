package plan

import "time"

// CanarySeen is how far the proof is that a canary gives: somebody changes its spec on purpose, and looks whether that
// change wakes a pass.
//
//	the clock          a sweep asks for a pass when the canary is due
//	that pass          changes spec.restartNonce, and says when in an annotation
//	the source         the event of that change wakes another pass
//	that pass          writes status.observedGeneration: the change was answered
//	the next sweep     finds it answered, or not
type CanarySeen struct {
	// Generation is that of the spec, Answered the one whose event woke a pass last; 0 means none.
	Generation, Answered int64
	// Asked is when the spec was changed first of those changes that nobody has answered; zero means never.
	Asked time.Time
}

// Unanswered is for how long a change has not been answered; zero means that all were.
func (c CanarySeen) Unanswered(now time.Time) time.Duration {
	if c.Generation == c.Answered || c.Asked.IsZero() {
		return 0
	}
	return max(0, now.Sub(c.Asked))
}

// Due reports whether its spec is to be changed again: the time for an answer is over, whether there was one or not. So
// it recovers by itself when the source does.
func (c CanarySeen) Due(now time.Time, timeout time.Duration) bool {
	return c.Asked.IsZero() || now.Sub(c.Asked) >= timeout
}

// AskedAt is what the annotation says after a change: the time of the first that was not answered.
func (c CanarySeen) AskedAt(now time.Time) time.Time {
	if c.Unanswered(now) > 0 {
		return c.Asked
	}
	return now
}
