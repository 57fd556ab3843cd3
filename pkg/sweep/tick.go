package sweep

import (
	"context"
	"errors"
	"time"

	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
)

// Tick does what one tick of the clock asks for.
//
//	clock        last full sweep of this pod   looks at               sets the clock
//	transition   in this steady interval       fast resources         no
//	  and none of them is fast, the stamp is
//	  old, no sweep for calmAfter              all                    yes
//	transition   earlier, or none              all                    yes
//	otherwise    -                             all                    yes
//
// Whether a sweep is due is remembered, not read off the tick: a tick that was collapsed into another must not take the
// sweep with it.
func (o *Observer) Tick(ctx context.Context) (err error) {
	began, looked := time.Now(), metrics.Sweep("fast")
	defer func() { o.measure(ctx, metrics.SweepDuration, began, looked, err) }()
	state, err := o.Clock.Read(ctx)
	if err != nil {
		return err
	}
	if !o.sweepDue(state.Pace) {
		moving, err := o.lookAtFast(ctx)
		if err != nil || moving || state.Held(o.Gather.Now()) || !o.calmDue() {
			return err
		}
	}
	looked = metrics.Sweep("all")
	all := fleet{complete: true, census: o.newCensus()}
	var failures []error
	for _, k := range kinds {
		failures = append(failures, o.sweep(ctx, k, &all))
	}
	all.census.tell(o, all.complete)
	return errors.Join(append(failures, o.settle(ctx, state, all))...)
}

// sweepDue reports whether this tick is the full sweep, and remembers that it was.
func (o *Observer) sweepDue(pace clock.Pace) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.Gather.Now()
	if every := o.Clock.Every(); pace == clock.Transition && o.swept.Truncate(every).Equal(now.Truncate(every)) {
		return false
	}
	o.swept = now
	o.asked.forget(now)
	return true
}

// calmAfter is how soon a sweep may follow another because nothing seems to be in transition any more.
const calmAfter = 10 * time.Second

// calmDue reports whether a sweep out of turn may set the clock, and remembers that it did. The clock follows the end
// of a transition at once: every needless tick wakes a function.
func (o *Observer) calmDue() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.Gather.Now()
	if now.Sub(o.swept) < calmAfter {
		return false
	}
	o.swept = now
	return true
}

// settle gives the clock the pace that the fleet needs. What a sweep could not read may run: it is looked for each
// minute, and not more often, as whoever leaves it in transition stamps the clock.
func (o *Observer) settle(ctx context.Context, state clock.State, seen fleet) error {
	wanted := clock.Wanted(seen.moving, seen.running || !seen.complete)
	changed, err := o.Clock.Settle(ctx, state, wanted)
	if changed {
		telemetry.Traced(ctx, o.Log).Infow("clock set", telemetry.Pace, string(wanted), telemetry.Count, seen.count)
	}
	return err
}
