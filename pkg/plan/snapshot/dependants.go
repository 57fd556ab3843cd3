package snapshot

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// Dependants are who has to look again once the plan for a snapshot is carried out: its job, when that waits for it. A
// job waits only for its own deletion; everything else that it does goes on beside its snapshots.
//
//	the plan                      the job           then
//	ends the snapshot, or lets    is being deleted  the job
//	the resource go
//	otherwise, or                 otherwise         nobody
func Dependants(s Snapshot, p plan.Plan) []plan.Dependant {
	next, ok := p.Status.(*v1beta1.FlinkStateSnapshotStatus)
	ends := ok && snapshots.IsFinal(next.State) && !snapshots.IsFinal(s.Resource.Status.State)
	leaves := func(a plan.Action) bool {
		return a == plan.RemoveFinalizer{Finalizer: v1beta1.FinalizerFlinkStateSnapshot}
	}
	if !(ends || slices.ContainsFunc(p.Finish, leaves)) || !findTarget(s).deleting {
		return nil
	}
	job := s.Resource.Spec.JobReference
	return []plan.Dependant{{Kind: string(job.Kind), Name: job.Name}}
}
