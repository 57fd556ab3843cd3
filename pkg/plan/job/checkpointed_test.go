package job

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/health"
)

func TestWhenTheNewestCheckpointWasTaken(t *testing.T) {
	early, late := time.Unix(100, 0), time.Unix(200, 0)
	rows := map[string]struct {
		reason string
		flink  Flink
		want   time.Time
	}{
		"nobody asked": {"not known is not now", Flink{}, time.Time{}},
		"statistics":   {"they say so", Flink{Checkpoints: plan.Present(Checkpoints{Completed: early})}, early},
		"health": {
			"it asks for them, too", Flink{Health: plan.Present(health.Seen{Checkpoints: 3, Progress: late})}, late,
		},
		"health without a checkpoint": {
			"progress is the start of the process then", Flink{Health: plan.Present(health.Seen{Progress: late})}, time.Time{},
		},
		"both": {"the newer one", Flink{
			Checkpoints: plan.Present(Checkpoints{Completed: early}),
			Health:      plan.Present(health.Seen{Checkpoints: 3, Progress: late}),
		}, late},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := row.flink.Checkpointed(); !got.Equal(row.want) {
				t.Errorf("%v, want %v: %s", got, row.want, row.reason)
			}
		})
	}
}
