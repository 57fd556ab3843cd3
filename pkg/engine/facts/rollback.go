package facts

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// HasStable reports whether what was deployed is another spec than the last stable one, which ran and could run again.
func HasStable(v *world.Look) bool {
	r := v.Want.ReconciliationStatus
	if v.Last == nil || v.LastStable == nil || r.State != v1beta1.ReconciliationDeployed ||
		r.LastReconciledSpec == r.LastStableSpec {
		return false
	}
	stable := v.LastStable.Spec
	if !specdiff.Classify(&stable, &v.Last.Spec, v.Last.Spec.DesiredMode()).Kind.Effective() {
		return false // the stable spec itself does not run
	}
	suspended := stable.Job != nil && stable.Job.DesiredState() == v1beta1.JobStateSuspended
	return !suspended && v.LastRunning() // else there is nothing that ran
}

// RollbackAt is when what was deployed is taken back to the last stable spec unless it is stable by then; false where
// that is not to be done, because rollback is not enabled, or the job has done work that would be done again.
func RollbackAt(v *world.Look) (time.Time, bool) {
	if !v.Options.RollbackEnabled() || !HasStable(v) || hasDoneWork(v) {
		return time.Time{}, false
	}
	return startedAt(v).Add(v.Options.ReadinessTimeout()), true
}

// hasDoneWork reports whether tasks of the deployed job have finished while it goes on, as those of a batch job do
// stage by stage: to take it back would do that work again.
func hasDoneWork(v *world.Look) bool {
	return v.Job != nil && v.Job.State == v1beta1.FlinkJobCreated && v.Job.Finished > 0
}

// startedAt is when the newest start had its chance: when its release was recorded, when Flink listed the job of a
// session or, if that was later because a pass had died, when its host was released.
func startedAt(v *world.Look) time.Time {
	at := time.UnixMilli(v.Want.ReconciliationStatus.ReconciliationTimestamp)
	if released := v.Host.ReleasedAt(); released.After(at) {
		return released
	}
	return at
}
