package memory

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

func TestJobManagerErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		config conf.Config
		says   []string
		reason string
	}{
		"nothing": {
			conf.Config{},
			[]string{"jobmanager.memory.heap.size", "jobmanager.memory.flink.size", "jobmanager.memory.process.size"},
			"the error names the three ways out",
		},
		"off-heap too large": {
			conf.Config{"jobmanager.memory.flink.size": "100m"},
			[]string{"jobmanager.memory.off-heap.size", "128 mb"},
			"the default off-heap memory does not fit",
		},
		"process too small": {
			conf.Config{"jobmanager.memory.process.size": "400m"},
			[]string{"256 mb", "192 mb", "400 mb"},
			"metaspace and the least overhead are more than the process",
		},
		"heap and flink": {conf.Config{"jobmanager.memory.heap.size": "2g", "jobmanager.memory.flink.size": "1g"},
			[]string{"do not add up", "jobmanager.memory.flink.size"}, "the heap alone is more"},
		"three disagree": {
			conf.Config{
				"jobmanager.memory.heap.size":     "512m",
				"jobmanager.memory.off-heap.size": "1m",
				"jobmanager.memory.flink.size":    "1g",
			},
			[]string{"do not add up"},
			"explicit sizes are never changed",
		},
		"overhead out of bounds": {
			conf.Config{"jobmanager.memory.flink.size": "1g", "jobmanager.memory.process.size": "4g"},
			[]string{"JVM overhead (2816 mb)", "[192 mb, 1 gb]"},
			"what is left is more than the most overhead",
		},
		"process below flink": {
			conf.Config{"jobmanager.memory.flink.size": "2g", "jobmanager.memory.process.size": "1g"},
			[]string{"JVM overhead (-1342177280 bytes)"},
			"nothing is left for the overhead",
		},
		"off-heap takes all": {
			conf.Config{"jobmanager.memory.flink.size": "128m"},
			[]string{"the Flink memory (128 mb) is not more than off-heap memory"},
			"a JVM needs a heap",
		},
		"process of metaspace and overhead": {
			conf.Config{"jobmanager.memory.process.size": "448m"},
			[]string{"the Flink memory (0 bytes) is not more than off-heap memory"},
			"they fit, and leave nothing",
		},
		"two mistakes": {
			conf.Config{
				"jobmanager.memory.process.size": "2g", "jobmanager.memory.jvm-metaspace.size": "first",
				"jobmanager.memory.jvm-overhead.min": "second",
			},
			[]string{"first"},
			"one is told, the first",
		},
		"min over max": {
			conf.Config{"jobmanager.memory.process.size": "2g", "jobmanager.memory.jvm-overhead.min": "2g"},
			[]string{"jvm-overhead.min", "jvm-overhead.max"},
			"bounds the wrong way round",
		},
		"fraction": {
			conf.Config{"jobmanager.memory.process.size": "2g", "jobmanager.memory.jvm-overhead.fraction": "1"},
			[]string{"jvm-overhead.fraction", "less than 1"},
			"a fraction of all leaves nothing",
		},
		"unreadable": {
			conf.Config{"jobmanager.memory.process.size": "2Gi"},
			[]string{`"jobmanager.memory.process.size"`, "2Gi"},
			"the option and its text are named",
		},
		"unreadable limit": {
			conf.Config{
				"jobmanager.memory.process.size":                   "2g",
				"jobmanager.memory.enable-jvm-direct-memory-limit": "on",
			},
			[]string{"enable-jvm-direct-memory-limit"},
			"also a flag that only shapes the command line",
		},
		"too large": {
			conf.Config{"jobmanager.memory.heap.size": "9223372036854775807"},
			[]string{"more than 64 bits"},
			"no silent wrap around",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := JobManagerProcess(tc.config)
			expectError(t, err, append(tc.says, "JobManager memory configuration failed"), tc.reason)
		})
	}
}

func TestTaskManagerErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		config conf.Config
		says   []string
		reason string
	}{
		"nothing": {
			conf.Config{},
			[]string{
				"taskmanager.memory.task.heap.size and taskmanager.memory.managed.size",
				"taskmanager.memory.process.size",
			},
			"the error names the three ways out",
		},
		"task heap alone": {
			conf.Config{"taskmanager.memory.task.heap.size": "1g"},
			[]string{"need to be configured explicitly"},
			"task heap without managed memory does not say how large the process is",
		},
		"parts too large": {
			conf.Config{"taskmanager.memory.flink.size": "300m"},
			[]string{"more than the Flink memory (300 mb)"},
			"the defaults of the parts do not fit",
		},
		"explicit parts too large": {
			conf.Config{"taskmanager.memory.flink.size": "1g", "taskmanager.memory.task.heap.size": "1g"},
			[]string{"more than the Flink memory (1 gb)"},
			"the task heap takes all",
		},
		"network out of bounds": {
			conf.Config{"taskmanager.memory.flink.size": "4g", "taskmanager.memory.task.heap.size": "512m",
				"taskmanager.memory.network.max": "128m"},
			[]string{"network memory", "[64 mb, 128 mb]"},
			"the rest is more than network memory may be",
		},
		"buffers": {
			conf.Config{"taskmanager.memory.flink.size": "4g", "taskmanager.memory.task.heap.size": "512m",
				"taskmanager.network.numberOfBuffers": "2048"},
			[]string{"taskmanager.network.numberOfBuffers", "64 mb"},
			"a count of buffers is exact",
		},
		"no cpu": {
			conf.Config{"taskmanager.memory.process.size": "2g", "taskmanager.cpu.cores": "0"},
			[]string{"taskmanager.cpu.cores"},
			"a TaskManager needs a CPU",
		},
		"slots": {
			conf.Config{"taskmanager.memory.process.size": "2g", "taskmanager.numberOfTaskSlots": "two"},
			[]string{"taskmanager.numberOfTaskSlots", "two"},
			"the slots stand in for the CPU",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := TaskManagerProcess(tc.config)
			expectError(t, err, append(tc.says, "TaskManager memory configuration failed"), tc.reason)
		})
	}
}

// What just fits is not refused.
func TestMemoryThatJustFits(t *testing.T) {
	for name, config := range map[string]conf.Config{
		"no off-heap memory": {"jobmanager.memory.heap.size": "1g", "jobmanager.memory.flink.size": "1g"},
		"the least overhead": {"jobmanager.memory.flink.size": "1g", "jobmanager.memory.process.size": "1472m"},
		"the most overhead":  {"jobmanager.memory.flink.size": "1g", "jobmanager.memory.process.size": "2304m"},
	} {
		if _, err := JobManagerProcess(config); err != nil {
			t.Errorf("JobManager, %s: %v", name, err)
		}
	}
	for name, config := range map[string]conf.Config{
		"no task heap": {
			"taskmanager.memory.flink.size": "320m", "taskmanager.memory.managed.size": "0",
			"taskmanager.memory.network.max": "64m",
		},
		"no network memory": {
			"taskmanager.memory.flink.size": "320m", "taskmanager.memory.managed.size": "0",
			"taskmanager.memory.task.heap.size": "64m", "taskmanager.memory.network.min": "0",
		},
	} {
		m, err := TaskManagerProcess(config)
		if err != nil || m.Network+m.TaskHeap != 64*mib {
			t.Errorf("TaskManager, %s: network memory %d, task heap %d, %v", name, m.Network, m.TaskHeap, err)
		}
	}
}

func expectError(t *testing.T, err error, says []string, reason string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error: %s", reason)
	}
	for _, part := range says {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q: %s", err, part, reason)
		}
	}
}

