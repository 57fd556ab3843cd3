package world_test

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/health"
)

func TestWhenTheNewestCheckpointWasTaken(t *testing.T) {
	early, late := time.Unix(100, 0), time.Unix(200, 0)
	rows := map[string]struct {
		reason string
		flink  world.Flink
		want   time.Time
	}{
		"nobody asked": {"not known is not now", world.Flink{}, time.Time{}},
		"statistics":   {"they say so", world.Flink{Checkpoints: plan.Present(world.Checkpoints{Completed: early})}, early},
		"health": {
			"it asks for them, too", world.Flink{Health: plan.Present(health.Seen{Checkpoints: 3, Progress: late})}, late,
		},
		"health without a checkpoint": {
			"progress is the start of the process then",
			world.Flink{Health: plan.Present(health.Seen{Progress: late})},
			time.Time{},
		},
		"both": {"the newer one", world.Flink{
			Checkpoints: plan.Present(world.Checkpoints{Completed: early}),
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
