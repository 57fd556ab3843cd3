package sweep

import (
	"context"
	"errors"
	"time"

	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
)

// Tick does what one tick of the clock asks for: see turns. Where it looks at what is fast, and nothing is, and the
// stamp is old, it counts and sets the clock.
//
// An error has the Broker send the tick again. One that has sent pages is not worth it: they would be looked at twice,
// and the next tick comes.
func (o *Observer) Tick(ctx context.Context, tick time.Time) (err error) {
	began, looked := time.Now(), metrics.Sweep("fast")
	defer func() { o.measure(ctx, metrics.SweepDuration, began, looked, err) }()
	state, err := o.Clock.Read(ctx)
	if err != nil {
		return err
	}
	what := o.turns.take(tick, state.Pace, o.Clock.Every())
	switch what {
	case rests:
		return nil
	case looksAtFast:
		moving, err := o.lookAtFast(ctx)
		if err != nil || moving || state.Held(o.Gather.Now()) || !o.turns.calm(o.Gather.Now()) {
			return err
		}
		what = counts
	}
	looked = metrics.Sweep("all")
	o.asked.forget(o.Gather.Now())
	all := fleet{complete: true, census: o.newCensus(), tick: tick, looks: what == looksAtAll, began: began}
	err = o.sweepAll(ctx, state, &all)
	if what == looksAtAll {
		o.turns.end(tick, !all.listed || (all.spread && all.sent == 0), err == nil)
	}
	if err != nil && all.sent > 0 {
		telemetry.Traced(ctx, o.Log).Errorw(
			"a sweep did not come to its end: what is left is looked at by the next one", telemetry.Count, all.sent,
			telemetry.Error, fail.Message(err),
		)
		return nil
	}
	return err
}

// sweepAll sweeps all kinds and sets the clock.
func (o *Observer) sweepAll(ctx context.Context, state clock.State, all *fleet) error {
	var failures []error
	for _, k := range swept() {
		failures = append(failures, o.sweep(ctx, k, all))
	}
	all.census.tell(o, all.complete)
	return errors.Join(append(failures, o.settle(ctx, state, *all))...)
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
