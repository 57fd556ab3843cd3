package decide

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/restore"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// takesOver reports whether another operator was rolling back: no intent of ours accounts for the state.
func takesOver(v *world.Look) bool {
	return v.Want.ReconciliationStatus.State == v1beta1.ReconciliationRollingBack && v.Intent() == nil && v.Last != nil &&
		v.LastStable != nil
}

// rollbackChoice is how a rollback that is due is made.
type rollbackChoice struct {
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
	// Reason says why; only without Go.
	Reason plan.Reason
	// Message is one line; only without Go.
	Message string
}

// chooseRollback says from which state the last stable spec starts, first match wins.
//
//	   #  what was deployed                        answer   stop       the stable spec starts
//	  B1  has another Flink version than it        refuses  -          not, unless another operator has begun: an older
//	                                                                   Flink may not read what a newer one wrote
//	  B2  writes a savepoint                       waits    -          when that is written
//	  B3  has high-availability data that is       waits    -          when it can be read
//	      unknown
//	  B4  has no state to keep, or may start       begins   Stateless  empty
//	      empty
//	  B5  needed a savepoint and never ran         begins   None       from that savepoint
//	  B6  is a session job that Flink refused      begins   None       from what that was to start from
//	  B7  has a job that has ended, and could be   waits    -          when it was asked
//	      asked of it and was not
//	  B8  has a job that is about to end           waits    -          when it has
//	  B9  has a job that has ended, and its        waits    -          when that is read
//	      newest state is not read
//	 B10  has a job that has ended, otherwise      begins   None       from its newest state, as for a change; Flink
//	                                                                   removes the high-availability data
//	 B11  is a session job whose newest state      begins   see then   from that, see rollback.byCancel
//	      outlives its stop
//	B11b  is a session job that would lose it      waits    -          when it runs
//	 B12  otherwise                                begins   LastState  from the high-availability data, if it looks for
//	                                                                   it where what was deployed keeps it
//	 B13  B5 to B12, and that state is not there   refuses  -          not
//
// A state that is not there is no reason to take anything down: then it refuses.
func chooseRollback(v *world.Look) rollbackChoice {
	d := rollbackChoice{Verdict: plan.Go, How: v1beta1.StopNone, Restore: v1beta1.UpgradeModeSavepoint}
	data, target, recorded := facts.KnownHAData(v), v.LastStable.Spec, v.Last.Spec.Job
	present := v.Host.Present()
	state := v.Want.JobStatus.State
	ended := upgrade.Ended(state, data.IsPresent(), v.Want.JobManagerDeploymentStatus)
	switch {
	case target.FlinkVersion != v.Last.Spec.FlinkVersion && !takesOver(v):
		return refuseRollback(plan.ReasonRollbackUnsupported,
			fmt.Sprintf("and the last stable spec has another Flink version, %s, so it is "+
				"not rolled back automatically; correct the spec, or set the old version with a state that it can read. %s",
				target.FlinkVersion, v.Remedy()))
	case facts.SavepointPending(v):
		return waitWithRollback(
			plan.Waiting, plan.ReasonSavepointPending, "a savepoint is being written; the roll-back begins when it is done",
		)
	case data.IsUnknown():
		return waitWithRollback(
			plan.Unobservable, plan.ReasonUnobservable, "the high-availability data cannot be read: "+data.Why(),
		)
	case target.Job == nil || recorded.UpgradeMode == v1beta1.UpgradeModeStateless && v.MayStartEmpty():
		d.How, d.Restore = v1beta1.StopStateless, v1beta1.UpgradeModeStateless
		return d
	case recorded.UpgradeMode == v1beta1.UpgradeModeSavepoint && present && v.Host.NeverRan():
	case !v.IsApplication() && v.Host.NeverRan():
	case state.IsTerminal() && world.Unasked(v):
		return waitWithRollback(
			plan.Unobservable, plan.ReasonUnobservable, "the job that has ended cannot be read: "+v.Seen.Flink.Jobs.Why(),
		)
	case state == v1beta1.FlinkJobFailing || state == v1beta1.FlinkJobCancelling:
		return waitWithRollback(
			plan.Waiting, plan.ReasonJobEnding, "the job is "+string(state)+"; the roll-back begins when it has ended",
		)
	case ended && facts.LastStateAwaited(v):
		return rollbackChoice{Verdict: plan.Wait, OthersAllowed: true}
	case ended:
	case !v.IsApplication():
		return byCancel(v)
	default:
		d.How, d.Restore = v1beta1.StopLastState, v1beta1.UpgradeModeLastState
	}
	c := restore.Choose(facts.ForRestore(v, v1beta1.PurposeRollback, target, d.Restore))
	if takesOver := takesOver(v) && !present; c.Verdict != plan.Go && !takesOver {
		return refuseRollback(
			plan.ReasonRollbackImpossible, "and it cannot be rolled back; correct the spec first. "+c.Message,
		)
	}
	return d
}

// byCancel stops a session job that does not become stable as a change with upgradeMode last-state would: high-
// availability data is no start for it.
func byCancel(v *world.Look) rollbackChoice {
	facts := facts.ForUpgrade(v, v1beta1.PurposeRollback)
	facts.Wanted = v1beta1.UpgradeModeLastState
	d := upgrade.Decide(facts)
	switch d.Verdict {
	case plan.Go:
		return rollbackChoice{Verdict: plan.Go, How: decision.StopKinds[d.Suspend], Restore: d.Restore}
	case plan.Refuse:
		return refuseRollback(plan.ReasonRollbackImpossible, "and it cannot be rolled back. "+d.Message)
	}
	return rollbackChoice{
		Verdict: plan.Wait, Situation: plan.Waiting, OthersAllowed: d.OthersAllowed, Reason: d.Reason,
		Message: "what was deployed does not become stable, and its roll-back waits: " + d.Message,
	}
}

func refuseRollback(reason plan.Reason, message string) rollbackChoice {
	return rollbackChoice{
		Verdict: plan.Refuse, Reason: reason, Message: "what was deployed does not become stable, " + message,
	}
}

func waitWithRollback(s plan.Situation, reason plan.Reason, message string) rollbackChoice {
	return rollbackChoice{Verdict: plan.Wait, Situation: s, Reason: reason, Message: message}
}
