package options

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// Options reads what one configuration says. The zero value is of no use; Of makes it.
type Options struct{ config func() flinkconf.Config }

// Of are the options of a configuration, which is composed when the first one is read.
func Of(config func() flinkconf.Config) Options { return Options{config} }

// Read is the value of an option, or a fallback when the text cannot be read: validation reports that.
func Read[T any](get func(conf.Option) (T, error), option conf.Option, fallback T) T {
	value, err := get(option)
	if err != nil {
		return fallback
	}
	return value
}

// RecoveryEnabled is kubernetes.operator.jm-deployment-recovery.enabled.
func (o Options) RecoveryEnabled() bool {
	return Read(o.config().Bool, key.JMDeploymentRecoveryEnabled, true)
}

// RestartsFailed is kubernetes.operator.job.restart.failed.
func (o Options) RestartsFailed() bool { return Read(o.config().Bool, key.JobRestartFailed, false) }

// SavepointOnDeletion is kubernetes.operator.job.savepoint-on-deletion.
func (o Options) SavepointOnDeletion() bool {
	return Read(o.config().Bool, key.JobSavepointOnDeletion, false)
}

// SubmissionTimeout is kubernetes.operator.job.submission.timeout.
func (o Options) SubmissionTimeout() time.Duration {
	return Read(o.config().Duration, key.JobSubmissionTimeout, 10*time.Minute)
}

// BlocksOnSessionJobs is kubernetes.operator.session.deletion.block-on-session-jobs.
func (o Options) BlocksOnSessionJobs() bool {
	return Read(o.config().Bool, key.SessionDeletionBlockOnSessionJobs, true)
}

// BlocksOnUnmanagedJobs is kubernetes.operator.session.deletion.block-on-unmanaged-jobs.
func (o Options) BlocksOnUnmanagedJobs() bool {
	return Read(o.config().Bool, key.SessionDeletionBlockOnUnmanagedJobs, true)
}

// AsksAutoscaler is job.autoscaler.enabled.
func (o Options) AsksAutoscaler() bool { return Read(o.config().Bool, key.AutoscalerEnabled, false) }

// MaxCheckpointAge is kubernetes.operator.job.upgrade.last-state.max.allowed.checkpoint.age; zero means unset.
func (o Options) MaxCheckpointAge() time.Duration {
	return Read(o.config().Duration, key.JobUpgradeLastStateMaxCheckpointAge, 0)
}

// UpgradeOptions are the options that decide how a job is stopped.
func (o Options) UpgradeOptions() upgrade.Options {
	c := o.config()
	return upgrade.Options{
		LastStateFallback: Read(c.Bool, key.JobUpgradeLastStateFallbackEnabled, true),
		JobCancel:         Read(c.Bool, key.JobUpgradeLastStateJobCancelEnabled, false),
		MaxCheckpointAge:  o.MaxCheckpointAge(),
		SavepointDir:      c.Has(key.SavepointDir),
	}
}

// StatisticsAge is how old an answer about a job's checkpoints may be: rest.cache.checkpoint-statistics.timeout, else
// web.refresh-interval.
func (o Options) StatisticsAge() time.Duration {
	return Read(o.config().Duration, key.RestCacheRefresh, 3*time.Second)
}

// RemembersStops is how long after its end Flink knows a stop with savepoint by its trigger ID.
func (o Options) RemembersStops() time.Duration {
	return Read(o.config().Duration, key.RestAsyncStoreDuration, 5*time.Minute)
}

// RetainsOne reports whether a checkpoint is deleted as soon as a newer one is complete
// (execution.checkpointing.num-retained).
func (o Options) RetainsOne() bool {
	return Read(o.config().Int, key.RetainedCheckpoints, 1) <= 1
}

// SharedCheckpoints is the directory that the checkpoints of all jobs lie in; empty where each job has one of its own
// below it (execution.checkpointing.create-subdir).
func (o Options) SharedCheckpoints() string {
	if c := o.config(); !Read(c.Bool, key.CheckpointSubdir, true) {
		return c.Get(key.CheckpointDir)
	}
	return ""
}

// ClaimsState reports whether Flink owns, and deletes, the state that a job was started from:
// execution.state-recovery.claim-mode CLAIM.
func (o Options) ClaimsState() bool {
	return Read(o.config().Enum, key.RestoreMode, "") == "CLAIM"
}

// SavepointTarget is where and how savepoints are written: directory, format, and whether a stop drains the job.
func (o Options) SavepointTarget() (directory, format string, drain bool) {
	c := o.config()
	return c.Get(key.SavepointDir), c.Get(key.SavepointFormatType), Read(c.Bool, key.JobDrainOnSavepointDeletion, false)
}

// CheckpointTimeout is execution.checkpointing.timeout, after which Flink gives a savepoint up.
func (o Options) CheckpointTimeout() time.Duration {
	return Read(o.config().Duration, key.CheckpointingTimeout, 10*time.Minute)
}

// RollbackEnabled is kubernetes.operator.deployment.rollback.enabled.
func (o Options) RollbackEnabled() bool {
	return Read(o.config().Bool, key.DeploymentRollbackEnabled, false)
}

// ReadinessTimeout is kubernetes.operator.deployment.readiness.timeout.
func (o Options) ReadinessTimeout() time.Duration {
	return Read(o.config().Duration, key.DeploymentReadinessTimeout, 5*time.Minute)
}

// ShutdownTTL is kubernetes.operator.jm-deployment.shutdown-ttl.
func (o Options) ShutdownTTL() time.Duration {
	return Read(o.config().Duration, key.JMDeploymentShutdownTTL, 24*time.Hour)
}

// CleanupTimeout is kubernetes.operator.resource.cleanup.timeout: how long the pods of a cluster may take to end before
// they are named.
func (o Options) CleanupTimeout() time.Duration {
	return Read(o.config().Duration, key.ResourceCleanupTimeout, 5*time.Minute)
}

// Orphans reports whether kubernetes.operator.resource.deletion.propagation is Orphan: a deleted Deployment leaves its
// pods behind. With Foreground, the default, and Background they go, too, and nothing follows before they have ended.
func (o Options) Orphans() bool {
	return Read(
		o.config().Enum, key.ResourceDeletionPropagation, string(metav1.DeletePropagationForeground),
	) == string(metav1.DeletePropagationOrphan)
}

// IgnoresPendingSavepoint is kubernetes.operator.job.upgrade.ignore-pending-savepoint.
func (o Options) IgnoresPendingSavepoint() bool {
	return Read(o.config().Bool, key.JobUpgradeIgnorePendingSavepoint, false)
}
