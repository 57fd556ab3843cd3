package pass

import (
	"context"
	"time"
)

// A pass does not wait for Flink: it stores what it has begun, and any later pass goes on. But most of what a stop begins ends within a
// second or two, and the clock ticks every two; so a pass that has just done something stays for a moment and looks again.
const (
	// patient is how long a pass stays after its last effect.
	patient = 4 * time.Second
	// patientInAll is how long it stays in all, which leaves half of its budget to its calls.
	patientInAll = 10 * time.Second
	// firstPause and longestPause lie between two looks; each is twice as long as the one before.
	firstPause   = 200 * time.Millisecond
	longestPause = 400 * time.Millisecond
)

// patience is how long a pass still stays. The zero value has none.
type patience struct {
	left, spent, pause time.Duration
}

// renew begins anew, after an effect.
func (p *patience) renew() {
	p.left, p.pause = min(patient, patientInAll-p.spent), firstPause
}

// waits waits for a while, and reports whether the pass stays.
func (p *patience) waits(ctx context.Context, pause func(context.Context, time.Duration) error) bool {
	if pause == nil || p.left < p.pause || p.pause == 0 {
		return false
	}
	if pause(ctx, p.pause) != nil {
		return false
	}
	p.left, p.spent = p.left-p.pause, p.spent+p.pause
	p.pause = min(longestPause, 2*p.pause)
	return true
}

// Pause waits by the clock of the machine; it ends with the context's error when that is done first.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
