package sweep

import (
	"sync"
	"time"

	"github.com/kn-flink/kn-flink/pkg/clock"
)

// turn is what a tick does.
type turn int

const (
	// rests does nothing: the same tick has been here.
	rests turn = iota
	// looksAtFast looks at what is in transition.
	looksAtFast
	// counts reads how all resources are and sets the clock. What is more than a page is not looked at.
	counts
	// looksAtAll is a full sweep.
	looksAtAll
)

const (
	// ticksEvery is how far the ticks of the transition pace are apart.
	ticksEvery = 2 * time.Second
	// apart is how soon after another a tick is dropped.
	apart = time.Second
	// calmAfter is how soon a tick may count because nothing seems to be in transition any more.
	calmAfter = 10 * time.Second
)

// turns tell whose turn it is to look at all resources: once in each interval of the steady pace, whichever pods there
// are and whichever of them the ticks come to. Pods have no memory in common. What they go by is the time of a tick,
// which the PingSource gives it, and each page of a sweep, which says of which tick it is: whoever gets one knows that
// this interval has its sweep. The zero value knows nothing and is ready. Safe for concurrent use.
//
//	pace         what the pod knows of the interval                          the tick
//	either       a page of this very tick, from another pod                  looks at all: that pod died in its sweep
//	steady       a sweep began less than a quarter of it ago, and ended      rests: it has come again
//	steady       a sweep began less than a quarter of it ago                 counts
//	steady       otherwise                                                   looks at all
//	transition   a sweep of it began                                         looks at what is fast
//	transition   none, and this is its first tick                            looks at all
//	transition   none, although a third of it is over and the pod            looks at all: the first tick was lost
//	             has been there since before it began
//	transition   otherwise                                                   looks at what is fast: another pod sweeps
//
// Asleep, and at a pace that is none of ours, is like steady.
type turns struct {
	mu sync.Mutex
	// began is when the pod got its first tick, or its first page, and tick is the newest tick.
	began, tick time.Time
	// swept is the tick of the newest sweep that the pod knows of, and before the one known before that; own is the newest
	// that it began itself, and ended the newest of those that came to its end.
	swept, before, own, ended time.Time
	// arrived is when the newest tick came, by our own clock.
	arrived time.Time
	// calmed is when the pod counted for the last time.
	calmed time.Time
}

// isFirst reports whether a tick is the first one of an interval.
func isFirst(tick time.Time, every time.Duration) bool {
	return tick.Sub(tick.Truncate(every)) < ticksEvery
}

// ticked notes a tick, and reports whether there is work in it: one that comes within apart of another has none.
// Knative sends ticks further apart, and a tick again a second after it failed; anybody can post more.
func (t *turns) ticked(at, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if since := now.Sub(t.arrived); since >= 0 && since < apart {
		return false
	}
	t.arrived = now
	t.tick = newest(t.tick, at)
	t.begin(at)
	return true
}

// newestTick is the newest one that was noted.
func (t *turns) newestTick() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tick
}

// heard notes a sweep of any pod.
func (t *turns) heard(sweep time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.swept = newest(t.swept, sweep)
	t.begin(sweep)
}

// begin notes the first time that the pod hears of.
func (t *turns) begin(at time.Time) {
	if t.began.IsZero() {
		t.began = at
	}
}

// take is what a tick does. A sweep counts as begun.
func (t *turns) take(tick time.Time, pace clock.Pace, every time.Duration) turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	what := t.next(tick, pace, every)
	if what == looksAtAll {
		t.before, t.swept, t.own = t.swept, tick, tick
	}
	return what
}

// next decides by the table above turns, in its order.
func (t *turns) next(tick time.Time, pace clock.Pace, every time.Duration) turn {
	start := tick.Truncate(every)
	switch {
	case tick.Equal(t.swept) && !tick.Equal(t.own):
		return looksAtAll
	case pace != clock.Transition && tick.Sub(t.ended) < every/4:
		return rests
	case pace != clock.Transition && tick.Sub(t.swept) < every/4:
		return counts
	case pace != clock.Transition:
		return looksAtAll
	case !t.swept.Before(start):
		return looksAtFast
	case isFirst(tick, every):
		return looksAtAll
	case t.began.Before(start) && tick.Sub(start) > every/3:
		return looksAtAll
	}
	return looksAtFast
}

// end notes how the sweep of a tick has ended. One that did nothing has not begun: the tick comes again.
func (t *turns) end(tick time.Time, nothing, well bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if nothing && t.swept.Equal(tick) {
		t.swept, t.own = t.before, time.Time{}
	}
	if well {
		t.ended = newest(t.ended, tick)
	}
}

// calm reports whether a tick may count out of turn, and notes that it does. The clock follows the end of a transition
// at once: every needless tick wakes a function.
func (t *turns) calm(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Sub(newest(t.calmed, t.swept)) < calmAfter {
		return false
	}
	t.calmed = now
	return true
}

// newest is the later one of two times.
func newest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
