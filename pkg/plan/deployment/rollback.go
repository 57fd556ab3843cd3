package deployment

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/restore"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// A rollback is an intent like any other, from the recorded spec to lastStableSpec:
//
//	ROLLING_BACK   the failed cluster is taken down, its high-availability data kept, the last stable spec prepared
//	ROLLED_BACK    released; lastReconciledSpec still holds the spec that failed, so it is not tried again
//
// A newer spec, or the stable one written back by the user, ends it.

// rolledForward records the stable spec, written back by the user after a rollback, as what runs: nothing is to be done for it.
func rolledForward(v *view) (outcome, bool) {
	rolledBack := v.Want.ReconciliationStatus.State == v1beta1.ReconciliationRolledBack
	if rolledBack && v.Problem == "" && v.LastStable != nil && !specdiff.Classify(&v.LastStable.Spec, &v.Spec, v.Spec.DesiredMode()).Kind.Effective() {
		v.RecordRolledForward()
	}
	return outcome{}, false
}

// rollBack decides whether a deployment that does not become stable is taken back to the last stable spec. All must hold:
//
//	the spec is the recorded one, DEPLOYED, and not the stable one; one that runs well by this very look is
//	the stable spec runs, and under the same Flink version
//	the readiness deadline has passed and rollback is enabled, or an annotation asks for this generation
//	there is a state to start from
//
// The state, first match wins:
//
//	what was deployed                            the stable spec starts
//	has no state to keep, or may start empty     empty
//	needed a savepoint and never ran             from that savepoint
//	has a job that FAILED, and Flink tells       from its newest state, once that is read; Flink has removed the high-availability data
//	otherwise                                    from the high-availability data
//
// Where there is none of it a person decides, and status says so.
func rollBack(v *view) (outcome, bool) {
	v.MarkStable()
	switch {
	case !v.RollbackDue():
		return outcome{}, false
	case v.SavepointPending():
		return outcome{situation: plan.Waiting, wait: stall{"SavepointPending", "a savepoint is being written; the roll-back begins when it is done"}}, true
	}
	jm, present := v.Seen.JobManager.Get()
	data := v.UsableHAData()
	never := present && v.NeverRan(jm)
	failed := v.Want.JobStatus.State == v1beta1.FlinkJobFailed && v.Want.JobManagerDeploymentStatus == v1beta1.JobManagerReady
	target := *v.LastStable.Spec.DeepCopy()
	s := stop{purpose: v1beta1.PurposeRollback, target: target, how: v1beta1.StopLastState, restore: v1beta1.UpgradeModeLastState}
	switch recorded := v.Last.Spec.Job; {
	case data.IsUnknown():
		return v.unobservable("the high-availability data", data.Why()), true
	case target.Job == nil || recorded.UpgradeMode == v1beta1.UpgradeModeStateless && v.MayStartEmpty():
		s.how, s.restore = v1beta1.StopStateless, v1beta1.UpgradeModeStateless
	case recorded.UpgradeMode == v1beta1.UpgradeModeSavepoint && never:
		s.how, s.restore = v1beta1.StopNone, v1beta1.UpgradeModeSavepoint
	case failed && v.AwaitsLastState():
		return outcome{}, false
	case failed:
		s.how, s.restore = v1beta1.StopNone, v1beta1.UpgradeModeSavepoint
	case v.InheritedRollback() && !data.IsPresent():
		return v.startFrom(v1beta1.PurposeRollback, target, v1beta1.UpgradeModeLastState), true
	}
	if s.restore != v1beta1.UpgradeModeStateless {
		if c := restore.Choose(v.RestoreFacts(s.purpose, target, s.restore)); c.Verdict != plan.Go {
			v.stuck = &stall{"RollbackImpossible", "what was deployed does not become stable, and it cannot be rolled back: " + c.Message}
			return outcome{}, false
		}
	}
	o := v.rollTo(s, jm, present)
	if o.record != "" {
		v.Tell(plan.Event{Reason: "Rollback", Component: plan.ComponentJobManager, Message: "Rolling back failed deployment."})
	}
	return o, true
}

func (v *view) rollTo(s stop, jm *appsv1.Deployment, present bool) outcome {
	if present {
		return v.beginStop(s, jm)
	}
	return v.startFrom(s.purpose, s.target, s.restore)
}