// TestVersions: Flink 2.0 dropped the options of old.
func TestVersions(t *testing.T) {
	for name, tc := range map[string]struct {
		version string
		heapOK  bool
		network int64
		reason  string
	}{
		"not said": {"", true, 1000 * 32 << 10, "a configuration without a version is taken for an older one"},
		"1.20":     {"v1_20", true, 1000 * 32 << 10, "the last version that reads them"},
		"2.0":      {"v2_0", false, 166429984, "the heap is not set, and the buffers are not counted"},
	} {
		t.Run(name, func(t *testing.T) {
			c := conf.Config{
				"jobmanager.heap.size":                "1g",
				"taskmanager.memory.process.size":     "2g",
				"taskmanager.network.numberOfBuffers": "1000",
			}
			if tc.version != "" {
				c.Set(key.FlinkVersion, tc.version)
			}
			jm, err := JobManagerProcess(c)
			if (err == nil) != tc.heapOK || err == nil && jm.Process != 1<<30 {
				t.Errorf("JobManagerProcess() = %d, %v: %s", jm.Process, err, tc.reason)
			}
			tm, err := TaskManagerProcess(c)
			if err != nil || tm.Network != tc.network {
				t.Errorf("network = %d, %v, want %d: %s", tm.Network, err, tc.network, tc.reason)
			}
		})
	}
}

// TestNetworkBound: before Flink 1.17 network memory had a bound by default.
func TestNetworkBound(t *testing.T) {
	for name, tc := range map[string]struct {
		config conf.Config
		want   int64
		reason string
	}{
		"1.16": {conf.Config{"$internal.flink.version": "v1_16"}, 1 << 30, "at most 1 gb"},
		"1.16 explicit": {
			conf.Config{"$internal.flink.version": "v1_16", "taskmanager.memory.network.max": "2g"},
			1583769214,
			"an explicit bound counts",
		},
		"1.17":     {conf.Config{"$internal.flink.version": "v1_17"}, 1583769214, "the share alone"},
		"not said": {conf.Config{}, 1583769214, "without a version as 1.20"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.config.Set(key.TaskManagerProcessMemory, "16g")
			m, err := TaskManagerProcess(tc.config)
			if err != nil || m.Network != tc.want {
				t.Errorf("Network = %d, %v, want %d: %s", m.Network, err, tc.want, tc.reason)
			}
		})
	}
}

func TestCPU(t *testing.T) {
	for name, tc := range map[string]struct {
		config conf.Config
		want   float64
		reason string
	}{
		"slots": {conf.Config{"taskmanager.numberOfTaskSlots": "3"}, 3, "the slots stand in for the CPU"},
		"kubernetes": {
			conf.Config{"kubernetes.taskmanager.cpu.amount": "0.5", "taskmanager.numberOfTaskSlots": "3"},
			0.5,
			"the request of the pod",
		},
		"kubernetes, none": {
			conf.Config{"kubernetes.taskmanager.cpu.amount": "0", "taskmanager.numberOfTaskSlots": "3"},
			3,
			"no request, so the slots count",
		},
		"older key": {conf.Config{"kubernetes.taskmanager.cpu": "1.5"}, 1.5, "under its older name too"},
		"cores": {
			conf.Config{"taskmanager.cpu.cores": "2", "kubernetes.taskmanager.cpu.amount": "0.5"},
			2,
			"the explicit option wins",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.config.Set(key.TaskManagerProcessMemory, "2g")
			m, err := TaskManagerProcess(tc.config)
			if err != nil || m.CPUCores != tc.want {
				t.Errorf("CPUCores = %v, %v, want %v: %s", m.CPUCores, err, tc.want, tc.reason)
			}
		})
	}
}

func TestMiB(t *testing.T) {
	m, err := JobManagerProcess(conf.Config{"jobmanager.memory.flink.size": "4g"})
	if err != nil || m.Process != 5070447510 || m.MiB() != 4835 {
		t.Errorf("Process = %d, MiB = %d, %v: the request of the pod is cut to whole mebibytes", m.Process, m.MiB(), err)
	}
}

