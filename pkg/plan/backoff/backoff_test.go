package backoff_test

import (
	"math"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
)

// TestRefused: the pauses of what is refused for now begin with 2 s, and anew for another effect or spec.
func TestRefused(t *testing.T) {
	now := metav1.NewTime(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	release := v1beta1.Refused{Effect: "release demo", Retry: v1beta1.Retry{Generation: 1, Reason: "InternalError"}}
	var r *v1beta1.Refused
	for n, want := range []time.Duration{2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600} {
		r = backoff.Refused(r, release, now)
		if got := r.After.Sub(now.Time); got != want*time.Second || int(r.Attempts) != n+1 {
			t.Errorf("after %d refusals: %s, want %s", r.Attempts, got, want*time.Second)
		}
	}
	deletion, newer := release, release
	deletion.Effect, newer.Generation = "delete demo", 2
	if other := backoff.Refused(r, deletion, now); other.Attempts != 1 {
		t.Errorf("another effect has %d attempts", other.Attempts)
	}
	if other := backoff.Refused(r, newer, now); other.Attempts != 1 {
		t.Errorf("another spec has %d attempts", other.Attempts)
	}
}

func TestAfter(t *testing.T) {
	rows := []struct {
		failures int32
		most     time.Duration
		want     time.Duration
	}{
		{-1, time.Hour, 0},
		{0, time.Hour, 0},
		{1, time.Hour, 10 * time.Second},
		{2, time.Hour, 20 * time.Second},
		{5, time.Hour, 160 * time.Second},
		{9, time.Hour, 2560 * time.Second},
		{10, time.Hour, time.Hour},
		{1, 5 * time.Second, 5 * time.Second},
		{math.MaxInt32, 24 * time.Hour, 24 * time.Hour},
	}
	for _, row := range rows {
		if got := backoff.After(row.failures, row.most); got != row.want {
			t.Errorf("after %d failures, at most %s: got %s, want %s", row.failures, row.most, got, row.want)
		}
	}
}
