package world

import (
	"time"
)

// Checkpointed is when the newest checkpoint was taken, by what Flink was asked for in this look; the zero time: it was
// not asked, or there is none.
func (f Flink) Checkpointed() time.Time {
	var taken time.Time
	if c, present := f.Checkpoints.Get(); present {
		taken = c.Completed
	}
	if h, present := f.Health.Get(); present && h.Checkpoints > 0 && h.Progress.After(taken) {
		taken = h.Progress
	}
	return taken
}
