package plan

// Reason is one CamelCase word that says why: the same in a condition, an event, a log line and a metric. Each kind
// takes its own from this catalogue; those of a container that cannot start are Kubernetes' own.
type Reason string

// Reasons of a spec.
const (
	// ReasonValidationFailed: the spec does not validate, so the last accepted one stays in force. Condition SpecAccepted
	// and Stalled.
	ReasonValidationFailed Reason = "ValidationFailed"
	// ReasonValidationError: the spec does not validate, told once as an event.
	ReasonValidationError Reason = "ValidationError"
	// ReasonRefusedByValidator: a validator of the settings refuses the spec, so the last accepted one stays in force.
	// Condition SpecAccepted and Stalled.
	ReasonRefusedByValidator Reason = "RefusedByValidator"
	// ReasonValidatorUnavailable: a validator of the settings does not answer, so the last accepted spec stays in force.
	// It is asked again each minute. Condition SpecAccepted and Stalled.
	ReasonValidatorUnavailable Reason = "ValidatorUnavailable"
	// ReasonAccepted: the spec is valid.
	ReasonAccepted Reason = "Accepted"
	// ReasonRefusedByKubernetes: the API server would refuse the objects or the pods of the spec, so nothing is stopped
	// for it. Condition SpecAccepted and Stalled.
	ReasonRefusedByKubernetes Reason = "RefusedByKubernetes"
	// ReasonNotRehearsed: the API server cannot say now whether it would take them, so nothing is stopped yet.
	ReasonNotRehearsed Reason = "NotRehearsed"
	// ReasonCannotRender: the objects of the cluster cannot be made from the spec, although it validates.
	ReasonCannotRender Reason = "CannotRender"
	// ReasonOptionWithoutEffect: an option is set that has no effect here.
	ReasonOptionWithoutEffect Reason = "OptionWithoutEffect"
	// ReasonAutoscalerOff: the spec says nothing of the autoscaler, and the job has a size that one had set.
	ReasonAutoscalerOff Reason = "AutoscalerOff"
	// ReasonAutoscalerStoreUnreadable: what the autoscaler keeps of the job could not be read.
	ReasonAutoscalerStoreUnreadable Reason = "AutoscalerStoreUnreadable"
	// ReasonAutoscalerError: the autoscaler cannot measure the job, or cannot decide.
	ReasonAutoscalerError Reason = "AutoscalerError"
	// ReasonAutoscalerLacksRoom: the nodes have no room for the TaskManagers that the job would be scaled to.
	ReasonAutoscalerLacksRoom Reason = "AutoscalerLacksRoom"
	// ReasonAutoscalerPaused: the job was rolled back, so that nothing is scaled until the spec changes.
	ReasonAutoscalerPaused Reason = "AutoscalerPaused"
	// ReasonAutoscalerCollecting: the window of metrics is not full yet.
	ReasonAutoscalerCollecting Reason = "AutoscalerCollecting"
	// ReasonAutoscalerActive: the window is full, so that each sample may lead to another size.
	ReasonAutoscalerActive Reason = "AutoscalerActive"
	// ReasonQuarantined: the function died twice while it worked on the resource, so nothing is done for it until its spec
	// changes. Condition Stalled.
	ReasonQuarantined Reason = "Quarantined"
	// ReasonClaimedTwice: two installations have the resource in their scopes, so that neither does anything for it.
	ReasonClaimedTwice Reason = "ClaimedTwice"
	// ReasonTaskManagersMissing: the Deployment of a standalone cluster's TaskManagers is gone.
	ReasonTaskManagersMissing Reason = "TaskManagersMissing"
	// ReasonSpecChanged: an accepted change of the spec is acted on.
	ReasonSpecChanged Reason = "SpecChanged"
)

