package pass

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/fail"
)

func TestABurstIsOnePassAndOneToFollow(t *testing.T) {
	flights := &Flights{}
	started, release := make(chan struct{}), make(chan struct{})
	runs := 0
	run := func(context.Context) error {
		runs++
		if runs == 1 {
			close(started)
			<-release
		}
		return nil
	}
	done := make(chan error)
	go func() { done <- flights.Do(t.Context(), "default/FlinkDeployment/demo", run) }()
	<-started
	var burst sync.WaitGroup
	for range 20 {
		burst.Go(func() {
			if err := flights.Do(t.Context(), "default/FlinkDeployment/demo", run); err != nil {
				t.Errorf("a collapsed request must return at once and well, got %v", err)
			}
		})
	}
	burst.Wait()
	close(release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if runs != 2 {
		t.Errorf("21 requests made %d passes, want the one that ran and one to follow", runs)
	}
}

func TestAnotherKeyFliesByItself(t *testing.T) {
	flights := &Flights{}
	inner := false
	err := flights.Do(t.Context(), "a", func(ctx context.Context) error {
		return flights.Do(ctx, "b", func(context.Context) error { inner = true; return nil })
	})
	if err != nil || !inner {
		t.Errorf("the pass for b did not run beside the one for a: %v", err)
	}
}

func TestTheErrorIsTheLastOne(t *testing.T) {
	flights := &Flights{}
	broken := errors.New("broken")
	runs := 0
	err := flights.Do(t.Context(), "a", func(ctx context.Context) error {
		runs++
		if runs == 1 {
			_ = flights.Do(ctx, "a", nil) // collapsed: asks for one more
			return broken
		}
		return nil
	})
	if err != nil || runs != 2 {
		t.Errorf("the second pass mended it: got %v after %d passes", err, runs)
	}
	if err := flights.Do(t.Context(), "a", func(context.Context) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want the pass's own error", err)
	}
}

func TestACollapsedRequestIsNotLostWhenTheBudgetEnds(t *testing.T) {
	flights := &Flights{}
	ctx, cancel := context.WithCancel(t.Context())
	err := flights.Do(ctx, "a", func(ctx context.Context) error {
		_ = flights.Do(ctx, "a", nil)
		cancel()
		return nil
	})
	if !fail.Is(err, fail.Transient) {
		t.Errorf("the event must be sent again, got %v", err)
	}
	ran := false
	if err := flights.Do(t.Context(), "a", func(context.Context) error { ran = true; return nil }); err != nil || !ran {
		t.Errorf("the key must fly again, ran %t, %v", ran, err)
	}
}

func TestAPanicLetsTheKeyGo(t *testing.T) {
	flights := &Flights{}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic must reach the receiver, which answers it")
			}
		}()
		_ = flights.Do(t.Context(), "a", func(context.Context) error { panic("broken") })
	}()
	ran := false
	if err := flights.Do(t.Context(), "a", func(context.Context) error { ran = true; return nil }); err != nil || !ran {
		t.Errorf("the key must fly again, ran %t, %v", ran, err)
	}
}
