package clusterinfo

import (
	"maps"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// Of two TaskManagers.
func TestResourcesOfACluster(t *testing.T) {
	slots := key.TaskSlots.Key
	jmMemory, tmMemory := key.JobManagerProcessMemory.Key, key.TaskManagerProcessMemory.Key
	base := flinkconf.Config{jmMemory: "1 kb", tmMemory: "2 kb"}
	for name, c := range map[string]struct {
		config      flinkconf.Config
		cpu, memory string
	}{
		"a TaskManager has a core for each slot": {flinkconf.Config{slots: "4"}, "9.0", "5120"},
		"or what it is given": {
			flinkconf.Config{slots: "4", key.TaskManagerCPU.Key: "0.5", key.JobManagerCPU.Key: "2"}, "3.0", "5120",
		},
		"0 cores stand for the slots":        {flinkconf.Config{slots: "4", key.TaskManagerCPU.Key: "0"}, "9.0", "5120"},
		"and so do cores that are no number": {flinkconf.Config{slots: "4", key.TaskManagerCPU.Key: "many"}, "9.0", "5120"},
		"every JobManager counts": {
			flinkconf.Config{key.JobManagerReplicas.Key: "3"}, "5.0", "7168",
		},
		"no sum without the memory of a JobManager":  {flinkconf.Config{jmMemory: "much"}, "3.0", ""},
		"no sum without the memory of a TaskManager": {flinkconf.Config{tmMemory: "much"}, "3.0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			old := map[string]string{"of others": "stays"}
			info := With(old, Facts{TaskManagers: 2}, base.Merge(c.config))
			if info[KeyCPU] != c.cpu || info[KeyMemory] != c.memory || info["of others"] != "stays" {
				t.Errorf("got %v, want %s cores and %q bytes", info, c.cpu, c.memory)
			}
			if !maps.Equal(old, map[string]string{"of others": "stays"}) {
				t.Errorf("the old one changed: %v", old)
			}
		})
	}
}
