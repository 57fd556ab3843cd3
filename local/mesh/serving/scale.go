package serving

import (
	"math"
	"time"
)

// Bounds are what the annotations of a revision say about its scale.
type Bounds struct {
	// Target is how many requests at once one pod is for.
	Target float64
	// Min and Max bound the number of pods. A Max of 0 is no bound.
	Min, Max int
	// Window is how far back requests count.
	Window time.Duration
}

const (
	// panicShare of the window is looked at for bursts.
	panicShare = 0.1
	// panicFrom is how many times too small the scale has to be for the burst to count.
	panicFrom = 2
)

// History is the average number of requests at once in each second, newest last.
type History []float64

// Desired is how many pods there should be, as Serving's autoscaler decides:
//
//	over the window            | over a tenth of it            | pods
//	any request                |                               | average / target, rounded up: at least one
//	none                       |                               | none: Min
//	                           | needs twice what is ready     | what that needs, and no fewer than there are
func Desired(b Bounds, h History, ready int) int {
	n := pods(h.average(b.Window), b.Target)
	if burst := pods(h.average(time.Duration(float64(b.Window)*panicShare)), b.Target); ready > 0 &&
		burst >= panicFrom*ready {
		n = max(n, burst, ready)
	}
	n = max(n, b.Min)
	if b.Max > 0 {
		n = min(n, b.Max)
	}
	return n
}

// pods rounds as Serving does: to six digits, then up.
func pods(concurrency, target float64) int {
	return int(math.Ceil(math.Round(concurrency*1e6) / 1e6 / target))
}

// average is that of the last part of the history. Seconds before its beginning do not count.
func (h History) average(last time.Duration) float64 {
	n := min(len(h), max(1, int(last/time.Second)))
	if n == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range h[len(h)-n:] {
		sum += v
	}
	return sum / float64(n)
}

// With is the history with one more second, no longer than the window.
func (h History) With(v float64, window time.Duration) History {
	h = append(h, v)
	if n := max(1, int(window/time.Second)); len(h) > n {
		h = h[len(h)-n:]
	}
	return h
}
