package facts

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// KnownCheckpoint is a checkpoint that the job is known to have completed; nil when none is known, or only one of
// another job.
func KnownCheckpoint(status v1beta1.JobStatus) *v1beta1.KnownCheckpoint {
	known := status.Checkpoint
	if known == nil || known.JobID != status.JobID {
		return nil
	}
	return known
}

// LooksForCheckpoint reports whether the statistics of a job that keeps its state and has not ended are worth a
// question: that it ever completed a checkpoint is not known yet. Without that knowledge high-availability data that
// was removed, and statistics that Flink forgot, look like those of a job that has nothing to lose.
func LooksForCheckpoint(v *world.Look) bool {
	return v.Last != nil && !v.IsSession() && KnownCheckpoint(v.Want.JobStatus) == nil
}

// Suspected reports whether the job began again with high availability, and Flink did not say yet what it was restored
// from.
func Suspected(lost *v1beta1.LostProgress) bool { return lost != nil && lost.Suspected != nil }
