package bluegreen

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen/handover"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Moving is what Flink says for a handover.
type Moving struct {
	// Slots are the slots of the target's cluster.
	Slots plan.Observed[Slots]
	// WarmUp is the state of the job that warms it; Absent where its JobManager does not know it.
	WarmUp plan.Observed[v1beta1.FlinkJobState]
	// Jars are the IDs of the jars that were uploaded to warm it.
	Jars []string
	// Serving and Target are the jobs of both sides.
	Serving, Target MovingJob
}

// Slots are the slots of a cluster.
type Slots struct {
	// Total is how many there are, Free how many no job has.
	Total, Free int
}

// Answer is what is known of something that has a yes, a no, and a time before either.
type Answer = handover.Answer

// The answers, as package handover has them.
const (
	Unknown = handover.Unknown
	Pending = handover.Pending
	Yes     = handover.Yes
	No      = handover.No
)

// MovingJob is the job of a side, as its JobManager tells it.
type MovingJob struct {
	// Checkpoint says whether it has completed one since its start.
	Checkpoint Answer
	// Why says why that is not known; empty when it is, or was not asked.
	Why string
	// Unlisted is true when its JobManager answered, and does not know it.
	Unlisted bool
	// EndedAt is when it ended, RunningAt when all its tasks ran, by the clock of its JobManager; zero when not.
	EndedAt, RunningAt time.Time
}
