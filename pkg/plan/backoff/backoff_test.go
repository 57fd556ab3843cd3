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

var now = metav1.NewTime(time.Unix(1_800_000_000, 0))

// Failures of one generation count, those of another do not.
func TestFailed(t *testing.T) {
	rows := map[string]struct {
		before   *v1beta1.Retry
		attempts int32
		pause    time.Duration
	}{
		"the first":             {nil, 1, 10 * time.Second},
		"the third":             {&v1beta1.Retry{Generation: 4, Attempts: 2}, 3, 40 * time.Second},
		"of another generation": {&v1beta1.Retry{Generation: 3, Attempts: 2}, 1, 10 * time.Second},
		"the hundredth":         {&v1beta1.Retry{Generation: 4, Attempts: 99}, 100, 10 * time.Minute},
	}
	for name, row := range rows {
		got := backoff.Failed(row.before, 4, now, "Why", "so")
		want := v1beta1.Retry{
			Generation: 4, Attempts: row.attempts, Reason: "Why", Message: "so", After: metav1.NewTime(now.Add(row.pause)),
		}
		if *got != want {
			t.Errorf("%s: got %+v, want %+v", name, *got, want)
		}
	}
}

func TestWaits(t *testing.T) {
	rows := map[string]struct {
		retry *v1beta1.Retry
		want  bool
	}{
		"nothing failed":      {nil, false},
		"not yet":             {&v1beta1.Retry{Generation: 4, After: metav1.NewTime(now.Add(time.Second))}, true},
		"its time has come":   {&v1beta1.Retry{Generation: 4, After: now}, false},
		"the spec is another": {&v1beta1.Retry{Generation: 3, After: metav1.NewTime(now.Add(time.Second))}, false},
	}
	for name, row := range rows {
		if got := backoff.Waits(row.retry, 4, now.Time); got != row.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

// What was tried again counts as well only after more than any pause.
func TestLasts(t *testing.T) {
	if backoff.Longest != 10*time.Minute || backoff.Lasts < 2*backoff.Longest {
		t.Errorf("the longest pause is %s, and all is forgotten after %s", backoff.Longest, backoff.Lasts)
	}
}
