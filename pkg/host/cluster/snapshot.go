package cluster

import (
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Snapshot is everything that one decision sees. Parts nobody asked for are Unknown.
type Snapshot struct {
	world.Seen
	Objects
	// LogFiles are the log configuration files for clusters whose spec has none, by file name.
	LogFiles map[string]string
	// SessionJobs are the FlinkSessionJobs of a session cluster.
	SessionJobs plan.Observed[[]SessionJob]
}
