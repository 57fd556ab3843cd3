package memory

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

const mib = 1 << 20

// TestJobManagerWorked are the derivations one can follow with pencil and paper.
func TestJobManagerWorked(t *testing.T) {
	for name, tc := range map[string]struct {
		config conf.Config
		want   JobManager
		reason string
	}{
		"least overhead": {
			conf.Config{"jobmanager.memory.process.size": "1024m"},
			JobManager{
				Common: Common{Process: 1024 * mib, Flink: 576 * mib, Metaspace: 256 * mib, Overhead: 192 * mib},
				Heap:   448 * mib, OffHeap: 128 * mib,
			},
			"a tenth is less than the least overhead",
		},
		"share": {
			conf.Config{"jobmanager.memory.process.size": "2048m"},
			JobManager{
				Common: Common{Process: 2147483648, Flink: 1664299824, Metaspace: 268435456, Overhead: 214748368},
				Heap:   1530082096, OffHeap: 134217728,
			},
			"a tenth in 32 bits, a little more than a tenth",
		},
		"most overhead": {
			conf.Config{"jobmanager.memory.process.size": "12g"},
			JobManager{
				Common: Common{Process: 12288 * mib, Flink: 11008 * mib, Metaspace: 256 * mib, Overhead: 1024 * mib},
				Heap:   10880 * mib, OffHeap: 128 * mib,
			},
			"a tenth is more than the most overhead",
		},
		"Flink size": {
			conf.Config{"jobmanager.memory.flink.size": "1g"},
			JobManager{
				Common: Common{Process: 1472 * mib, Flink: 1024 * mib, Metaspace: 256 * mib, Overhead: 192 * mib},
				Heap:   896 * mib, OffHeap: 128 * mib,
			},
			"metaspace and overhead come on top",
		},
		"Flink and process size": {
			conf.Config{"jobmanager.memory.flink.size": "1g", "jobmanager.memory.process.size": "1536m"},
			JobManager{
				Common: Common{Process: 1536 * mib, Flink: 1024 * mib, Metaspace: 256 * mib, Overhead: 256 * mib},
				Heap:   896 * mib, OffHeap: 128 * mib,
			},
			"the overhead is what is left",
		},
		"heap": {
			conf.Config{"jobmanager.memory.heap.size": "1g", "jobmanager.memory.off-heap.size": "64m"},
			JobManager{
				Common: Common{Process: 1536 * mib, Flink: 1088 * mib, Metaspace: 256 * mib, Overhead: 192 * mib},
				Heap:   1024 * mib, OffHeap: 64 * mib,
			},
			"the parts are given",
		},
		"heap and Flink size": {
			conf.Config{"jobmanager.memory.heap.size": "1g", "jobmanager.memory.flink.size": "1280m"},
			JobManager{
				Common: Common{Process: 1728 * mib, Flink: 1280 * mib, Metaspace: 256 * mib, Overhead: 192 * mib},
				Heap:   1024 * mib, OffHeap: 256 * mib,
			},
			"off-heap memory is the difference, not its default",
		},
		"no overhead": {
			conf.Config{
				"jobmanager.memory.process.size": "1g", "jobmanager.memory.jvm-overhead.min": "0",
				"jobmanager.memory.jvm-overhead.fraction": "0",
				"jobmanager.memory.jvm-metaspace.size":    "0",
			},
			JobManager{Common: Common{Process: 1024 * mib, Flink: 1024 * mib}, Heap: 896 * mib, OffHeap: 128 * mib},
			"all of it may be turned off",
		},
		"legacy heap": {
			conf.Config{"jobmanager.heap.size": "1024m"},
			JobManager{
				Common: Common{Process: 1024 * mib, Flink: 576 * mib, Metaspace: 256 * mib, Overhead: 192 * mib},
				Heap:   448 * mib, OffHeap: 128 * mib,
			},
			"the old heap size is the size of the process",
		},
		"legacy heap in megabytes": {
			conf.Config{"jobmanager.heap.mb": "1024"},
			JobManager{
				Common: Common{Process: 1024 * mib, Flink: 576 * mib, Metaspace: 256 * mib, Overhead: 192 * mib},
				Heap:   448 * mib, OffHeap: 128 * mib,
			},
			"also as a plain number",
		},
		"legacy beside new": {
			conf.Config{"jobmanager.heap.size": "8g", "jobmanager.memory.process.size": "1024m"},
			JobManager{
				Common: Common{Process: 1024 * mib, Flink: 576 * mib, Metaspace: 256 * mib, Overhead: 192 * mib},
				Heap:   448 * mib, OffHeap: 128 * mib,
			},
			"the new option hides the old one",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := JobManagerProcess(tc.config)
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("%v: %s (-want +got):\n%s", err, tc.reason, diff)
			}
		})
	}
}