// Reasons of what status says.
const (
	// ReasonJobsForgotten: high-availability data of an earlier configuration was removed for jobs that no session job
	// has.
	ReasonJobsForgotten Reason = "JobsForgotten"
	// ReasonUnaccounted: something that status does not account for is where a first start would be.
	ReasonUnaccounted Reason = "Unaccounted"
	// ReasonForeignIntent: the open intent belongs to another resource.
	ReasonForeignIntent Reason = "ForeignIntent"
	// ReasonIntentIncomplete: the open intent does not say what its step needs.
	ReasonIntentIncomplete Reason = "IntentIncomplete"
	// ReasonStatusCopied: the status was written for another resource, whose job it names.
	ReasonStatusCopied Reason = "StatusCopied"
	// ReasonUnknownIntent: the open intent is at a step that this version does not know.
	ReasonUnknownIntent Reason = "UnknownIntent"
	// ReasonStatusUnreadable: what was acted on last cannot be read.
	ReasonStatusUnreadable Reason = "StatusUnreadable"
	// ReasonUnobservable: what the decision needs could not be read.
	ReasonUnobservable Reason = "Unobservable"
)

// Reasons of a JobManager cluster.
const (
	// ReasonSubmit: a start is being prepared.
	ReasonSubmit Reason = "Submit"
	// ReasonSuspended: a running cluster is being stopped.
	ReasonSuspended Reason = "Suspended"
	// ReasonMissing: the JobManager Deployment, or its job, is not there any more.
	ReasonMissing Reason = "Missing"
	// ReasonJobManagerIsDeploying: the pod of a released start is starting.
	ReasonJobManagerIsDeploying Reason = "JobManagerIsDeploying"
	// ReasonJobManagerReady: Flink's REST interface can be reached.
	ReasonJobManagerReady Reason = "JobManagerReady"
	// ReasonJobManagerNotReady: it cannot yet.
	ReasonJobManagerNotReady Reason = "JobManagerNotReady"
	// ReasonJobManagerMissing: there is no JobManager.
	ReasonJobManagerMissing Reason = "JobManagerMissing"
	// ReasonDeployedNotReady: the JobManager's pod is ready and Flink cannot be reached.
	ReasonDeployedNotReady Reason = "DeployedNotReady"
	// ReasonJobManagerHung: the JobManager's pod is ready, and Flink has not responded for longer than a checkpoint may
	// take.
	ReasonJobManagerHung Reason = "JobManagerHung"
	// ReasonScaledToZero: a user scaled the JobManager's Deployment to no replicas.
	ReasonScaledToZero Reason = "ScaledToZero"
	// ReasonTLSFailed: a TLS connection to the JobManager cannot be made.
	ReasonTLSFailed Reason = "TLSFailed"
	// ReasonJobManagerCrashed: a container of the JobManager ended with an error, for the first time in a row.
	ReasonJobManagerCrashed Reason = "JobManagerCrashed"
	// ReasonFailedMount: a volume of the JobManager's pod cannot be mounted.
	ReasonFailedMount Reason = "FailedMount"
	// ReasonScaling: the TaskManagers of a standalone cluster are being scaled, or made again.
	ReasonScaling Reason = "Scaling"
	// ReasonControllersBehind: Kubernetes' own controllers have not seen a prepared start yet.
	ReasonControllersBehind Reason = "ControllersBehind"
	// ReasonClusterTerminating: the pods or the Deployment of an old cluster have not ended yet.
	ReasonClusterTerminating Reason = "ClusterTerminating"
	// ReasonNodeUnreachable: whether a process runs, or ran, on a node that cannot be reached is not known.
	ReasonNodeUnreachable Reason = "NodeUnreachable"
	// ReasonPodDeleted: a pod on a node that is gone was deleted by force.
	ReasonPodDeleted Reason = "PodDeleted"
	// ReasonRecoverDeployment: a cluster or a job that should run is started again.
	ReasonRecoverDeployment Reason = "RecoverDeployment"
	// ReasonRecoveryDisabled: it is not, because kubernetes.operator.jm-deployment-recovery.enabled is false.
	ReasonRecoveryDisabled Reason = "RecoveryDisabled"
	// ReasonRestartPending: a restart waits for its time, because the ones before it did not help.
	ReasonRestartPending Reason = "RestartPending"
	// ReasonJobManagerLost: the JobManager went away while its job was being stopped.
	ReasonJobManagerLost Reason = "JobManagerLost"
	// ReasonJobManagerFailover: the JobManager was replaced while its job was being stopped.
	ReasonJobManagerFailover Reason = "JobManagerFailover"
	// ReasonHighAvailabilityUnknown: high-availability data could not be read.
	ReasonHighAvailabilityUnknown Reason = "HighAvailabilityUnknown"
	// ReasonHighAvailabilityDataInUse: a process that should not be there uses high-availability data.
	ReasonHighAvailabilityDataInUse Reason = "HighAvailabilityDataInUse"
	// ReasonHighAvailabilityDataLeft: a deletion leaves high-availability data behind.
	ReasonHighAvailabilityDataLeft Reason = "HighAvailabilityDataLeft"
	// ReasonJobGraphUnreadable: a start might run the job graph of the job before it, and only Flink can tell.
	ReasonJobGraphUnreadable Reason = "JobGraphUnreadable"
)

