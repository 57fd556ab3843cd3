package job

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
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
func RecoverLost(v Life) (Result, bool) {
	if v.Last == nil || !v.LastRunning() {
		return Result{}, false
	}
	standing, _ := v.Host.Standing()
	state := v.Want.JobStatus.State
	if standing == Going {
		r := v.Stopper.WaitForEnd()
		r.Situation = plan.Lost
		return r, true
	}
	failed := state == v1beta1.FlinkJobFailed && v.RestartsFailed()
	if !standing.Is() {
		return recovery(v).ofCluster(state)
	}
	if r, early := recovery(v).pauses(); early && failed {
		return r, true
	}
	late := givenUpStop(v).tookEffect()
	if v.IsSession() || (state != v1beta1.FlinkJobCanceled && !failed && !late) ||
		v.Want.JobManagerDeploymentStatus != v1beta1.JobManagerReady {
		return Result{}, false
	}
	if LastState(v).Awaited() {
		return settling(v).awaitLastState(plan.Lost), true
	}
	if r, early := recovery(v).pauses(); early {
		return r, true
	}
	mode := v1beta1.UpgradeModeSavepoint
	if v.MayStartEmpty() && !late {
		mode = recovery(v).asRecorded()
	}
	r := Stopping(v).Begin(Stop{v1beta1.PurposeRecover, *v.Running(), v1beta1.StopNone, mode})
	if r.Record != "" {
		why := fmt.Sprintf("Restarting the job, which is %s", state)
		if late {
			why += ": a stop that had been abandoned took effect later and ended it"
		}
		v.Tell(plan.Event{Warning: true, Reason: plan.ReasonRecoverDeployment, Component: plan.ComponentJob, Message: why})
	}
	return r, true
}

// recovery starts again what should run and does not, no sooner than the pause between two restarts allows.
type recovery Life

// pauses waits for the time of the next restart.
func (v recovery) pauses() (Result, bool) {
	why, early := restarts.Pause(v.Want.Restarts, v.Seen.Now)
	return Result{Situation: plan.Lost, Wait: plan.Cause{Reason: restarts.Pending, Message: why}}, early
}

func (v recovery) ofCluster(state v1beta1.FlinkJobState) (Result, bool) {
	mode := v1beta1.UpgradeModeLastState
	switch {
	case !v.IsSession() && state.IsTerminal() && (state != v1beta1.FlinkJobFailed || !v.RestartsFailed()):
		return Result{}, false
	case state.IsTerminal():
		mode = v1beta1.UpgradeModeSavepoint
	}
	switch {
	case v.IsSession() && v.Want.ReconciliationStatus.State == v1beta1.ReconciliationUpgrading:
		return Starting(v).beginFrom(v1beta1.PurposeUpgrade, *v.Running(), v1beta1.UpgradeModeStateless), true
	case v.IsApplication() && !v.RecoveryEnabled():
		return Result{Situation: plan.Lost, Stall: &plan.Cause{Reason: plan.ReasonRecoveryDisabled,
			Message: "the JobManager Deployment is missing and kubernetes.operator.jm-deployment-recovery.enabled is " +
				"false; change " +
				"restartNonce to start again"}}, true
	case v.MayStartEmpty():
		mode = v.asRecorded()
	}
	if r, early := v.pauses(); early {
		return r, true
	}
	r := Starting(v).beginFrom(v1beta1.PurposeRecover, *v.Running(), mode)
	if r.Record != "" {
		v.Tell(plan.Event{
			Warning: true, Reason: plan.ReasonRecoverDeployment, Component: plan.ComponentJob,
			Message: "Recovering lost deployment",
		})
	}
	return r, true
}

// asRecorded is how a job that may start empty is started again: empty, or from the savepoint that its first start was
// given.
func (v recovery) asRecorded() v1beta1.UpgradeMode {
	if job := v.Last.Spec.Job; job != nil && job.UpgradeMode == v1beta1.UpgradeModeSavepoint &&
		v.Want.JobStatus.UpgradeSavepointPath != "" {
		return v1beta1.UpgradeModeSavepoint
	}
	return v1beta1.UpgradeModeStateless
}

var jobEnded = plan.Cause{
	Reason: plan.ReasonJobEnded, Message: "the job has ended; its last checkpoint is read as soon as Flink's " +
		"statistics show it",
}