// TestTaskManagerWorked are the derivations one can follow with pencil and paper.
func TestTaskManagerWorked(t *testing.T) {
	framework := TaskManager{FrameworkHeap: 128 * mib, FrameworkOffHeap: 128 * mib, CPUCores: 1, Slots: 1}
	for name, tc := range map[string]struct {
		config conf.Config
		want   func(*TaskManager)
		reason string
	}{
		"process size": {
			conf.Config{"taskmanager.memory.process.size": "1728m"},
			func(m *TaskManager) {
				m.Common = Common{Process: 1728 * mib, Flink: 1280 * mib, Metaspace: 256 * mib, Overhead: 192 * mib}
				m.Managed, m.Network, m.TaskHeap = 536870920, 134217730, 402653174
			},
			"shares of the Flink memory, the task heap is the rest",
		},
		"Flink size": {
			conf.Config{"taskmanager.memory.flink.size": "1280m"},
			func(m *TaskManager) {
				m.Common = Common{Process: 1728 * mib, Flink: 1280 * mib, Metaspace: 256 * mib, Overhead: 192 * mib}
				m.Managed, m.Network, m.TaskHeap = 536870920, 134217730, 402653174
			},
			"the same, metaspace and overhead on top",
		},
		"explicit managed": {
			conf.Config{
				"taskmanager.memory.flink.size": "1280m", "taskmanager.memory.managed.size": "0",
				"taskmanager.memory.network.fraction": "0",
			},
			func(m *TaskManager) {
				m.Common = Common{Process: 1728 * mib, Flink: 1280 * mib, Metaspace: 256 * mib, Overhead: 192 * mib}
				m.Network, m.TaskHeap = 64*mib, 960*mib
			},
			"no managed memory, the least network memory",
		},
		"explicit task heap": {
			conf.Config{
				"taskmanager.memory.flink.size": "1280m", "taskmanager.memory.task.heap.size": "400m",
				"taskmanager.memory.managed.fraction": "0.25",
			},
			func(m *TaskManager) {
				m.Common = Common{Process: 1728 * mib, Flink: 1280 * mib, Metaspace: 256 * mib, Overhead: 192 * mib}
				m.Managed, m.TaskHeap, m.Network = 320*mib, 400*mib, 304*mib
			},
			"network memory is the rest",
		},
		"parts": {
			conf.Config{
				"taskmanager.memory.task.heap.size": "512m", "taskmanager.memory.managed.size": "256m",
				"taskmanager.memory.task.off-heap.size": "64m",
				"taskmanager.memory.network.max":        "64m",
			},
			func(m *TaskManager) {
				m.Common = Common{Process: 1600 * mib, Flink: 1152 * mib, Metaspace: 256 * mib, Overhead: 192 * mib}
				m.TaskHeap, m.Managed, m.TaskOffHeap, m.Network = 512*mib, 256*mib, 64*mib, 64*mib
			},
			"the parts add up to the process",
		},
		"parts and Flink size": {
			conf.Config{
				"taskmanager.memory.task.heap.size": "512m", "taskmanager.memory.managed.size": "256m",
				"taskmanager.memory.flink.size": "1152m",
			},
			func(m *TaskManager) {
				m.Common = Common{Process: 1600 * mib, Flink: 1152 * mib, Metaspace: 256 * mib, Overhead: 192 * mib}
				m.TaskHeap, m.Managed, m.Network = 512*mib, 256*mib, 128*mib
			},
			"network memory is what the Flink size leaves",
		},
		"buffers": {
			conf.Config{
				"taskmanager.memory.flink.size": "1280m", "taskmanager.network.numberOfBuffers": "4096",
				"taskmanager.memory.managed.size": "0",
			},
			func(m *TaskManager) {
				m.Common = Common{Process: 1728 * mib, Flink: 1280 * mib, Metaspace: 256 * mib, Overhead: 192 * mib}
				m.Network, m.TaskHeap = 128*mib, 896*mib
			},
			"a count of buffers of 32 kb",
		},
		"older spellings": {
			conf.Config{
				"taskmanager.memory.flink.size": "1280m", "taskmanager.memory.size": "256m",
				"taskmanager.network.memory.min": "256m",
			},
			func(m *TaskManager) {
				m.Common = Common{Process: 1728 * mib, Flink: 1280 * mib, Metaspace: 256 * mib, Overhead: 192 * mib}
				m.Managed, m.Network, m.TaskHeap = 256*mib, 256*mib, 512*mib
			},
			"options are read under their older names",
		},
		"slots": {
			conf.Config{
				"taskmanager.memory.process.size": "1728m", "taskmanager.numberOfTaskSlots": "4",
				"external-resources": "none;gpu;empty", "external-resource.gpu.amount": "2",
			},
			func(m *TaskManager) {
				m.Common = Common{Process: 1728 * mib, Flink: 1280 * mib, Metaspace: 256 * mib, Overhead: 192 * mib}
				m.Managed, m.Network, m.TaskHeap = 536870920, 134217730, 402653174
				m.CPUCores, m.Slots = 4, 4
			},
			"a slot stands for a core; external resources are no memory",
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := framework
			tc.want(&want)
			got, err := TaskManagerProcess(tc.config)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%v: %s (-want +got):\n%s", err, tc.reason, diff)
			}
		})
	}
}
