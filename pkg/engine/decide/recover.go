package decide

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/restarts"
)

// RecoverLost decides for a cluster or job that should run and does not.
//
//	  #  what                                        begins   a person  then
//	 L1  the Deployment is being deleted by someone  -        no        wait until it is gone
//	 L2  what is to be restarted below, soon after   -        no        wait, longer each time: see package restarts
//	     another restart
//	 L3  no Deployment, job ended                    -        no        settled
//	 L4  no Deployment, job FAILED, restart of       Recover  no        start from its recorded state
//	     failed jobs on
//	 L5  no Deployment, a session in an upgrade      Upgrade  no        another operator's, which goes on
//	 L6  no Deployment, recovery switched off        -        yes       stalled
//	 L7  no Deployment, session or stateless         Recover  no        start again
//	 L8  no Deployment, high availability            Recover  no        start again from its data
//	 L9  no Deployment, otherwise                    -        yes       the state is lost: a person decides
//	L10  job CANCELED behind our back                Recover  no        stop what is left, start from the newest state
//	                                                                    that its statistics name
//	L11  job FAILED, restart of failed jobs on       Recover  no        the same
//	L12  job FINISHED by a stop that was given up    Recover  no        the same: a request that came late has ended it
func RecoverLost(v *world.Look) decision.Decision {
	if v.Last == nil || !v.LastRunning() {
		return decision.Pass()
	}
	standing, _ := v.Host.Standing()
	state := v.Want.JobStatus.State
	if standing == world.Going {
		r := v.Stopper.WaitForEnd()
		r.Situation = plan.Lost
		return decision.Settle(r)
	}
	failed := state == v1beta1.FlinkJobFailed && v.Options.RestartsFailed()
	if !standing.Is() {
		return recoverCluster(v, state)
	}
	if r, early := restartPauses(v); early && failed {
		return decision.Settle(r)
	}
	late := facts.LateStopTookEffect(v)
	if v.IsSession() || (state != v1beta1.FlinkJobCanceled && !failed && !late) ||
		v.Want.JobManagerDeploymentStatus != v1beta1.JobManagerReady {
		return decision.Pass()
	}
	if facts.LastStateAwaited(v) {
		return decision.Settle(awaitLastState(v, plan.Lost))
	}
	if r, early := restartPauses(v); early {
		return decision.Settle(r)
	}
	mode := v1beta1.UpgradeModeSavepoint
	if v.MayStartEmpty() && !late {
		mode = asRecorded(v)
	}
	why := fmt.Sprintf("Restarting the job, which is %s", state)
	if late {
		why += ": a stop that had been abandoned took effect later and ended it"
	}
	return decision.Decision{
		Stop: &decision.Stop{
			Purpose: v1beta1.PurposeRecover, Target: *v.Running(), How: v1beta1.StopNone, Restore: mode,
		},
		Events: []plan.Event{{
			Warning: true, Reason: plan.ReasonRecoverDeployment, Component: plan.ComponentJob, Message: why,
		}},
	}
}

// restartPauses waits for the time of the next restart.
func restartPauses(v *world.Look) (decision.Result, bool) {
	why, early := restarts.Pause(v.Want.Restarts, v.Seen.Now)
	return decision.Result{Situation: plan.Lost, Wait: plan.Cause{
		Reason: restarts.Pending, Message: why, Until: restarts.Due(v.Want.Restarts, v.Seen.Now), Then: plan.ThenStarted,
	}}, early
}

// recoverCluster starts a cluster that is gone and should run.
func recoverCluster(v *world.Look, state v1beta1.FlinkJobState) decision.Decision {
	mode := v1beta1.UpgradeModeLastState
	switch {
	case !v.IsSession() && state.IsTerminal() && (state != v1beta1.FlinkJobFailed || !v.Options.RestartsFailed()):
		return decision.Pass()
	case state.IsTerminal():
		mode = v1beta1.UpgradeModeSavepoint
	}
	switch {
	case v.IsSession() && v.Want.ReconciliationStatus.State == v1beta1.ReconciliationUpgrading:
		return decision.Decision{Start: &decision.Start{
			Purpose: v1beta1.PurposeUpgrade, Target: *v.Running(), Restore: v1beta1.UpgradeModeStateless,
		}}
	case v.IsApplication() && !v.Options.RecoveryEnabled():
		return decision.Settle(decision.Result{Situation: plan.Lost, Stall: &plan.Cause{
			Reason: plan.ReasonRecoveryDisabled,
			Message: "the JobManager Deployment is missing and kubernetes.operator.jm-deployment-recovery.enabled is " +
				"false; change restartNonce to start again",
		}})
	case v.MayStartEmpty():
		mode = asRecorded(v)
	}
	if r, early := restartPauses(v); early {
		return decision.Settle(r)
	}
	return decision.Decision{
		Start: &decision.Start{Purpose: v1beta1.PurposeRecover, Target: *v.Running(), Restore: mode},
		Events: []plan.Event{{
			Warning: true, Reason: plan.ReasonRecoverDeployment, Component: plan.ComponentJob,
			Message: "Recovering lost deployment",
		}},
	}
}

// asRecorded is how a job that may start empty is started again: empty, or from the savepoint that its first start was
// given.
func asRecorded(v *world.Look) v1beta1.UpgradeMode {
	if job := v.Last.Spec.Job; job != nil && job.UpgradeMode == v1beta1.UpgradeModeSavepoint &&
		v.Want.JobStatus.UpgradeSavepointPath != "" {
		return v1beta1.UpgradeModeSavepoint
	}
	return v1beta1.UpgradeModeStateless
}
