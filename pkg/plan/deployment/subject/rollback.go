package subject

import (
	"strconv"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// InheritedRollback reports whether another operator was rolling back: no intent of ours accounts for the state.
func (v *Subject) InheritedRollback() bool {
	return v.Want.ReconciliationStatus.State == v1beta1.ReconciliationRollingBack && v.Intent() == nil && v.Last != nil && v.LastStable != nil
}

// RollbackDue reports whether a rollback should begin, but for the state that it needs.
func (v *Subject) RollbackDue() bool {
	r := v.Want.ReconciliationStatus
	if v.InheritedRollback() {
		return true
	}
	if v.Last == nil || v.LastStable == nil || r.State != v1beta1.ReconciliationDeployed || r.LastReconciledSpec == r.LastStableSpec {
		return false
	}
	stable := v.LastStable.Spec
	suspended := stable.Job != nil && stable.Job.DesiredState() == v1beta1.JobStateSuspended
	if suspended || stable.FlinkVersion != v.Spec.FlinkVersion || !v.LastRunning() {
		return false
	}
	if v.Seen.Resource.Annotations[v1beta1.AnnotationRollback] == strconv.FormatInt(v.Want.ObservedGeneration, 10) {
		return true
	}
	deadline := r.ReconciliationTimestamp + v.ReadinessTimeout().Milliseconds()
	return v.RollbackEnabled() && v.Seen.Now.UnixMilli() > deadline
}
