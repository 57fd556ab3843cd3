package facts

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// recentEnd is how long after its end was recorded a job's statistics are still read: the first answers may be old
// ones.
const RecentEnd = time.Minute

// LateStopTookEffect reports whether the job was finished by a stop with savepoint that had been given up: a request
// that came late has ended what was to go on. Its newest state is the savepoint of a stop then.
func LateStopTookEffect(v *world.Look) bool {
	c, known := v.Seen.Flink.Checkpoints.Get()
	return LateStopMayHaveEnded(v, v.Want.JobStatus.State) && known && c.Kind == world.KindStop && !c.Discarded
}

// lateFor is how long after it was given up a stop may still reach Flink: a process that was frozen, or a request that
// was held up, goes on within minutes. Whoever stops the job later is a person.
const LateFor = time.Hour

// mostEarlier bounds how many stops that were given up are remembered besides the newest. With as many, whose stop it
// was is not known.
const MostEarlier = 20

// LateStopMayHaveEnded reports whether a job in such a state may be one whose stop was given up.
func LateStopMayHaveEnded(v *world.Look, state v1beta1.FlinkJobState) bool {
	given := v.Want.GivenUpStop
	if state != v1beta1.FlinkJobFinished || given == nil || given.JobID != v.Want.JobStatus.JobID {
		return false
	}
	return given.At.IsZero() || v.EndedAt().Sub(given.At.Time) < LateFor
}
