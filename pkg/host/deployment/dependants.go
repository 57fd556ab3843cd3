package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// MovesJob reports whether what depends on the job has to look again once the plan for a snapshot is carried out.
func MovesJob(s cluster.Snapshot, p plan.Plan) bool {
	var next *v1beta1.JobStatus
	if status, ok := p.Status.(*v1beta1.FlinkDeploymentStatus); ok {
		next = &status.JobStatus
	}
	return facts.Moves(s.Resource.Status.JobStatus, next, p)
}

// MovesCluster reports whether the jobs of a session cluster have to look again once the plan is carried out: it goes,
// it is about to change or has changed, or its JobManager can be reached or no longer.
func MovesCluster(s cluster.Snapshot, p plan.Plan) bool {
	next, ok := p.Status.(*v1beta1.FlinkDeploymentStatus)
	if !ok || !cluster.New(s).Look.IsSession() {
		return false
	}
	was := s.Resource.Status
	return was.JobManagerDeploymentStatus != next.JobManagerDeploymentStatus ||
		was.LifecycleState != next.LifecycleState
}

// Dependants are who has to look again when the job moved: its FlinkStateSnapshots that are not finished.
func Dependants(s cluster.Snapshot) []plan.Dependant {
	return facts.SnapshotDependants(cluster.New(s).Look)
}
