package pass

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
)

// TestPlacesBoundWhatIsAtWork: of ten passes of a second each, three at a time take four seconds.
func TestPlacesBoundWhatIsAtWork(t *testing.T) {
	for most, want := range map[int]time.Duration{3: 4 * time.Second, -1: time.Second, 0: time.Second} {
		synctest.Test(t, func(t *testing.T) {
			p, started := newPlaces(most, true), time.Now()
			var all sync.WaitGroup
			for range 10 {
				all.Go(func() {
					if err := p.take(t.Context(), "flink"); err != nil {
						t.Error(err)
					}
					defer p.leave("flink")
					<-time.After(time.Second)
				})
			}
			all.Wait()
			if took := time.Since(started); took != want {
				t.Errorf("%d places: all were done after %s, want %s", most, took, want)
			}
		})
	}
}

func TestPlacesGoInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, order := newPlaces(1, true), make(chan int, 5)
		if err := p.take(t.Context(), "flink"); err != nil {
			t.Fatal(err)
		}
		for i := range cap(order) {
			go func() {
				if err := p.take(t.Context(), "flink"); err != nil {
					t.Error(err)
				}
				order <- i
				p.leave("flink")
			}()
			synctest.Wait()
		}
		p.leave("flink")
		var got []int
		for range cap(order) {
			got = append(got, <-order)
		}
		if !slices.IsSorted(got) {
			t.Errorf("those who waited had their turn in the order %v", got)
		}
	})
}

// TestWhoGoesOnWaitsForNobody: what has begun is finished before anything new begins.
func TestWhoGoesOnWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, begun := newPlaces(1, true), false
		if err := p.take(t.Context(), "flink"); err != nil {
			t.Fatal(err)
		}
		p.leave("flink") // for a pause
		if err := p.take(t.Context(), "flink"); err != nil {
			t.Fatal(err)
		}
		p.retake("flink") // the pause is over
		go func() {
			if err := p.take(t.Context(), "flink"); err != nil {
				t.Error(err)
			}
			begun = true
		}()
		p.leave("flink")
		synctest.Wait()
		if begun {
			t.Error("a pass began while the only place was taken by one that had gone on")
		}
		p.leave("flink")
		synctest.Wait()
		if !begun {
			t.Error("no pass began though the place was free")
		}
	})
}

func TestWhoGivesUpTakesNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlaces(1, true)
		if err := p.take(t.Context(), "flink"); err != nil {
			t.Fatal(err)
		}
		short, done := context.WithTimeout(t.Context(), time.Second)
		defer done()
		if err := p.take(short, "flink"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the end of its time", err)
		}
		p.leave("flink")
		if err := p.take(t.Context(), "flink"); err != nil {
			t.Errorf("the place is free: %v", err)
		}
	})
}

// TestAPassThatWaitsLeavesItsPlace: what a stop brings about may take seconds, in which another resource has its turn.
func TestAPassThatWaitsLeavesItsPlace(t *testing.T) {
	i := install(t)
	waited := i.stays()
	i.r.places = newPlaces(1, true)
	pause, others := i.r.Pause, 0
	i.r.Pause = func(ctx context.Context, d time.Duration, ended <-chan struct{}) (time.Duration, error) {
		if err := i.r.places.take(ctx, "flink"); err != nil {
			return 0, err
		}
		defer i.r.places.leave("flink")
		others++
		return pause(ctx, d, ended)
	}
	i.merge("demo", map[string]any{"spec": map[string]any{"job": map[string]any{"state": "suspended"}}})
	i.pass(v1beta1.KindFlinkDeployment, "demo")
	if *waited == 0 || others == 0 || i.lifecycle() != v1beta1.LifecycleSuspended {
		t.Errorf("%s after %s, with %d turns for others", i.lifecycle(), *waited, others)
	}
	if i.r.places.free != 1 {
		t.Errorf("%d places are free after the pass, want 1", i.r.places.free)
	}
}

// TestAPassWithoutATurnIsAskedForAgain: its event comes once more.
func TestAPassWithoutATurnIsAskedForAgain(t *testing.T) {
	i := install(t)
	i.r.places = newPlaces(1, true)
	if err := i.r.places.take(t.Context(), "flink"); err != nil {
		t.Fatal(err)
	}
	over, done := context.WithCancel(t.Context())
	done()
	err := i.r.Run(over, event.Key{Kind: v1beta1.KindFlinkDeployment, Namespace: "flink", Name: "demo"}, true)
	if fail.KindOf(err) != fail.Transient {
		t.Errorf("got %v, want an error for which the event is sent again", err)
	}
}

// TestAPassHasItsWholeBudgetAtWork: how long it waited for its place does not count.
func TestAPassHasItsWholeBudgetAtWork(t *testing.T) {
	i := install(t)
	i.r.Budget, i.r.places = time.Hour, newPlaces(1, true)
	var ends time.Time
	i.stays()
	pause := i.r.Pause
	i.r.Pause = func(ctx context.Context, d time.Duration, ended <-chan struct{}) (time.Duration, error) {
		ends, _ = ctx.Deadline()
		return pause(ctx, d, ended)
	}
	i.merge("demo", map[string]any{"spec": map[string]any{"job": map[string]any{"state": "suspended"}}})
	if err := i.r.places.take(t.Context(), "flink"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		done <- i.r.Run(t.Context(), event.Key{Kind: v1beta1.KindFlinkDeployment, Namespace: "flink", Name: "demo"}, true)
	}()
	for !i.r.places.awaited() {
		runtime.Gosched()
	}
	began := time.Now()
	i.r.places.leave("flink")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if ends.Before(began.Add(time.Hour)) {
		t.Errorf("a pass that had its turn at %s must end by %s, which is less than an hour", began, ends)
	}
}

// TestOneNamespaceLeavesPlacesForOthers: JobManagers that accept and never answer hold their passes as long as they
// may.
func TestOneNamespaceLeavesPlacesForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlaces(8, false)
		var mu sync.Mutex
		atWork, most := map[string]int{}, map[string]int{}
		pass := func(namespace string, takes time.Duration) {
			if err := p.take(t.Context(), namespace); err != nil {
				t.Error(err)
			}
			defer p.leave(namespace)
			mu.Lock()
			atWork[namespace]++
			most[namespace] = max(most[namespace], atWork[namespace])
			mu.Unlock()
			<-time.After(takes)
			mu.Lock()
			atWork[namespace]--
			mu.Unlock()
		}
		var all, others sync.WaitGroup
		for range 20 {
			all.Go(func() { pass("greedy", 20*time.Second) })
		}
		synctest.Wait()
		started := time.Now()
		for _, namespace := range []string{"a", "b", "c"} {
			others.Go(func() { pass(namespace, time.Second) })
		}
		others.Wait()
		if took := time.Since(started); took != time.Second {
			t.Errorf("the passes of other namespaces took %s, want a second: there are places for them", took)
		}
		all.Wait()
		if most["greedy"] != 2 {
			t.Errorf("%d passes of one namespace at once, want a quarter of 8", most["greedy"])
		}
		if p.free != 8 || len(p.held) != 0 {
			t.Errorf("%d places are free and %v held at the end, want 8 and none", p.free, p.held)
		}
	})
}

// awaited reports whether a pass waits for a place.
func (p *places) awaited() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting) > 0
}
