package mesh

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Faults are what may happen to an event on its way from a sender to a Broker, and to the function that gets a request.
// Each is a probability from 0 to 1. The same seed and the same order of events give the same faults.
type Faults struct {
	// Seed starts the random numbers.
	Seed uint64
	// Type is that of the events that they may happen to; empty: all.
	Type string
	// Drop loses an event that its sender takes for delivered.
	Drop float64
	// Double delivers an event twice.
	Double float64
	// Delay holds an event back for a time up to DelayUpTo.
	Delay     float64
	DelayUpTo time.Duration
	// Reorder holds an event back until the next one has passed it, or for DelayUpTo if none comes.
	Reorder float64
	// Kill ends the process of a function (SIGKILL) within KillWithin of a request that it gets.
	Kill       float64
	KillWithin time.Duration
}

// Counts are events at the Brokers' ingress, and what was done to them.
type Counts struct {
	// Events came in.
	Events int
	// Dropped, Doubled, Delayed and Reordered are those of them that met a fault; Killed counts functions.
	Dropped, Doubled, Delayed, Reordered, Killed int
}

// trouble carries the faults out.
type trouble struct {
	kill func(types.UID) bool

	mu     sync.Mutex
	faults Faults
	random *rand.Rand
	counts Counts
	passed chan struct{} // closed, and replaced, when an event goes through
	over   chan struct{} // closed when nothing is held back any more
	late   sync.WaitGroup
}

func newTrouble(f Faults, kill func(types.UID) bool) *trouble {
	t := &trouble{kill: kill, passed: make(chan struct{}), over: make(chan struct{})}
	t.set(f)
	return t
}

func (t *trouble) set(f Faults) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.faults, t.random = f, rand.New(rand.NewPCG(f.Seed, 0))
}

// fate is what happens to one event.
type fate struct {
	drop, double bool
	wait         time.Duration
	next         <-chan struct{} // not nil: the wait ends when the next event passes
}

// draw is for an event of that type.
func (t *trouble) draw(of string) fate {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Events++
	f, r := t.faults, t.random
	if f.Type != "" && f.Type != of {
		return fate{}
	}
	// Every number is drawn for every event: what one fault does changes no other's turn.
	drop, double, delay, length, reorder := r.Float64(), r.Float64(), r.Float64(), r.Float64(), r.Float64()
	out := fate{drop: drop < f.Drop, double: double < f.Double}
	switch {
	case out.drop:
		t.counts.Dropped++
		return out
	case reorder < f.Reorder:
		t.counts.Reordered++
		out.wait, out.next = f.DelayUpTo, t.passed
	case delay < f.Delay:
		t.counts.Delayed++
		out.wait = time.Duration(length * float64(f.DelayUpTo))
	}
	if out.double {
		t.counts.Doubled++
	}
	if out.next == nil {
		close(t.passed)
		t.passed = make(chan struct{})
	}
	return out
}

// wrap is the ingress behind the faults. An event that is held back is acknowledged at once: its sender goes on to the
// next.
func (t *trouble) wrap(ingress http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			ingress.ServeHTTP(w, r)
			return
		}
		f := t.draw(r.Header.Get("Ce-Type"))
		if f == (fate{}) {
			ingress.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusAccepted)
		if f.drop {
			return
		}
		late := r.Clone(r.Context())
		late.Body = io.NopCloser(bytes.NewReader(body))
		t.late.Go(func() { t.deliver(ingress, late, body, f) })
	})
}

func (t *trouble) deliver(ingress http.Handler, r *http.Request, body []byte, f fate) {
	r = r.WithContext(context.WithoutCancel(r.Context()))
	if f.wait > 0 {
		select {
		case <-f.next:
		case <-time.After(f.wait):
		case <-t.over:
		}
	}
	times := 1
	if f.double {
		times = 2
	}
	for range times {
		again := r.Clone(r.Context())
		again.Body = io.NopCloser(bytes.NewReader(body))
		ingress.ServeHTTP(httptest.NewRecorder(), again) // the sender has its answer
	}
}

// aim is told of each request that a pod gets, and may end the pod.
func (t *trouble) aim(pod types.UID) {
	t.mu.Lock()
	hit, within := t.faults.Kill > 0 && t.random.Float64() < t.faults.Kill, t.faults.KillWithin
	if hit && within > 0 {
		within = time.Duration(t.random.Int64N(int64(within)))
	}
	t.mu.Unlock()
	if !hit {
		return
	}
	t.late.Go(func() {
		select {
		case <-time.After(within):
		case <-t.over:
		}
		if t.kill(pod) {
			t.mu.Lock()
			t.counts.Killed++
			t.mu.Unlock()
		}
	})
}

// end lets go of what is held back, and returns when it is delivered.
func (t *trouble) end() {
	close(t.over)
	t.late.Wait()
}

func (t *trouble) count() Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts
}
