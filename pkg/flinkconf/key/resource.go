package key

import "github.com/kn-flink/kn-flink/pkg/flinkconf/conf"

// Options of the operator that a resource's own flinkConfiguration may set.
var (
	// SnapshotResourceEnabled stores snapshots as FlinkStateSnapshot objects. It counts as true only when the operator's
	// configuration and the resource's both say so; false means the older status fields.
	SnapshotResourceEnabled = resource(conf.KindBool, "snapshot.resource.enabled", "true")
	// SavepointTriggerGracePeriod is the time before a lost savepoint trigger counts as failed.
	SavepointTriggerGracePeriod = resource(
		conf.KindDuration, "savepoint.trigger.grace-period", "1 min", "observer.savepoint.trigger.grace-period",
	)
	// CheckpointTriggerGracePeriod is the time before a lost checkpoint trigger counts as failed.
	CheckpointTriggerGracePeriod = resource(conf.KindDuration, "checkpoint.trigger.grace-period", "1 min")
	// SavepointFormatType is the binary format of savepoints.
	SavepointFormatType = scoped(conf.ScopeResource, oneOf("savepoint.format.type", "CANONICAL", "NATIVE", "UNKNOWN"))
	// CheckpointType is the type of triggered checkpoints.
	CheckpointType = scoped(conf.ScopeResource, oneOf("checkpoint.type", "FULL", "INCREMENTAL", "UNKNOWN"))
	// SavepointDisposeOnDelete is disposeOnDelete of upgrade and periodic snapshots.
	SavepointDisposeOnDelete = resource(conf.KindBool, "savepoint.dispose-on-delete", "false")
	// SavepointCleanupEnabled prunes the savepoint history.
	SavepointCleanupEnabled = resource(conf.KindBool, "savepoint.cleanup.enabled", "true")
	// SavepointHistoryMaxCount is the number of savepoints kept.
	SavepointHistoryMaxCount = resource(conf.KindInt, "savepoint.history.max.count", "10")
	// SavepointHistoryMaxAge is the age up to which savepoints are kept; the newest one always is.
	SavepointHistoryMaxAge = resource(conf.KindDuration, "savepoint.history.max.age", "1 d")
	// PeriodicSavepointInterval is a duration or a Quartz cron text; blank or 0 is off.
	PeriodicSavepointInterval = resource(conf.KindSchedule, "periodic.savepoint.interval", "")
	// PeriodicCheckpointInterval is a duration or a Quartz cron text; blank or 0 is off.
	PeriodicCheckpointInterval = resource(conf.KindSchedule, "periodic.checkpoint.interval", "")
	// RevisionHistoryLimit is how many starts of a job are kept in its revision history; 0 keeps none.
	RevisionHistoryLimit = resource(conf.KindInt, "revision-history.limit", "5")
	// DeploymentRollbackEnabled rolls a failed upgrade back.
	DeploymentRollbackEnabled = resource(conf.KindBool, "deployment.rollback.enabled", "false")
	// DeploymentDryRunEnabled has the API server judge what a spec asks for, as a dry run, before a job is stopped for it.
	DeploymentDryRunEnabled = resource(conf.KindBool, "deployment.dry-run.enabled", "true")
	// DeploymentReadinessTimeout is the time an upgrade has to become stable before it is rolled back.
	DeploymentReadinessTimeout = resource(conf.KindDuration, "deployment.readiness.timeout", "5 min")
	// JMDeploymentRecoveryEnabled creates a lost JobManager Deployment again.
	JMDeploymentRecoveryEnabled = resource(
		conf.KindBool, "jm-deployment-recovery.enabled", "true", "reconciler.jm-deployment-recovery.enabled",
	)
	// JMDeploymentShutdownTTL is the time after which the JobManager of a job that ended is removed.
	JMDeploymentShutdownTTL = resource(conf.KindDuration, "jm-deployment.shutdown-ttl", "1 d")
	// JMDeploymentKeepSuspended keeps the JobManager of a suspended job that has high availability, in native mode, until
	// kubernetes.operator.jm-deployment.shutdown-ttl, as the Java operator does.
	JMDeploymentKeepSuspended = resource(conf.KindBool, "jm-deployment.keep-suspended.enabled", "false")
	// JMStartupProbeEnabled adds a startup probe to the JobManager pod.
	JMStartupProbeEnabled = resource(conf.KindBool, "jm-deployment.startup.probe.enabled", "true")
	// JobUpgradeIgnorePendingSavepoint upgrades while a savepoint is pending.
	JobUpgradeIgnorePendingSavepoint = resource(conf.KindBool, "job.upgrade.ignore-pending-savepoint", "false")
	// JobUpgradeInplaceScalingEnabled uses Flink's rescale API (1.18 and later) instead of a redeployment.
	JobUpgradeInplaceScalingEnabled = resource(conf.KindBool, "job.upgrade.inplace-scaling.enabled", "true")
	// JobUpgradeLastStateFallbackEnabled lets upgrade mode savepoint fall back to last-state.
	JobUpgradeLastStateFallbackEnabled = resource(conf.KindBool, "job.upgrade.last-state-fallback.enabled", "true")
	// JobUpgradeLastStateMaxCheckpointAge takes a savepoint instead when the last checkpoint is older; unset is any age.
	JobUpgradeLastStateMaxCheckpointAge = scoped(
		conf.ScopeResource, unset(conf.KindDuration, "job.upgrade.last-state.max.allowed.checkpoint.age"),
	)
	// JobUpgradeLastStateJobCancelEnabled makes last-state upgrades by cancelling the job; session jobs always do.
	JobUpgradeLastStateJobCancelEnabled = resource(conf.KindBool, "job.upgrade.last-state.job-cancel.enabled", "false")
	// JobRestartFailed restarts failed jobs.
	JobRestartFailed = resource(conf.KindBool, "job.restart.failed", "false")
	// JobSavepointOnDeletion takes a savepoint when the resource is deleted.
	JobSavepointOnDeletion = resource(conf.KindBool, "job.savepoint-on-deletion", "false")
	// JobDrainOnSavepointDeletion drains the job at every stop-with-savepoint.
	JobDrainOnSavepointDeletion = resource(conf.KindBool, "job.drain-on-savepoint-deletion", "false")
	// SessionDeletionBlockOnSessionJobs keeps a session cluster while it has FlinkSessionJobs.
	SessionDeletionBlockOnSessionJobs = resource(conf.KindBool, "session.deletion.block-on-session-jobs", "true")
	// SessionDeletionBlockOnUnmanagedJobs keeps a session cluster while other jobs run in it.
	SessionDeletionBlockOnUnmanagedJobs = resource(
		conf.KindBool, "session.deletion.block-on-unmanaged-jobs", "true", "session.block-on-unmanaged-jobs",
	)
	// HealthCheckEnabled watches the health of clusters and restarts unhealthy ones.
	HealthCheckEnabled = resource(conf.KindBool, "cluster.health-check.enabled", "false")
	// HealthCheckRestartsWindow is the window in which job restarts are counted.
	HealthCheckRestartsWindow = resource(conf.KindDuration, "cluster.health-check.restarts.window", "2 min")
	// HealthCheckRestartsThreshold is the number of restarts in that window that makes a cluster unhealthy.
	HealthCheckRestartsThreshold = resource(conf.KindInt, "cluster.health-check.restarts.threshold", "64")
	// HealthCheckCheckpointProgressEnabled also watches that checkpoints complete.
	HealthCheckCheckpointProgressEnabled = resource(
		conf.KindBool, "cluster.health-check.checkpoint-progress.enabled", "true",
	)
	// HealthCheckCheckpointProgressWindow is the time without a completed checkpoint that makes a cluster unhealthy.
	// Unset, and at least, it is max(checkpoint interval, checkpoint timeout) * (tolerable failures + 2).
	HealthCheckCheckpointProgressWindow = scoped(
		conf.ScopeResource, unset(conf.KindDuration, "cluster.health-check.checkpoint-progress.window"),
	)
	// PodTemplateMergeArraysByName merges arrays of pod templates by the name of their elements instead of their
	// position.
	PodTemplateMergeArraysByName = resource(conf.KindBool, "pod-template.merge-arrays-by-name", "false")
	// ArtifactsHTTPHeader are headers for the download of a session job's jar.
	ArtifactsHTTPHeader = scoped(conf.ScopeResource, unset(conf.KindMap, "user.artifacts.http.header"))
)
