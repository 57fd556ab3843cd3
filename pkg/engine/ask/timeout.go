package ask

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// OwnTimeout is how long a checkpoint of the job may take, where its code says otherwise than its configuration; 0: it
// does not. False: that was not asked, or not answered.
func OwnTimeout(v *world.Look) (time.Duration, bool) {
	own, answered := v.Seen.Flink.CheckpointTimeout.Get()
	if !answered || !Flink(v).Retention { // what nobody asked for changes nothing
		return 0, false
	}
	if own == v.Options.CheckpointTimeout() {
		own = 0
	}
	return max(0, own), true
}
