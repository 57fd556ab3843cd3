package facts

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// Moves reports whether what depends on the job has to look again once a plan is carried out, which leaves next of its
// status; nil leaves it as it was. A dependant that is not told finds out by the next sweep: a name that is missing
// costs time, a name too many a pass.
//
//	the plan                                  moves the job
//	lets the resource go                      yes
//	replaces the job by another               yes
//	finds or makes it RUNNING, or no longer   yes
//	finds or makes it ended                   yes
//	otherwise                                 no
func Moves(was v1beta1.JobStatus, next *v1beta1.JobStatus, p plan.Plan) bool {
	leaves := func(a plan.Action) bool {
		_, is := a.(plan.RemoveFinalizer)
		return is
	}
	if slices.ContainsFunc(p.Finish, leaves) {
		return true
	}
	if next == nil {
		return false
	}
	running := was.State == v1beta1.FlinkJobRunning || next.State == v1beta1.FlinkJobRunning
	return was.JobID != next.JobID || (was.State != next.State && (running || next.State.IsTerminal()))
}

// SnapshotDependants are who has to look again when the job moved: its FlinkStateSnapshots that are not finished.
func SnapshotDependants(v *world.Look) []plan.Dependant {
	var all []plan.Dependant
	for _, name := range snapshots.Waiting(OfSnapshots(v)) {
		all = append(all, plan.Dependant{Kind: v1beta1.KindFlinkStateSnapshot, Name: name})
	}
	return all
}
