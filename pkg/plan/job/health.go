package job

import (
	"maps"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan/health"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
)

// ChecksHealth reports whether the health of the job is judged: kubernetes.operator.cluster.health-check.enabled,
// applications only.
func (v *Life) ChecksHealth() bool {
	application := v.Last != nil && !v.IsSession() && v.IsApplication()
	return application && options.Read(v.Config().Bool, key.HealthCheckEnabled, false)
}

// ChecksProgress reports whether the job's checkpoints count for its health: not switched off, and the job is
// configured to make some.
func (v *Life) ChecksProgress() bool {
	return v.ChecksHealth() && v.healthOptions().ProgressWindow > 0
}

func (v *Life) healthOptions() health.Options {
	c := v.Config()
	o := health.Options{
		RestartsWindow:    options.Read(c.Duration, key.HealthCheckRestartsWindow, 2*time.Minute),
		RestartsThreshold: int64(options.Read(c.Int, key.HealthCheckRestartsThreshold, 64)),
	}
	if options.Read(c.Bool, key.HealthCheckCheckpointProgressEnabled, true) {
		o.ProgressWindow = health.Checkpointing{
			Window:   options.Read(c.Duration, key.HealthCheckCheckpointProgressWindow, 0),
			Interval: options.Read(c.Duration, key.CheckpointingInterval, 0),
			Timeout:  v.CheckpointTimeout(), Tolerable: options.Read(c.Int, key.TolerableFailedCheckpoints, 0),
		}.ProgressWindow()
	}
	return o
}

// observeHealth judges a job that has not ended, and keeps the record.
func (v *Life) observeHealth() {
	seen, ok := v.Seen.Flink.Health.Get()
	if !ok || !v.ChecksHealth() || v.Job == nil || v.Job.State.IsTerminal() {
		return
	}
	var last *health.Record
	if r, stored := health.Parse(v.Want.ClusterInfo[health.Key]); stored {
		last = &r
	}
	info := maps.Clone(v.Want.ClusterInfo)
	if info == nil {
		info = map[string]string{}
	}
	info[health.Key] = health.Judge(last, v.healthOptions(), v.Seen.Now, seen).Text()
	v.Want.ClusterInfo = info
}

// Unhealthy says what is wrong with the job by this look; empty when nothing is, or nobody could look.
func (v *Life) Unhealthy() string {
	if !v.Seen.Flink.Health.IsPresent() || !v.ChecksHealth() || v.Job == nil || v.Job.State.IsTerminal() {
		return ""
	}
	return unhealthy(v.Want)
}

// KnownUnhealthy reports whether status says since an earlier look that the job is not healthy.
func (v *Life) KnownUnhealthy() bool { return unhealthy(v.Resource().Status) != "" }

func unhealthy(status v1beta1.FlinkDeploymentStatus) string {
	r, stored := health.Parse(status.ClusterInfo[health.Key])
	if !stored {
		return ""
	}
	return r.Why()
}

// forgetHealth drops the record: another run of the job begins another.
func (v *Life) forgetHealth() { delete(v.Want.ClusterInfo, health.Key) }