// Reasons of a job.
const (
	// ReasonNotSubmitted: there is no job yet.
	ReasonNotSubmitted Reason = "NotSubmitted"
	// ReasonNotRunning: the job is in another state than RUNNING.
	ReasonNotRunning Reason = "NotRunning"
	// ReasonRunning: the job is RUNNING.
	ReasonRunning Reason = "Running"
	// ReasonJobStatusChanged: the job's state has changed.
	ReasonJobStatusChanged Reason = "JobStatusChanged"
	// ReasonJobNotRunning: a change, or the resource, waits for the job to run.
	ReasonJobNotRunning Reason = "JobNotRunning"
	// ReasonJobNotListed: Flink does not list the job yet.
	ReasonJobNotListed Reason = "JobNotListed"
	// ReasonTaskManagerCrashed: a container of a TaskManager ended with an error.
	ReasonTaskManagerCrashed Reason = "TaskManagerCrashed"
	// ReasonTasksNotRunning: the job waits for its tasks to run.
	ReasonTasksNotRunning Reason = "TasksNotRunning"
	// ReasonRestoreNotShown: the job began again, and Flink has not said yet what it was restored from, or it was
	// not seen whether it had begun before.
	ReasonRestoreNotShown Reason = "RestoreNotShown"
	// ReasonJobEnded: the job has ended, and its newest checkpoint is about to be read.
	ReasonJobEnded Reason = "JobEnded"
	// ReasonJobEnding: the job is about to end, and what is due waits for that.
	ReasonJobEnding Reason = "JobEnding"
	// ReasonJobFailed: the job is FAILED, what the next start is from is known, and nothing restarts it by itself.
	// Condition Stalled.
	ReasonJobFailed Reason = "JobFailed"
	// ReasonJobCanceled: the job was cancelled outside of the operator, what the next start is from is known, and
	// nothing restarts it by itself. Condition Stalled.
	ReasonJobCanceled Reason = "JobCanceled"
	// ReasonJobCancelling: the job is being cancelled.
	ReasonJobCancelling Reason = "JobCancelling"
	// ReasonCancelOverdue: a cancellation does not come to its end.
	ReasonCancelOverdue Reason = "CancelOverdue"
	// ReasonJobNotFound: the job has ended unseen; it can be started again.
	ReasonJobNotFound Reason = "JobNotFound"
	// ReasonJobReran: a job that had ended began again with its JobManager, and is stopped.
	ReasonJobReran Reason = "JobReran"
	// ReasonJobBegan: a job began before its cluster could be taken down.
	ReasonJobBegan Reason = "JobBegan"
	// ReasonJobRestarted: a job began again without its newest checkpoint, and lost what it had done.
	ReasonJobRestarted Reason = "JobRestarted"
	// ReasonJobUnhealthy: the job makes no progress and is not restarted, because its state would be lost.
	ReasonJobUnhealthy Reason = "JobUnhealthy"
	// ReasonJobException: Flink reports a failure in the job's history.
	ReasonJobException Reason = "JobException"
	// ReasonRestartUnhealthyJob: a job that makes no progress is restarted.
	ReasonRestartUnhealthyJob Reason = "RestartUnhealthyJob"
	// ReasonJobLeftRunning: a session job is deleted, and its job could not be ended.
	ReasonJobLeftRunning Reason = "JobLeftRunning"
)

