package record

import (
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan/health"
)

// forgetHealth drops the record: another run of the job begins another.
func forgetHealth(v *world.Look) { delete(v.Want.ClusterInfo, health.Key) }
