package bluegreen

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
	"github.com/kn-flink/kn-flink/pkg/plan/running"
)

// MovingQuery is what to ask Flink for a handover.
type MovingQuery struct {
	// Target and Serving are the jobs to ask for.
	Target, Serving MovingJobQuery
	// Operation begins the names of the jars that warm the target; empty where nothing warms it.
	Operation string
	// WarmUp is the ID of the job that does.
	WarmUp string
}

// MovingJobQuery is what to ask for the job of a side.
type MovingJobQuery struct {
	// Endpoint is where its JobManager answers; nil where it is not to be asked.
	Endpoint *plan.Endpoint
	// JobID is its ID; empty: none.
	JobID string
	// Checkpoints says whether to ask for its checkpoints, too.
	Checkpoints bool
	// Cached is how old an answer about them may be.
	Cached time.Duration
}

// AskMoving says what to ask Flink for a handover, once the sides were looked at; nil when nothing is.
//
//	step           the target                              the side that serves
//	WARM           its slots, and the job that warms it    its job
//	STOP, RETURN   -                                       -
//	RELEASE        its job                                 when its job ended
//	FENCE          its job                                 -
func AskMoving(s Snapshot) *MovingQuery {
	t := s.Resource.Status.Transition
	if t == nil || t.Handover == nil || !AskSides(s) {
		return nil
	}
	q := &MovingQuery{}
	switch t.Step {
	case v1beta1.BlueGreenWarm:
		q.Operation, q.WarmUp = t.OperationID, warmUpID(s, t)
		q.Target, q.Serving = s.movingJob(t.Target), s.movingJob(t.From)
		q.Target.JobID = ""
		if parts, split := s.Parts[t.Target]; !split || !clusterSettled(parts.Cluster) {
			q.Target.Endpoint = nil // its JobManager does not listen yet
		}
	case v1beta1.BlueGreenRelease:
		q.Target = s.movingJob(t.Target)
		if s.split(t.From) && t.Handover.RunningAt.IsZero() {
			q.Serving = s.movingJob(t.From)
			q.Serving.Checkpoints = false
		}
	case v1beta1.BlueGreenFence:
		q.Target = s.movingJob(t.Target)
	default:
		return nil
	}
	return q
}

func warmUpID(s Snapshot, t *v1beta1.BlueGreenTransition) string {
	return plan.DeriveID(s.Resource.UID, t.Over, plan.PurposeWarmUp)
}

// movingJob is how to ask for the job of a side.
func (s Snapshot) movingJob(colour v1beta1.BlueGreenType) (q MovingJobQuery) {
	cluster, there := s.Side(colour).Get()
	if !there {
		return q
	}
	q.JobID = jobOf(cluster)
	if parts, split := s.Parts[colour]; split {
		cluster = parts.Cluster
	}
	run := running.Of(s.Operator, cluster)
	if q.JobID != "" || s.split(colour) && clusterSettled(cluster) {
		q.Endpoint = run.Endpoint
	}
	q.Checkpoints, q.Cached = q.JobID != "", options.Duration(run.Config, key.RestCacheRefresh)+time.Second
	return q
}

// jobOf is the newest job of a side: the job of the start under way, else the job in its status.
func jobOf(d *v1beta1.FlinkDeployment) string {
	if i := d.Status.Intent; i != nil && i.JobID != "" {
		return i.JobID
	}
	return d.Status.JobStatus.JobID
}
