package sessionjob

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// MovesJob reports whether what depends on the job has to look again once the plan for a snapshot is carried out.
func MovesJob(s session.Snapshot, p plan.Plan) bool {
	var next *v1beta1.JobStatus
	if status, ok := p.Status.(*v1beta1.FlinkSessionJobStatus); ok {
		next = &status.JobStatus
	}
	return facts.Moves(s.Resource.Status.JobStatus, next, p)
}

// Dependants are who has to look again when the job moved: its FlinkStateSnapshots that are not finished and, when the
// resource goes, its session cluster, whose deletion may wait for that.
func Dependants(s session.Snapshot, p plan.Plan) []plan.Dependant {
	all := facts.SnapshotDependants(newView(s).Look)
	if name := session.ClusterOf(s.Resource); name != "" && len(p.Finish) > 0 {
		all = append(all, plan.Dependant{Kind: v1beta1.KindFlinkDeployment, Name: name})
	}
	return all
}
