package sessionjob

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// MovesJob reports whether what depends on the job has to look again once the plan for a snapshot is carried out.
func MovesJob(s Snapshot, p plan.Plan) bool {
	var next *v1beta1.JobStatus
	if status, ok := p.Status.(*v1beta1.FlinkSessionJobStatus); ok {
		next = &status.JobStatus
	}
	return job.Moves(s.Resource.Status.JobStatus, next, p)
}

// Dependants are who has to look again when the job moved: its FlinkStateSnapshots that are not finished and, when the
// resource goes, its session cluster, whose deletion may wait for that.
func Dependants(s Snapshot, p plan.Plan) []plan.Dependant {
	all := job.Snapshots(newView(s).Life).Dependants()
	if name := ClusterOf(s.Resource); name != "" && len(p.Finish) > 0 {
		all = append(all, plan.Dependant{Kind: v1beta1.KindFlinkDeployment, Name: name})
	}
	return all
}
