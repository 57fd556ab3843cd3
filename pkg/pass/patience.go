package pass

import (
	"context"
	"time"
)

// A pass does not wait for Flink: it stores what it has begun, and any later pass goes on. But most of what a stop
// begins ends within a second or two, and the clock ticks every two; so a pass that has just done something stays for a
// moment and looks again.
const (
	// patient is how long a pass stays after its last effect.
	patient = 4 * time.Second
	// patientInAll is how long it stays in all, which leaves half of its budget to its calls.
	patientInAll = 10 * time.Second
	// firstPause and longestPause lie between two looks; each is twice as long as the one before.
	firstPause   = 200 * time.Millisecond
	longestPause = 400 * time.Millisecond
	// alarmPause is the longest one where an alarm ends it.
	alarmPause = time.Second
)

// Pause waits, by the clock that it has, until the alarm rings; nil never does. It says how long that was, or returns
// the context's error.
type Pause func(ctx context.Context, d time.Duration, alarm <-chan struct{}) (time.Duration, error)

// Alarm rings, until the context is done, when a pod of the cluster of this name has ended.
type Alarm func(ctx context.Context, namespace, name string) (<-chan struct{}, error)

// patience is how long a pass still stays. The zero value has none.
type patience struct {
	left, spent, pause time.Duration
}

// renew begins anew, after an effect.
func (p *patience) renew() {
	p.left, p.pause = min(patient, patientInAll-p.spent), firstPause
}

// waits waits for a while, and reports whether the pass stays.
func (p *patience) waits(ctx context.Context, pause Pause, alarm <-chan struct{}) bool {
	if pause == nil || p.left < p.pause || p.pause == 0 {
		return false
	}
	spent, err := pause(ctx, p.pause, alarm)
	if err != nil {
		return false
	}
	longest := longestPause
	if alarm != nil {
		longest = alarmPause
	}
	p.left, p.spent = p.left-spent, p.spent+spent
	p.pause = min(longest, 2*p.pause)
	return true
}

// Wait is a Pause by the clock of the machine.
func Wait(ctx context.Context, d time.Duration, alarm <-chan struct{}) (time.Duration, error) {
	started := time.Now()
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return d, nil
		case _, rings := <-alarm:
			if rings {
				return time.Since(started), nil
			}
			alarm = nil // it rings no more
		case <-ctx.Done():
			return time.Since(started), ctx.Err()
		}
	}
}
