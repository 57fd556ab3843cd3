package sweep

import (
	"sync"
	"time"

	"github.com/kn-flink/kn-flink/pkg/event"
)

// A pass that was asked for may still be on its way: where many resources change at once, it waits for all that were
// asked for before it. To ask again at each tick makes that queue longer, and whoever is behind in it later.
//
//	asked for the same before                   then
//	no, or by another version of the resource   ask
//	less than its patience ago                  nothing: the pass is on its way
//	longer ago                                  ask: it was lost, or failed; twice the patience, up to mostPatience
//
// The same is a pass for the same version of a resource that would do the same. What a pod remembers is never needed:
// one that knows nothing asks.
const (
	// leastPatience is more than one tick of the transition pace, and less than two.
	leastPatience = 3 * time.Second
	// mostPatience is less than the steady pace, so that the clock alone loses nothing.
	mostPatience = 12 * time.Second
	// askedFor is how long a request is remembered, longer than any patience.
	askedFor = time.Minute
)

// question is what a pass is asked for.
type question struct {
	// version is the resource's metadata.resourceVersion.
	version string
	// plan is what the pass would do, in words.
	plan string
}

// asked are the passes that a pod has asked for. The zero value is ready. Safe for concurrent use.
type asked struct {
	mu   sync.Mutex
	last map[event.Key]*request
}

// request is the last one for a resource.
type request struct {
	question
	at       time.Time
	patience time.Duration
}

// due reports whether to ask now, and remembers that it was.
func (a *asked) due(of event.Key, q question, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	last, found := a.last[of]
	switch {
	case !found || last.question != q:
		if a.last == nil {
			a.last = map[event.Key]*request{}
		}
		a.last[of] = &request{question: q, at: now, patience: leastPatience}
		return true
	case now.Sub(last.at) < last.patience:
		return false
	}
	last.at, last.patience = now, min(2*last.patience, mostPatience)
	return true
}

// refused forgets a request that nobody took.
func (a *asked) refused(of event.Key) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.last, of)
}

// forget leaves out what nobody asked for lately.
func (a *asked) forget(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for of, last := range a.last {
		if now.Sub(last.at) > askedFor {
			delete(a.last, of)
		}
	}
}
