package deployment

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// MovesJob reports whether what depends on the job has to look again once the plan for a snapshot is carried out. A
// dependant that is not told finds out by the next sweep: a name that is missing costs time, a name too many a pass.
//
//	the plan                                  moves the job
//	lets the resource go                      yes
//	replaces the job by another               yes
//	finds or makes it RUNNING, or no longer   yes
//	finds or makes it ended                   yes
//	otherwise                                 no
func MovesJob(s Snapshot, p plan.Plan) bool {
	leaves := func(a plan.Action) bool {
		return a == plan.RemoveFinalizer{Finalizer: v1beta1.FinalizerFlinkDeployment}
	}
	if slices.ContainsFunc(p.Finish, leaves) {
		return true
	}
	next, ok := p.Status.(*v1beta1.FlinkDeploymentStatus)
	if !ok {
		return false
	}
	was, is := s.Resource.Status.JobStatus, next.JobStatus
	running := was.State == v1beta1.FlinkJobRunning || is.State == v1beta1.FlinkJobRunning
	return was.JobID != is.JobID || (was.State != is.State && (running || is.State.IsTerminal()))
}

// Dependants are who has to look again when the job moved: its FlinkStateSnapshots that are not finished.
func Dependants(s Snapshot) []plan.Dependant {
	var all []plan.Dependant
	for _, name := range snapshots.Waiting(cluster.New(s).SnapshotFacts()) {
		all = append(all, plan.Dependant{Kind: v1beta1.KindFlinkStateSnapshot, Name: name})
	}
	return all
}
