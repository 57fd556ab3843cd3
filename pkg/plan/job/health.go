package job

import (
	"maps"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan/health"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
)

// Health judges whether a job that runs gets on, where the options ask for it, and keeps the record of that.
type Health Life

// Checked reports whether the health of the job is judged: kubernetes.operator.cluster.health-check.enabled,
// applications only.
func (v Health) Checked() bool {
	application := v.Last != nil && !v.IsSession() && v.IsApplication()
	return application && options.Read(v.Config().Bool, key.HealthCheckEnabled, false)
}

// ChecksProgress reports whether the job's checkpoints count for its health: not switched off, and the job is
// configured to make some.
func (v Health) ChecksProgress() bool {
	return v.Checked() && v.bounds().ProgressWindow > 0
}

func (v Health) bounds() health.Options {
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

// observe judges a job that has not ended, and keeps the record.
func (v Health) observe() {
	seen, ok := v.Seen.Flink.Health.Get()
	if !ok || !v.Checked() || v.Job == nil || v.Job.State.IsTerminal() {
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
	info[health.Key] = health.Judge(last, v.bounds(), v.Seen.Now, seen).Text()
	v.Want.ClusterInfo = info
}

// unhealthy says what is wrong with the job by this look; empty when nothing is, or nobody could look.
func (v Health) unhealthy() string {
	if !v.Seen.Flink.Health.IsPresent() || !v.Checked() || v.Job == nil || v.Job.State.IsTerminal() {
		return ""
	}
	return unhealthy(v.Want)
}

// KnownUnhealthy reports whether status says since an earlier look that the job is not healthy.
func (v Health) KnownUnhealthy() bool { return unhealthy(v.Resource().Status) != "" }

func unhealthy(status v1beta1.FlinkDeploymentStatus) string {
	r, stored := health.Parse(status.ClusterInfo[health.Key])
	if !stored {
		return ""
	}
	return r.Why()
}

// forget drops the record: another run of the job begins another.
func (v Health) forget() { delete(v.Want.ClusterInfo, health.Key) }
