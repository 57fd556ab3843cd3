package load

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/local/testsuite"
)

// TestParallelismFollowsTheLoad: with real Flink, more records a second are given more subtasks in place, fewer are given
// fewer, and functions that are killed meanwhile change nothing.
func TestParallelismFollowsTheLoad(t *testing.T) {
	checkout, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	points, err := Run(t.Context(), Options{
		Dir: testsuite.Dir(t), Checkout: checkout, Progress: func(what string) { t.Log(what) },
		Replace: []string{
			"metrics.window: 2 min", "metrics.window: 20 s", "interval: 30 s", "interval: 5 s",
			"    job.autoscaler.utilization.max", "    job.autoscaler.scale-down.max-factor: \"0.9\"\n    job.autoscaler.utilization.max",
		},
		Steps: []Step{
			{Rate: 100, For: 20 * time.Second},
			{
				Rate: 500, For: 8 * time.Minute, Until: func(p Point) bool { return p.Work >= 3 },
				Do: func(ctx context.Context, r *Running) error { return r.KillFunctions(ctx) },
			},
			{Rate: 40, For: 8 * time.Minute, Until: func(p Point) bool { return p.Work > 0 && p.Work <= 2 }},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		if !p.Started.IsZero() && !p.Started.Equal(points[0].Started) {
			t.Fatalf("the job was started again: %s, %s and then %s", p, points[0].Started, p.Started)
		}
	}
}
