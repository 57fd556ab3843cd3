package deployment

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// recoverLost decides for a cluster or job that should run and does not.
//
//	what                                        job          then
//	the Deployment is being deleted by someone  -            wait until it is gone
//	no Deployment, recovery switched off        -            stalled
//	no Deployment, job ended                    -            settled
//	no Deployment                               needs no     start again
//	                                            state
//	no Deployment                               stateful     Refused
//	job CANCELED behind our back                stateless    stop what is left, start again
//	job CANCELED behind our back                stateful     Refused
//	job FAILED, restart of failed jobs on       stateless    stop what is left, start again
//	job FAILED, restart of failed jobs on       stateful     Refused
func recoverLost(v *view) (outcome, bool) {
	if v.Last == nil || !v.LastRunning() {
		return outcome{}, false
	}
	jm, present := v.Seen.JobManager.Get()
	state := v.Want.JobStatus.State
	if present && jm.DeletionTimestamp != nil {
		return outcome{situation: plan.Lost, wait: stall{"ClusterTerminating", "somebody deleted the JobManager Deployment; it is started again once it is gone"}}, true
	}
	if !present {
		return v.recoverCluster(state)
	}
	if v.IsSession() {
		return outcome{}, false
	}
	canceled := state == v1beta1.FlinkJobCanceled
	if !canceled && (state != v1beta1.FlinkJobFailed || !v.RestartsFailed()) {
		return outcome{}, false
	}
	if !v.MayStartEmpty() {
		return v.refuseRecovery("the job is " + string(state)), true
	}
	v.Tell(plan.Event{Warning: true, Reason: "RecoverDeployment", Component: plan.ComponentJob, Message: fmt.Sprintf("Restarting the job, which is %s", state)})
	o := v.beginStop(v1beta1.PurposeRecover, v.Last.Spec, jm)
	v.Want.Intent.From = v.recoveryState()
	return o, true
}

func (v *view) recoverCluster(state v1beta1.FlinkJobState) (outcome, bool) {
	switch {
	case !v.IsSession() && state.IsTerminal():
		return outcome{}, false
	case !v.RecoveryEnabled():
		return outcome{situation: plan.Lost, stall: &stall{"RecoveryDisabled",
			"the JobManager Deployment is gone and kubernetes.operator.jm-deployment-recovery.enabled is false; change restartNonce to start again"}}, true
	case !v.MayStartEmpty():
		return v.refuseRecovery("the JobManager Deployment is gone"), true
	}
	v.Tell(plan.Event{Warning: true, Reason: "RecoverDeployment", Component: plan.ComponentJob, Message: "Recovering lost deployment"})
	return v.beginStart(v1beta1.PurposeRecover, v.Last.Spec, *v.recoveryState()), true
}

// recoveryState is the state that a job without upgrade state is started from again: as recorded, none or the named savepoint.
func (v *view) recoveryState() *v1beta1.StartPoint {
	if job := v.Last.Spec.Job; job != nil && job.UpgradeMode == v1beta1.UpgradeModeSavepoint && v.Want.JobStatus.UpgradeSavepointPath != "" {
		return &v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: v.Want.JobStatus.UpgradeSavepointPath, Reason: "AsRecorded"}
	}
	return &v1beta1.StartPoint{Kind: v1beta1.StartEmpty, Reason: "Stateless"}
}

func (v *view) refuseRecovery(what string) outcome {
	return outcome{situation: plan.Refused, stall: &stall{"RecoveryNotSupported", fmt.Sprintf(
		"%s, and the recovery of a job with spec.job.upgradeMode %q cannot be carried out yet, so nothing is done and nothing is deleted; set upgradeMode to %q to start again from empty state",
		what, v.Spec.Job.DesiredUpgradeMode(), v1beta1.UpgradeModeStateless)}}
}
