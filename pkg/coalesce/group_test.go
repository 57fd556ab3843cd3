package coalesce

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/fail"
)

func TestABurstIsOnePassAndOneToFollow(t *testing.T) {
	flights := &Group{}
	started, release := make(chan struct{}), make(chan struct{})
	runs := 0
	run := func(context.Context, bool) error {
		runs++
		if runs == 1 {
			close(started)
			<-release
		}
		return nil
	}
	done := make(chan error)
	go func() { done <- flights.Do(t.Context(), "default/FlinkDeployment/demo", true, run) }()
	<-started
	var burst sync.WaitGroup
	for range 20 {
		burst.Go(func() {
			if err := flights.Do(t.Context(), "default/FlinkDeployment/demo", true, run); err != nil {
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
	flights := &Group{}
	inner := false
	err := flights.Do(t.Context(), "a", true, func(ctx context.Context, _ bool) error {
		return flights.Do(ctx, "b", true, func(context.Context, bool) error { inner = true; return nil })
	})
	if err != nil || !inner {
		t.Errorf("the pass for b did not run beside the one for a: %v", err)
	}
}

func TestTheErrorIsTheLastOne(t *testing.T) {
	flights := &Group{}
	broken := errors.New("broken")
	runs := 0
	err := flights.Do(t.Context(), "a", true, func(ctx context.Context, _ bool) error {
		runs++
		if runs == 1 {
			_ = flights.Do(ctx, "a", true, nil) // collapsed: asks for one more
			return broken
		}
		return nil
	})
	if err != nil || runs != 2 {
		t.Errorf("the second pass fixed it: got %v after %d passes", err, runs)
	}
	if err := flights.Do(t.Context(), "a", true, func(context.Context, bool) error {
		return broken
	}); !errors.Is(err, broken) {
		t.Errorf("got %v, want the pass's own error", err)
	}
}

func TestACollapsedRequestIsNotLost(t *testing.T) {
	flights := &Group{}
	ctx, cancel := context.WithCancel(t.Context())
	err := flights.Do(ctx, "a", true, func(ctx context.Context, _ bool) error {
		_ = flights.Do(ctx, "a", true, nil)
		cancel()
		return nil
	})
	if !fail.Is(err, fail.Transient) {
		t.Errorf("the event must be sent again, got %v", err)
	}
	ran := false
	if err := flights.Do(t.Context(), "a", true, func(context.Context, bool) error {
		ran = true
		return nil
	}); err != nil || !ran {
		t.Errorf("the key must fly again, ran %t, %v", ran, err)
	}
}

func TestAPanicLetsTheKeyGo(t *testing.T) {
	flights := &Group{}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic must reach the receiver, which answers it")
			}
		}()
		_ = flights.Do(t.Context(), "a", true, func(context.Context, bool) error { panic("broken") })
	}()
	ran := false
	if err := flights.Do(t.Context(), "a", true, func(context.Context, bool) error {
		ran = true
		return nil
	}); err != nil || !ran {
		t.Errorf("the key must fly again, ran %t, %v", ran, err)
	}
}

// TestAHintStaysAHint: only a run that somebody asked for, or that goes on with one that failed, is firm.
func TestAHintStaysAHint(t *testing.T) {
	flights := &Group{}
	var runs []bool
	run := func(err error, meanwhile ...bool) func(context.Context, bool) error {
		return func(ctx context.Context, firm bool) error {
			runs = append(runs, firm)
			for _, m := range meanwhile {
				_ = flights.Do(ctx, "a", m, nil) // collapsed
			}
			meanwhile = nil
			return err
		}
	}
	broken := errors.New("broken")
	rows := []struct {
		reason string
		firm   bool
		run    func(context.Context, bool) error
		want   []bool
	}{
		{"nothing but a hint", false, run(nil), []bool{false}},
		{"asked for", true, run(nil), []bool{true}},
		{"hints meanwhile", true, run(nil, false, false), []bool{true, false}},
		{"asked for meanwhile, then a hint", false, run(nil, true, false), []bool{false, true}},
		{
			"it failed, and a hint came meanwhile: nobody else asks for what is left", false, run(broken, false),
			[]bool{false, true},
		},
		{"the event of the one that failed comes again", false, run(nil), []bool{true}},
		{"and after that it is a hint again", false, run(nil), []bool{false}},
	}
	for _, row := range rows {
		runs = nil
		_ = flights.Do(t.Context(), "a", row.firm, row.run)
		if !slices.Equal(runs, row.want) {
			t.Errorf("%s: runs %v, want %v", row.reason, runs, row.want)
		}
	}
}
