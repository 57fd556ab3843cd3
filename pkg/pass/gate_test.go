package pass

import (
	"context"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/fail"
)

func TestTheGateLetsSoManyThrough(t *testing.T) {
	gate := NewGate(1, time.Minute)
	inside, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- gate.Through(t.Context(), func(context.Context) error { close(inside); <-release; return nil })
	}()
	<-inside
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := gate.Through(ctx, func(context.Context) error { t.Error("two at a time"); return nil }); !fail.Is(err, fail.Transient) {
		t.Errorf("a caller whose time is over must come again, got %v", err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := gate.Through(t.Context(), func(ctx context.Context) error {
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("a pass without a budget")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
