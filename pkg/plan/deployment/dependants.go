package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// MovesJob reports whether what depends on the job has to look again once the plan for a snapshot is carried out.
func MovesJob(s Snapshot, p plan.Plan) bool {
	var next *v1beta1.JobStatus
	if status, ok := p.Status.(*v1beta1.FlinkDeploymentStatus); ok {
		next = &status.JobStatus
	}
	return job.Moves(s.Resource.Status.JobStatus, next, p)
}

// MovesCluster reports whether the jobs of a session cluster have to look again once the plan is carried out: it goes,
// it is about to change or has changed, or its JobManager can be reached or no longer.
func MovesCluster(s Snapshot, p plan.Plan) bool {
	next, ok := p.Status.(*v1beta1.FlinkDeploymentStatus)
	if !ok || !cluster.New(s).IsSession() {
		return false
	}
	was := s.Resource.Status
	return was.JobManagerDeploymentStatus != next.JobManagerDeploymentStatus ||
		was.LifecycleState != next.LifecycleState
}

// Dependants are who has to look again when the job moved: its FlinkStateSnapshots that are not finished.
func Dependants(s Snapshot) []plan.Dependant { return job.Snapshots(cluster.New(s).Life).Dependants() }
