package observe

import (
	"maps"

	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan/health"
)

// jobHealth judges a job that has not ended, and keeps the record.
func jobHealth(v *world.Look) {
	seen, ok := v.Seen.Flink.Health.Get()
	if !ok || !facts.HealthChecked(v) || v.Job == nil || v.Job.State.IsTerminal() {
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
	info[health.Key] = health.Judge(last, facts.HealthBounds(v, seen.Own), v.Seen.Now, seen).Text()
	v.Want.ClusterInfo = info
}
