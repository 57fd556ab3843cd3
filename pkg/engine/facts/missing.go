package facts

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// Vanished reports whether Flink has not listed a job that ran for so long that it will not come back: it has ended,
// and nobody was told how. A JobManager that has just failed over lists no job until it has submitted it.
func Vanished(v *world.Look) bool {
	return MissesItsJob(v) && v.Job == nil && v.Seen.Flink.Jobs.IsPresent()
}

// MissesItsJob reports whether a job that should run has not been listed for that long: since status says so, and since
// its JobManager's pod is ready. It may have run and ended while no status could be written.
func MissesItsJob(v *world.Look) bool {
	status := v.Want.JobStatus
	if v.Last == nil || v.IsSession() || status.State != v1beta1.FlinkJobReconciling {
		return false
	}
	if !v.Host.BringsBack() {
		return v.Intent() == nil
	}
	since := v.EndedAt()
	if ready := v.Host.AvailableAt(); ready.After(since.Time) {
		since = ready
	}
	return v.Since(since) > v.CheckpointTimeout()
}