// Reasons of a session job.
const (
	// ReasonSessionClusterMissing: the FlinkDeployment that spec.deploymentName names is not there.
	ReasonSessionClusterMissing Reason = "SessionClusterMissing"
	// ReasonSessionClusterChanging: an operation is open on the session cluster, or it is being deleted.
	ReasonSessionClusterChanging Reason = "SessionClusterChanging"
	// ReasonSessionClusterNotReady: the session cluster does not run, or cannot be reached.
	ReasonSessionClusterNotReady Reason = "SessionClusterNotReady"
	// ReasonSessionJobsBusy: a session cluster waits, before it stops, for requests of its jobs.
	ReasonSessionJobsBusy Reason = "SessionJobsBusy"
	// ReasonSessionClusterLost: the session cluster was replaced, and the job went with it.
	ReasonSessionClusterLost Reason = "SessionClusterLost"
	// ReasonSubmissionOverdue: Flink was asked three times to run a jar, and lists no job.
	ReasonSubmissionOverdue Reason = "SubmissionOverdue"
	// ReasonUploadOverdue: the upload of a jar was requested twice, and was not made.
	ReasonUploadOverdue Reason = "UploadOverdue"
	// ReasonJarUploading: the jar is being uploaded.
	ReasonJarUploading Reason = "JarUploading"
	// ReasonJobSubmitting: Flink was asked to run the jar and does not list the job yet.
	ReasonJobSubmitting Reason = "JobSubmitting"
	// ReasonJarRunFailed: Flink could not run the jar.
	ReasonJarRunFailed Reason = "JarRunFailed"
	// ReasonJarRunUnanswered: the answer to a run does not say whether Flink starts the job, which is looked for.
	ReasonJarRunUnanswered Reason = "JarRunUnanswered"
	// ReasonJarsUnavailable: Flink does not list its jars.
	ReasonJarsUnavailable Reason = "JarsUnavailable"
)

// Reasons of a job's state.
const (
	// ReasonLastStateUnknown: the newest state of a job that has ended is not known.
	ReasonLastStateUnknown Reason = "LastStateUnknown"
	// ReasonStateUnknown: no state of the job is recorded.
	ReasonStateUnknown Reason = "StateUnknown"
	// ReasonUpgradeFailed: a change cannot be made without losing state.
	ReasonUpgradeFailed Reason = "UpgradeFailed"
	// ReasonRestoreFailed: the high-availability data that a start needs is not there, or names no checkpoint.
	ReasonRestoreFailed Reason = "RestoreFailed"
	// ReasonUnknownUpgradeMode: the recorded upgradeMode is not known.
	ReasonUnknownUpgradeMode Reason = "UnknownUpgradeMode"
	// ReasonNoInitialSavepoint: a redeploy says no path.
	ReasonNoInitialSavepoint Reason = "NoInitialSavepoint"
	// ReasonStateMayBeDropped: a start may leave out state that its job does not claim.
	ReasonStateMayBeDropped Reason = "StateMayBeDropped"
	// ReasonUnclaimedStateIgnored: the newest start left out state that its job does not claim, if there was any.
	ReasonUnclaimedStateIgnored Reason = "UnclaimedStateIgnored"
	// ReasonCheckpointNotFound: the newest checkpoint lies where nothing can be restored from, or its files are gone.
	ReasonCheckpointNotFound Reason = "CheckpointNotFound"
	// ReasonCheckpointDiscarded: Flink deleted the newest checkpoint with the job.
	ReasonCheckpointDiscarded Reason = "CheckpointDiscarded"
	// ReasonCheckpointForgotten: Flink names no checkpoint of a job that had completed one.
	ReasonCheckpointForgotten Reason = "CheckpointForgotten"
	// ReasonCheckpointsNotRetained: a cancellation would delete the state that the next start needs.
	ReasonCheckpointsNotRetained Reason = "CheckpointsNotRetained"
	// ReasonCheckpointsUnknown: the job's checkpoints could not be read.
	ReasonCheckpointsUnknown Reason = "CheckpointsUnknown"
	// ReasonCheckpointRetentionUnknown: which of them outlive a cancellation could not be read.
	ReasonCheckpointRetentionUnknown Reason = "CheckpointRetentionUnknown"
	// ReasonCheckpointPending: a change waits for a checkpoint that is being written.
	ReasonCheckpointPending Reason = "CheckpointPending"
	// ReasonFlinkVersionChanged: a change of the Flink version waits for a job that can be stopped.
	ReasonFlinkVersionChanged Reason = "FlinkVersionChanged"
)

