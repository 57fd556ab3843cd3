package pass

import (
	"context"
	"time"
)

// A pass does not wait for Flink: it stores what it has begun, and any later pass goes on. But most of what a stop
// begins ends within a second or two, and the clock ticks every two; so a pass that has just done something stays for a
// moment and looks again.
const (
	// pollFor is how long a pass stays after its last effect, see begins.
	pollFor = 4 * time.Second
	// pollAtMost is how long it stays in all, which leaves half of its budget to its calls.
	pollAtMost = 10 * time.Second
	// firstInterval and longestInterval lie between two looks; each is twice as long as the one before.
	firstInterval   = 200 * time.Millisecond
	longestInterval = 400 * time.Millisecond
	// quickInterval is the one while no job runs. A look itself takes about as long.
	quickInterval = 50 * time.Millisecond
	// watchInterval is the longest one where the watch of pods can end it.
	watchInterval = time.Second
)

// Pause waits, by the clock that it has, or until ended signals; nil never does. It says how long that was, or returns
// the context's error.
type Pause func(ctx context.Context, d time.Duration, ended <-chan struct{}) (time.Duration, error)

// PodsEnd signals, until the context is done, that a pod of the cluster of this name has ended.
type PodsEnd func(ctx context.Context, namespace, name string) (<-chan struct{}, error)

// polling is how long a pass still stays. The zero value has none.
type polling struct {
	left, spent, pause time.Duration
}

// renew begins anew, after an effect.
func (p *polling) renew() {
	p.left, p.pause = min(pollFor, pollAtMost-p.spent), firstInterval
}

// waits waits for a while, and reports whether the pass stays.
func (p *polling) waits(ctx context.Context, pause Pause, ended <-chan struct{}, isQuick bool) bool {
	if pause == nil || p.left < p.pause || p.pause == 0 {
		return false
	}
	if isQuick {
		p.pause = quickInterval
	}
	spent, err := pause(ctx, p.pause, ended)
	if err != nil {
		return false
	}
	longest := longestInterval
	if ended != nil {
		longest = watchInterval
	}
	p.left, p.spent = p.left-spent, p.spent+spent
	p.pause = min(longest, 2*p.pause)
	return true
}

// Wait is a Pause by the clock of the machine.
func Wait(ctx context.Context, d time.Duration, ended <-chan struct{}) (time.Duration, error) {
	started := time.Now()
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return d, nil
		case _, open := <-ended:
			if open {
				return time.Since(started), nil
			}
			ended = nil // it signals no more
		case <-ctx.Done():
			return time.Since(started), ctx.Err()
		}
	}
}
