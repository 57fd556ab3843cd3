package decide

import (
	"strconv"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// A rollback is an intent like any other, from the recorded spec to lastStableSpec:
//
//	ROLLING_BACK   the failed cluster is taken down, its high-availability data kept, the last stable spec prepared
//	ROLLED_BACK    released; lastReconciledSpec still holds the spec that failed, so it is not tried again
//
// A newer spec, or the stable one written back by the user, ends it.

// RolledForward records the stable spec, written back by the user after a rollback, as what runs: nothing is to be done
// for it.
func RolledForward(v *world.Look) decision.Decision {
	rolledBack := v.Want.ReconciliationStatus.State == v1beta1.ReconciliationRolledBack
	if rolledBack && v.Problem == "" && v.LastStable != nil &&
		!specdiff.Classify(&v.LastStable.Spec, &v.Spec, v.Spec.DesiredMode()).Kind.Effective() {
		return decision.Pass(decision.RolledForward)
	}
	return decision.Pass()
}

// RollBack decides whether a deployment that does not become stable is taken back to the last stable spec. All must
// hold:
//
//	the spec is the recorded one, DEPLOYED, and not the stable one; one that runs well by this very look is
//	the readiness deadline has passed, rollback is enabled, and no task of the job has finished while it goes on; or an
//	annotation asks for this generation
//	the stable spec can be started, and from a state that is there, see package rollback; else a person decides, and
//	status says so
func RollBack(v *world.Look) decision.Decision {
	if facts.IsStable(v) || !RollbackDue(v) {
		return decision.Pass(decision.Stable)
	}
	d := chooseRollback(v)
	switch d.Verdict {
	case plan.Refuse:
		return decision.Wait(decision.Found{Stuck: &plan.Cause{Reason: d.Reason, Message: d.Message}})
	case plan.Wait:
		waits := decision.Decision{Passes: d.OthersAllowed}
		waits.Result = decision.Result{Situation: d.Situation, Wait: plan.Cause{Reason: d.Reason, Message: d.Message}}
		if d.OthersAllowed && d.Reason != "" { // others say what they wait for, and the roll-back says its own
			waits.Found.Stuck = &waits.Result.Wait
		}
		return waits
	}
	if why, _ := facts.Objection(v, &v.LastStable.Spec); why != nil {
		return decision.Wait(decision.Found{Stuck: &plan.Cause{
			Reason: why.Reason,
			Message: "what was deployed does not become stable, and the last stable spec is not started instead: " +
				why.Message,
		}})
	}
	return decision.Decision{
		Stop: &decision.Stop{
			Purpose: v1beta1.PurposeRollback, Target: *v.LastStable.Spec.DeepCopy(), How: d.How, Restore: d.Restore,
		},
		Events: []plan.Event{{
			Reason: plan.ReasonRollback, Component: plan.ComponentJobManager, Message: "Rolling back failed deployment.",
		}},
	}
}

// RollbackDue reports whether a rollback should begin, whether or not it can.
func RollbackDue(v *world.Look) bool {
	switch due, goesBack := facts.RollbackAt(v); {
	case takesOver(v):
		return true
	case !facts.HasStable(v):
		return false
	case v.Seen.Resource.Annotations[v1beta1.AnnotationRollback] == strconv.FormatInt(v.Deployed, 10):
		return true
	default:
		return goesBack && v.Seen.Now.After(due)
	}
}
