package clusterinfo

import (
	"maps"
	"strconv"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
)

// Facts are what Flink tells about a cluster.
type Facts struct {
	// Version and Revision are Flink's own (GET /config).
	Version, Revision string
	// TaskManagers is how many are registered (GET /taskmanagers).
	TaskManagers int
	// StateSize is that of the newest completed checkpoint, in bytes (GET /jobs/:jobid/checkpoints); nil without one.
	StateSize *int64
}

// The keys, as the Java operator has them.
const (
	KeyVersion   = "flink-version"
	KeyRevision  = "flink-revision"
	KeyStateSize = "state-size"   // bytes
	KeyCPU       = "total-cpu"    // cores
	KeyMemory    = "total-memory" // bytes
)

// With is a clusterInfo with the figures of a cluster that was started with a configuration. The old one is left as it
// is; nil is empty.
func With(old map[string]string, facts Facts, c flinkconf.Config) map[string]string {
	info := maps.Clone(old)
	if info == nil {
		info = map[string]string{}
	}
	info[KeyVersion], info[KeyRevision] = facts.Version, facts.Revision
	if facts.StateSize != nil {
		info[KeyStateSize] = strconv.FormatInt(*facts.StateSize, 10)
	}
	addResources(info, facts.TaskManagers, c)
	return info
}

// addResources adds what the JobManagers and the registered TaskManagers ask for together.
func addResources(info map[string]string, taskManagers int, c flinkconf.Config) {
	slots := float64(options.Read(c.Int, key.TaskSlots, 1))
	cpu := options.Read(c.Float, key.TaskManagerCPU, -1)
	if cpu <= 0 {
		cpu = slots // kubernetes.taskmanager.cpu.amount defaults to the number of slots
	}
	jobManagers := options.Read(c.Int, key.JobManagerReplicas, 1)
	total := float64(jobManagers)*options.Read(c.Float, key.JobManagerCPU, 1) + float64(taskManagers)*cpu
	info[KeyCPU] = syntax.FormatFloat(total)
	jm, jmErr := c.Memory(key.JobManagerProcessMemory)
	tm, tmErr := c.Memory(key.TaskManagerProcessMemory)
	if jmErr == nil && tmErr == nil {
		info[KeyMemory] = strconv.FormatInt(int64(jobManagers)*jm+int64(taskManagers)*tm, 10)
	}
}