// Reasons of a stop with savepoint, and of snapshots.
const (
	// ReasonSavepointInProgress: the job is being stopped with a savepoint.
	ReasonSavepointInProgress Reason = "SavepointInProgress"
	// ReasonSavepointPending: a savepoint is being written, or is to be taken first.
	ReasonSavepointPending Reason = "SavepointPending"
	// ReasonSavepointError: a savepoint failed.
	ReasonSavepointError Reason = "SavepointError"
	// ReasonCheckpointError: a checkpoint failed.
	ReasonCheckpointError Reason = "CheckpointError"
	// ReasonSavepointSkipped: a deletion continues without the savepoint that was asked for.
	ReasonSavepointSkipped Reason = "SavepointSkipped"
	// ReasonStopOverdue: a stop with savepoint does not come to its end.
	ReasonStopOverdue Reason = "StopOverdue"
	// ReasonStopUnfinished: a stop has its savepoint, and the job keeps running.
	ReasonStopUnfinished Reason = "StopUnfinished"
	// ReasonTriggering: a snapshot is being asked for.
	ReasonTriggering Reason = "Triggering"
	// ReasonInProgress: a snapshot is being written.
	ReasonInProgress Reason = "InProgress"
	// ReasonClusterReplaced: the JobManager that was asked for a snapshot is gone.
	ReasonClusterReplaced Reason = "ClusterReplaced"
	// ReasonBackoffLimitExceeded: a snapshot failed as often as it may.
	ReasonBackoffLimitExceeded Reason = "BackoffLimitExceeded"
	// ReasonBackOff: a snapshot failed, and its next attempt is not due yet.
	ReasonBackOff Reason = "BackOff"
	// ReasonDisposal: the savepoint of a deleted snapshot is being disposed of.
	ReasonDisposal Reason = "Disposal"
	// ReasonSnapshotAbandoned: a snapshot is given up.
	ReasonSnapshotAbandoned Reason = "SnapshotAbandoned"
)

// Reasons of rollback and deletion.
const (
	// ReasonRollback: a deployment that does not become stable is rolled back.
	ReasonRollback Reason = "Rollback"
	// ReasonRollbackImpossible: it cannot be, without a state to start the stable spec from.
	ReasonRollbackImpossible Reason = "RollbackImpossible"
	// ReasonRollbackUnsupported: it cannot be, because the stable spec has another Flink version.
	ReasonRollbackUnsupported Reason = "RollbackUnsupported"
	// ReasonCleanup: a deletion begins.
	ReasonCleanup Reason = "Cleanup"
	// ReasonCleanupBlocked: a deletion waits for what runs in the cluster.
	ReasonCleanupBlocked Reason = "CleanupBlocked"
	// ReasonCleanupFailed: a step of a deletion, or of a disposal, failed or is blocked.
	ReasonCleanupFailed Reason = "CleanupFailed"
)

// Reasons of an Ingress.
const (
	// ReasonIngressFailed: it could not be made, changed or removed.
	ReasonIngressFailed Reason = "IngressFailed"
	// ReasonIngressManagement: it is not made, because kubernetes.operator.ingress.manage is false.
	ReasonIngressManagement Reason = "IngressManagement"
)

// Reasons of an effect.
const (
	// ReasonError: an effect failed, and a user has to act.
	ReasonError Reason = "Error"
)

