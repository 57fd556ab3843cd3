package job

import (
	"strconv"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// TakesOverRollback reports whether another operator was rolling back: no intent of ours accounts for the state.
func (v *Life) TakesOverRollback() bool {
	return v.Want.ReconciliationStatus.State == v1beta1.ReconciliationRollingBack && v.Intent() == nil && v.Last != nil &&
		v.LastStable != nil
}

// RollbackDue reports whether a rollback should begin, whether or not it can.
func (v *Life) RollbackDue() bool {
	r := v.Want.ReconciliationStatus
	if v.TakesOverRollback() {
		return true
	}
	if v.Last == nil || v.LastStable == nil || r.State != v1beta1.ReconciliationDeployed ||
		r.LastReconciledSpec == r.LastStableSpec {
		return false
	}
	stable := v.LastStable.Spec
	if !specdiff.Classify(&stable, &v.Last.Spec, v.Last.Spec.DesiredMode()).Kind.Effective() {
		return false // the stable spec itself does not run
	}
	if suspended := stable.Job != nil && stable.Job.DesiredState() == v1beta1.JobStateSuspended; suspended ||
		!v.LastRunning() {
		return false // there is nothing that ran
	}
	if v.Seen.Resource.Annotations[v1beta1.AnnotationRollback] == strconv.FormatInt(v.Deployed, 10) {
		return true
	}
	return v.RollbackEnabled() && v.Seen.Now.Sub(v.startedAt()) > v.ReadinessTimeout()
}

// startedAt is when the newest start had its chance: when it was recorded or, if that was later because a pass had
// died, when its host was released.
func (v *Life) startedAt() time.Time {
	at := time.UnixMilli(v.Want.ReconciliationStatus.ReconciliationTimestamp)
	if released := v.Host.ReleasedAt(); released.After(at) {
		return released
	}
	return at
}
