package facts

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan/health"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
)

// HealthChecked reports whether the health of the job is judged: kubernetes.operator.cluster.health-check.enabled,
// applications only.
func HealthChecked(v *world.Look) bool {
	application := v.Last != nil && !v.IsSession() && v.IsApplication()
	return application && options.Read(v.Config().Bool, key.HealthCheckEnabled, false)
}

// ProgressWindow is how long the job may go on without completing a checkpoint, by its configuration alone: an older
// one is worth the question how often its code makes them. Zero: its checkpoints do not count for its health, because
// that is switched off, or it is not configured to make any.
func ProgressWindow(v *world.Look) time.Duration {
	if !HealthChecked(v) {
		return 0
	}
	return HealthBounds(v, nil).ProgressWindow
}

// HealthBounds are what the job is judged by: own is what Flink says of its checkpoints, nil what its configuration
// does.
func HealthBounds(v *world.Look, own *health.Pace) health.Options {
	c := v.Config()
	if own == nil {
		own = &health.Pace{
			Interval: options.Read(c.Duration, key.CheckpointingInterval, 0), Timeout: v.Options.CheckpointTimeout(),
		}
	}
	o := health.Options{
		RestartsWindow:    options.Read(c.Duration, key.HealthCheckRestartsWindow, 2*time.Minute),
		RestartsThreshold: int64(options.Read(c.Int, key.HealthCheckRestartsThreshold, 64)),
	}
	if options.Read(c.Bool, key.HealthCheckCheckpointProgressEnabled, true) {
		o.ProgressWindow = health.Checkpointing{
			Window:   options.Read(c.Duration, key.HealthCheckCheckpointProgressWindow, 0),
			Interval: own.Interval, Timeout: own.Timeout,
			Tolerable: options.Read(c.Int, key.TolerableFailedCheckpoints, 0),
		}.ProgressWindow()
	}
	return o
}

// Unhealthy says what is wrong with the job by this look; empty when nothing is, or nobody could look.
func Unhealthy(v *world.Look) string {
	if !v.Seen.Flink.Health.IsPresent() || !HealthChecked(v) || v.Job == nil || v.Job.State.IsTerminal() {
		return ""
	}
	return unhealthyTold(v.Want)
}

// KnownUnhealthy reports whether status says since an earlier look that the job is not healthy.
func KnownUnhealthy(v *world.Look) bool { return unhealthyTold(v.Resource().Status) != "" }

func unhealthyTold(status v1beta1.FlinkDeploymentStatus) string {
	r, stored := health.Parse(status.ClusterInfo[health.Key])
	if !stored {
		return ""
	}
	return r.Why()
}
