package pass

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Of the passes with large resources two are at work at once, one of them of one namespace; all others do not wait for
// them.
func TestLargeResourcesAreWorkedOnTwoAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &Runner{large: newPlaces(largeAtOnce, false)}
		pass := func(namespace string, cost int) (took time.Duration) {
			began, seat := time.Now(), &largeSeat{places: r.large, namespace: namespace}
			defer seat.leave()
			for range 2 { // the resource, and another that the pass reads
				if err := seat.room(t.Context(), cost); err != nil {
					t.Error(err)
				}
			}
			took = time.Since(began)
			<-time.After(time.Second)
			return took
		}
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { pass("greedy", largeFrom) })
		}
		synctest.Wait()
		for namespace, cost := range map[string]int{"greedy": largeFrom - 1, "other": largeFrom} {
			if took := pass(namespace, cost); took != 0 {
				t.Errorf("a pass of %s with %d bytes waited %s", namespace, cost, took)
			}
		}
		began := time.Now()
		all.Wait()
		if took := time.Since(began); took != 8*time.Second {
			t.Errorf("the others of the namespace were done after %s, want 8 s: one at a time", took)
		}
	})
}

// A pass that only waits leaves its place, and one that did not wait for it keeps none.
func TestALargeResourceHoldsNoPlaceLongerThanItsPass(t *testing.T) {
	p := newPlaces(1, true)
	first, second := &largeSeat{places: p}, &largeSeat{places: p}
	if err := first.room(t.Context(), largeFrom); err != nil {
		t.Fatal(err)
	}
	back := first.away()
	if err := second.room(t.Context(), largeFrom); err != nil {
		t.Fatal(err)
	}
	second.leave()
	back()
	done, cancel := context.WithCancel(t.Context())
	cancel()
	third := &largeSeat{places: p}
	if err := third.room(done, largeFrom); err == nil {
		t.Error("a pass whose time is over got a place")
	}
	third.leave()
	first.leave()
	if p.free != 1 || len(p.held) != 0 {
		t.Errorf("%d places are free and %v held at the end, want 1 and none", p.free, p.held)
	}
}