// Reasons of a FlinkBlueGreenDeployment.
const (
	// ReasonTransitionStarted: a change begins that gives the other side the new spec.
	ReasonTransitionStarted Reason = "TransitionStarted"
	// ReasonTransitionSavepoint: the savepoint exists that the new side starts from.
	ReasonTransitionSavepoint Reason = "TransitionSavepoint"
	// ReasonTransitionCompleted: the new side serves, and the old one is deleted.
	ReasonTransitionCompleted Reason = "TransitionCompleted"
	// ReasonTransitionAborted: the new side was given up: it was not ready in time, a gate refused it, or a user aborted
	// the change. It is suspended, or in a handover deleted, and the old one serves. Condition Stalled.
	ReasonTransitionAborted Reason = "TransitionAborted"
	// ReasonTransitionWithdrawn: the spec is again that of the side that serves, so the new side is deleted.
	ReasonTransitionWithdrawn Reason = "TransitionWithdrawn"
	// ReasonTransitionFailed: the savepoint for the new side, or the new side, could not be made. It is tried again.
	ReasonTransitionFailed Reason = "TransitionFailed"
	// ReasonTakingTransitionSavepoint: a savepoint of the side that serves is being taken.
	ReasonTakingTransitionSavepoint Reason = "TakingTransitionSavepoint"
	// ReasonSideStarting: the new side is to become ready.
	ReasonSideStarting Reason = "SideStarting"
	// ReasonSideReady: the new side is ready, and the old one is kept for the deletion delay.
	ReasonSideReady Reason = "SideReady"
	// ReasonHandoverWarming: the new side is made warm, and the job runs on the old one.
	ReasonHandoverWarming Reason = "HandoverWarming"
	// ReasonHandoverMoving: the job moves from the old side to the new one, or back.
	ReasonHandoverMoving Reason = "HandoverMoving"
	// ReasonHandoverReturns: the job could not run on the new side, and returns to the old one.
	ReasonHandoverReturns Reason = "HandoverReturns"
	// ReasonHandoverNoRoom: there is no room for a second cluster. The old side serves. Condition Stalled.
	ReasonHandoverNoRoom Reason = "HandoverNoRoom"
	// ReasonHandoverUnknown: it is not known whether the job completed a checkpoint on the new side, or its newest state,
	// so it is run on neither. Condition Stalled.
	ReasonHandoverUnknown Reason = "HandoverUnknown"
	// ReasonAwaitingGates: the new side is ready, and its gates do not all say yes yet.
	ReasonAwaitingGates Reason = "AwaitingGates"
	// ReasonGatePassed: a gate says yes to the new side.
	ReasonGatePassed Reason = "GatePassed"
	// ReasonGateWaiting: a gate that said yes to the new side does not any more.
	ReasonGateWaiting Reason = "GateWaiting"
	// ReasonGateRefused: a gate says no to the new side, so it is given up.
	ReasonGateRefused Reason = "GateRefused"
	// ReasonSideTerminating: an old side is not gone yet.
	ReasonSideTerminating Reason = "SideTerminating"
	// ReasonSideChanging: the side that serves gets a change in place.
	ReasonSideChanging Reason = "SideChanging"
	// ReasonSideNotReady: the side that serves is not ready, so no change is begun.
	ReasonSideNotReady Reason = "SideNotReady"
	// ReasonSideMissing: the FlinkDeployment of the side that serves is gone.
	ReasonSideMissing Reason = "SideMissing"
	// ReasonSideRefused: the API server, or admission, refuses the FlinkDeployment of a side. Condition SpecAccepted and
	// Stalled.
	ReasonSideRefused Reason = "SideRefused"
	// ReasonSideOfAnother: a FlinkDeployment has the name of a side, and is not of this resource. Condition Stalled.
	ReasonSideOfAnother Reason = "SideOfAnother"
	// ReasonSideChanged: the FlinkDeployment of a side was changed between the look at it and the write.
	ReasonSideChanged Reason = "SideChanged"
	// ReasonBlueGreenStateUnknown: status.blueGreenState is none that this version knows. Condition Stalled.
	ReasonBlueGreenStateUnknown Reason = "BlueGreenStateUnknown"
)
