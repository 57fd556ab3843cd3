package backoff_test

import (
	"math"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
)

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
