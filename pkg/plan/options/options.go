package options

import (
	"strings"
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

// Bool is the value of an option: its default when it is not set, and when its text cannot be read. A rule that alone
// reads an option asks for it so. The methods of Options say what several options mean together, or several rules ask.
func Bool(c flinkconf.Config, option conf.Option) bool {
	return known(c, flinkconf.Config.Bool, option)
}

// Int is that of a number.
func Int(c flinkconf.Config, option conf.Option) int { return known(c, flinkconf.Config.Int, option) }

// Duration is that of a duration.
func Duration(c flinkconf.Config, option conf.Option) time.Duration {
	return known(c, flinkconf.Config.Duration, option)
}

// Enum is that of an enumeration.
func Enum(c flinkconf.Config, option conf.Option) string {
	return known(c, flinkconf.Config.Enum, option)
}

func known[T any](c flinkconf.Config, get func(flinkconf.Config, conf.Option) (T, error), option conf.Option) T {
	value, err := get(c, option)
	if err != nil {
		value, _ = get(nil, option)
	}
	return value
}

// RecoveryEnabled is kubernetes.operator.jm-deployment-recovery.enabled.
func (o Options) RecoveryEnabled() bool {
	return Bool(o.config(), key.JMDeploymentRecoveryEnabled)
}

// RestartsFailed is kubernetes.operator.job.restart.failed.
func (o Options) RestartsFailed() bool { return Bool(o.config(), key.JobRestartFailed) }

// SavepointOnDeletion is kubernetes.operator.job.savepoint-on-deletion. One that cannot be read asks for the savepoint:
// a deletion ends in any case, and a savepoint too many costs nothing.
func (o Options) SavepointOnDeletion() bool {
	return Read(o.config().Bool, key.JobSavepointOnDeletion, true)
}

// Misread says which of the options that count without a new deployment cannot be read, and why; empty: none.
func (o Options) Misread() string {
	var wrong []string
	for _, err := range flinkconf.OwnUnreadable(o.config()) {
		wrong = append(wrong, err.Error())
	}
	return strings.Join(wrong, "; ")
}

// SubmissionTimeout is kubernetes.operator.job.submission.timeout.
func (o Options) SubmissionTimeout() time.Duration {
	return Duration(o.config(), key.JobSubmissionTimeout)
}

// BlocksOnSessionJobs is kubernetes.operator.session.deletion.block-on-session-jobs.
func (o Options) BlocksOnSessionJobs() bool {
	return Bool(o.config(), key.SessionDeletionBlockOnSessionJobs)
}

// BlocksOnUnmanagedJobs is kubernetes.operator.session.deletion.block-on-unmanaged-jobs.
func (o Options) BlocksOnUnmanagedJobs() bool {
	return Bool(o.config(), key.SessionDeletionBlockOnUnmanagedJobs)
}

// MaxCheckpointAge is kubernetes.operator.job.upgrade.last-state.max.allowed.checkpoint.age; zero means unset.
func (o Options) MaxCheckpointAge() time.Duration {
	return Duration(o.config(), key.JobUpgradeLastStateMaxCheckpointAge)
}

// UpgradeOptions are the options that decide how a job is stopped.
func (o Options) UpgradeOptions() upgrade.Options {
	c := o.config()
	return upgrade.Options{
		LastStateFallback: Bool(c, key.JobUpgradeLastStateFallbackEnabled),
		JobCancel:         Bool(c, key.JobUpgradeLastStateJobCancelEnabled),
		MaxCheckpointAge:  o.MaxCheckpointAge(),
		SavepointDir:      c.Has(key.SavepointDir),
	}
}

// StatisticsAge is how old an answer about a job's checkpoints may be: rest.cache.checkpoint-statistics.timeout, else
// web.refresh-interval.
func (o Options) StatisticsAge() time.Duration {
	return Duration(o.config(), key.RestCacheRefresh)
}

// RemembersStops is how long after its end Flink knows a stop with savepoint by its trigger ID.
func (o Options) RemembersStops() time.Duration {
	return Duration(o.config(), key.RestAsyncStoreDuration)
}

// RetainsOne reports whether a checkpoint is deleted as soon as a newer one is complete
// (execution.checkpointing.num-retained).
func (o Options) RetainsOne() bool {
	return Int(o.config(), key.RetainedCheckpoints) <= 1
}

// SharedCheckpoints is the directory that the checkpoints of all jobs lie in; empty where each job has one of its own
// below it (execution.checkpointing.create-subdir).
func (o Options) SharedCheckpoints() string {
	if c := o.config(); !Bool(c, key.CheckpointSubdir) {
		return c.Get(key.CheckpointDir)
	}
	return ""
}

// ClaimsState reports whether Flink owns, and deletes, the state that a job was started from:
// execution.state-recovery.claim-mode CLAIM.
func (o Options) ClaimsState() bool {
	return Enum(o.config(), key.RestoreMode) == "CLAIM"
}

// SavepointTarget is where and how savepoints are written: directory, format, and whether a stop drains the job.
func (o Options) SavepointTarget() (directory, format string, drain bool) {
	c := o.config()
	return c.Get(key.SavepointDir), c.Get(key.SavepointFormatType), Bool(c, key.JobDrainOnSavepointDeletion)
}

// CheckpointTimeout is execution.checkpointing.timeout, after which Flink gives a savepoint up.
func (o Options) CheckpointTimeout() time.Duration {
	return Duration(o.config(), key.CheckpointingTimeout)
}

// RollbackEnabled is kubernetes.operator.deployment.rollback.enabled.
func (o Options) RollbackEnabled() bool {
	return Bool(o.config(), key.DeploymentRollbackEnabled)
}

// RevisionHistoryLimit is how many starts of a job are kept in its revision history; 0: none.
func (o Options) RevisionHistoryLimit() int { return max(0, Int(o.config(), key.RevisionHistoryLimit)) }

// ReadinessTimeout is kubernetes.operator.deployment.readiness.timeout.
func (o Options) ReadinessTimeout() time.Duration {
	return Duration(o.config(), key.DeploymentReadinessTimeout)
}

// ShutdownTTL is kubernetes.operator.jm-deployment.shutdown-ttl.
func (o Options) ShutdownTTL() time.Duration {
	return Duration(o.config(), key.JMDeploymentShutdownTTL)
}

// KeepsSuspended is kubernetes.operator.jm-deployment.keep-suspended.enabled: a suspended job keeps its JobManager.
func (o Options) KeepsSuspended() bool {
	return Bool(o.config(), key.JMDeploymentKeepSuspended)
}

// CleanupTimeout is kubernetes.operator.resource.cleanup.timeout: how long the pods of a cluster may take to end before
// they are named.
func (o Options) CleanupTimeout() time.Duration {
	return Duration(o.config(), key.ResourceCleanupTimeout)
}

// Orphans reports whether kubernetes.operator.resource.deletion.propagation is Orphan: a deleted Deployment leaves its
// pods behind. With Foreground, the default, and Background they go, too, and nothing follows before they have ended.
func (o Options) Orphans() bool {
	return Enum(o.config(), key.ResourceDeletionPropagation) == string(metav1.DeletePropagationOrphan)
}

// IgnoresPendingSavepoint is kubernetes.operator.job.upgrade.ignore-pending-savepoint.
func (o Options) IgnoresPendingSavepoint() bool {
	return Bool(o.config(), key.JobUpgradeIgnorePendingSavepoint)
}