func TestDirectLimit(t *testing.T) {
	m, err := JobManagerProcess(conf.Config{
		"jobmanager.memory.process.size":                   "2g",
		"jobmanager.memory.enable-jvm-direct-memory-limit": "true",
	})
	want := "-Xmx1530082096 -Xms1530082096 -XX:MaxDirectMemorySize=134217728 -XX:MaxMetaspaceSize=268435456"
	if err != nil || m.JVMArgs() != want {
		t.Errorf("JVMArgs() = %q, %v, want %q", m.JVMArgs(), err, want)
	}
	none, err := JobManagerProcess(conf.Config{
		"jobmanager.memory.process.size": "2g", "jobmanager.memory.off-heap.size": "0",
		"jobmanager.memory.enable-jvm-direct-memory-limit": "true",
	})
	if err != nil || !strings.Contains(none.JVMArgs(), " -XX:MaxDirectMemorySize=0 ") {
		t.Errorf("a limit of nothing is one: %q, %v", none.JVMArgs(), err)
	}
}

// TestPartsAddUp: whatever is configured, the parts are the whole, and explicit sizes stay.
func TestPartsAddUp(t *testing.T) {
	mb := func(low, high int) *rapid.Generator[string] {
		return rapid.Map(rapid.IntRange(low<<10, high<<10), func(kb int) string { return strconv.Itoa(kb) + " kb" })
	}
	rapid.Check(t, func(t *rapid.T) {
		c := conf.Config{}
		for _, o := range []struct {
			option    conf.Option
			low, high int
		}{
			{
				key.JobManagerProcessMemory,
				600,
				8000,
			}, {key.JobManagerFlinkMemory, 300, 6000}, {key.JobManagerHeap, 64, 4000},
			{
				key.JobManagerOffHeap,
				0,
				500,
			}, {key.JobManagerMetaspace, 0, 600}, {key.TaskManagerProcessMemory, 800, 8000},
			{
				key.TaskManagerFlinkMemory,
				500,
				6000,
			}, {key.TaskManagerTaskHeap, 0, 3000}, {key.TaskManagerManaged, 0, 2000},
			{key.TaskManagerNetworkMax, 64, 2000}, {key.TaskManagerTaskOffHeap, 0, 300},
		} {
			if rapid.Bool().Draw(t, o.option.Key) {
				c.Set(o.option, mb(o.low, o.high).Draw(t, "size"))
			}
		}
		if m, err := JobManagerProcess(c); err == nil {
			checkSum(t, "JobManager", m.Common, m.Heap+m.OffHeap)
			checkExplicit(t, c, key.JobManagerProcessMemory, m.Process)
			checkExplicit(t, c, key.JobManagerHeap, m.Heap)
		}
		if m, err := TaskManagerProcess(c); err == nil {
			checkSum(t, "TaskManager", m.Common, m.Heap()+m.Direct()+m.Managed)
			checkExplicit(t, c, key.TaskManagerProcessMemory, m.Process)
			checkExplicit(t, c, key.TaskManagerTaskHeap, m.TaskHeap)
			checkExplicit(t, c, key.TaskManagerManaged, m.Managed)
		}
	})
}

func checkSum(t *rapid.T, who string, c Common, flink int64) {
	if c.Flink != flink || c.Process != c.Flink+c.Metaspace+c.Overhead || c.Overhead < 0 {
		t.Fatalf("%s: %+v does not add up with %d bytes of Flink memory", who, c, flink)
	}
}

func checkExplicit(t *rapid.T, c conf.Config, o conf.Option, got int64) {
	if want, err := c.Memory(o); c.Has(o) && (err != nil || got != want) {
		t.Fatalf("%s was %d, %v and became %d", o.Key, want, err, got)
	}
}
