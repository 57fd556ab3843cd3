package options

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// What goes on although a text cannot be read, goes on by the default that the option's documentation names, but for
// the savepoint before a deletion, which is then taken.
func TestUnreadableCountsAsUnset(t *testing.T) {
	of := func(option conf.Option, text string) Options {
		config := flinkconf.Config{option.Key: text}
		return Of(func() flinkconf.Config { return config })
	}
	unset := Of(func() flinkconf.Config { return nil })
	for _, c := range []struct {
		option conf.Option
		read   func(Options) time.Duration
		want   time.Duration
	}{
		{key.JobSubmissionTimeout, Options.SubmissionTimeout, 10 * time.Minute},
		{key.JobUpgradeLastStateMaxCheckpointAge, Options.MaxCheckpointAge, 0},
		{key.RestCacheRefresh, Options.StatisticsAge, 3 * time.Second},
		{key.RestAsyncStoreDuration, Options.RemembersStops, 5 * time.Minute},
		{key.CheckpointingTimeout, Options.CheckpointTimeout, 10 * time.Minute},
		{key.DeploymentReadinessTimeout, Options.ReadinessTimeout, 5 * time.Minute},
		{key.JMDeploymentShutdownTTL, Options.ShutdownTTL, 24 * time.Hour},
		{key.ResourceCleanupTimeout, Options.CleanupTimeout, 5 * time.Minute},
	} {
		if got := c.read(of(c.option, "soon")); got != c.want {
			t.Errorf("%s that cannot be read is %v, not %v", c.option.Key, got, c.want)
		}
		if got := c.read(unset); got != c.want {
			t.Errorf("%s that is not set is %v, not %v", c.option.Key, got, c.want)
		}
		if got := c.read(of(c.option, "42 s")); got != 42*time.Second {
			t.Errorf("%s of 42 s is %v", c.option.Key, got)
		}
	}
	for _, c := range []struct {
		option conf.Option
		read   func(Options) bool
	}{
		{key.JMDeploymentRecoveryEnabled, Options.RecoveryEnabled},
		{key.JobRestartFailed, Options.RestartsFailed},
		{key.SessionDeletionBlockOnSessionJobs, Options.BlocksOnSessionJobs},
		{key.SessionDeletionBlockOnUnmanagedJobs, Options.BlocksOnUnmanagedJobs},
		{key.AutoscalerEnabled, func(o Options) bool { return Bool(o.config(), key.AutoscalerEnabled) }},
		{key.DeploymentRollbackEnabled, Options.RollbackEnabled},
		{key.JobUpgradeIgnorePendingSavepoint, Options.IgnoresPendingSavepoint},
		{key.RetainedCheckpoints, Options.RetainsOne},
		{key.RestoreMode, Options.ClaimsState},
		{key.ResourceDeletionPropagation, Options.Orphans},
		{key.JobUpgradeLastStateFallbackEnabled, func(o Options) bool { return o.UpgradeOptions().LastStateFallback }},
		{key.JobUpgradeLastStateJobCancelEnabled, func(o Options) bool { return o.UpgradeOptions().JobCancel }},
	} {
		if got, want := c.read(of(c.option, "perhaps")), c.read(unset); got != want {
			t.Errorf("%s that cannot be read is %v, that is not set %v", c.option.Key, got, want)
		}
	}
	if save := (Options.SavepointOnDeletion); !save(of(key.JobSavepointOnDeletion, "yes")) || save(unset) {
		t.Error("a savepoint that may be wanted is not taken, or one is that nobody asked for")
	}
	if told := of(key.JobSavepointOnDeletion, "yes").Misread(); !strings.Contains(told, key.JobSavepointOnDeletion.Key) ||
		unset.Misread() != "" {
		t.Errorf("told %q", told)
	}
}
