package rollback

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/subject"
	"github.com/kn-flink/kn-flink/pkg/plan/restore"
)

// Decision is how a rollback that is due is made.
type Decision struct {
	// Verdict says whether it may begin.
	Verdict plan.Verdict
	// How the cluster is stopped; only with Go.
	How v1beta1.StopKind
	// Restore is how the state was kept; only with Go.
	Restore v1beta1.UpgradeMode
	// Situation of the wait; only with Wait.
	Situation plan.Situation
	// OthersAllowed is true when other rules may go on meanwhile; only with Wait.
	OthersAllowed bool
	// Reason is one CamelCase word, Message one line; only without Go.
	Reason, Message string
}

// Decide says from which state the last stable spec starts, first match wins.
//
//	what was deployed                            the stable spec starts
//	a savepoint is being written                 wait
//	the high-availability data is unknown        wait
//	has no state to keep, or may start empty     empty
//	needed a savepoint and never ran             from that savepoint
//	has a job that FAILED, and Flink tells       from its newest state, once that is read; Flink has removed the high-availability data
//	another operator was rolling it back         from the high-availability data
//	otherwise                                    from the high-availability data
//
// But for another operator's, a state that is not there is no reason to take anything down: then it refuses.
func Decide(v *subject.Subject) Decision {
	d := Decision{Verdict: plan.Go, How: v1beta1.StopNone, Restore: v1beta1.UpgradeModeSavepoint}
	data, target, recorded := v.UsableHAData(), v.LastStable.Spec, v.Last.Spec.Job
	jm, present := v.Seen.JobManager.Get()
	failed := v.Want.JobStatus.State == v1beta1.FlinkJobFailed && v.Want.JobManagerDeploymentStatus == v1beta1.JobManagerReady
	switch {
	case v.SavepointPending():
		return wait(plan.Waiting, "SavepointPending", "a savepoint is being written; the roll-back begins when it is done")
	case data.IsUnknown():
		return wait(plan.Unobservable, "Unobservable", fmt.Sprintf("the high-availability data cannot be read: %s", data.Why()))
	case target.Job == nil || recorded.UpgradeMode == v1beta1.UpgradeModeStateless && v.MayStartEmpty():
		d.How, d.Restore = v1beta1.StopStateless, v1beta1.UpgradeModeStateless
		return d
	case recorded.UpgradeMode == v1beta1.UpgradeModeSavepoint && present && v.NeverRan(jm):
	case failed && v.AwaitsLastState():
		return Decision{Verdict: plan.Wait, OthersAllowed: true}
	case failed:
	default:
		d.How, d.Restore = v1beta1.StopLastState, v1beta1.UpgradeModeLastState
	}
	if c := restore.Choose(v.RestoreFacts(v1beta1.PurposeRollback, target, d.Restore)); c.Verdict != plan.Go && !v.InheritedRollback() {
		return Decision{Verdict: plan.Refuse, Reason: "RollbackImpossible", Message: "what was deployed does not become stable, and it cannot be rolled back: " + c.Message}
	}
	return d
}

func wait(s plan.Situation, reason, message string) Decision {
	return Decision{Verdict: plan.Wait, Situation: s, Reason: reason, Message: message}
}
