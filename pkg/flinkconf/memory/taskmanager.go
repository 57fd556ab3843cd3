package memory

import (
	"fmt"
	"math"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// TaskManager is the memory of a TaskManager process, in bytes, and its CPU.
type TaskManager struct {
	Common
	// FrameworkHeap and FrameworkOffHeap are for Flink itself.
	FrameworkHeap, FrameworkOffHeap int64
	// TaskHeap and TaskOffHeap are for user code.
	TaskHeap, TaskOffHeap int64
	// Managed is memory that Flink manages: state backends, sorting, Python.
	Managed int64
	// Network is memory for exchanging records.
	Network int64
	// CPUCores is the CPU in cores: taskmanager.cpu.cores, else kubernetes.taskmanager.cpu.amount, else the number of
	// slots.
	CPUCores float64
	// Slots is the number of task slots.
	Slots int
}

// Heap is the JVM heap (-Xmx and -Xms).
func (m TaskManager) Heap() int64 { return m.FrameworkHeap + m.TaskHeap }

// Direct is the limit of direct memory (-XX:MaxDirectMemorySize).
func (m TaskManager) Direct() int64 { return m.FrameworkOffHeap + m.TaskOffHeap + m.Network }

var taskManagerOptions = shared{
	process: key.TaskManagerProcessMemory, flink: key.TaskManagerFlinkMemory, metaspace: key.TaskManagerMetaspace,
	overheadMin: key.TaskManagerOverheadMin, overheadMax: key.TaskManagerOverheadMax,
	overheadFraction: key.TaskManagerOverheadFraction,
}

// TaskManagerProcess derives the memory of a TaskManager. The error names the options that are missing or do not fit
// together.
//
//	set, first that applies    | Flink memory
//	---------------------------+-----------------------------------------------------------------------------------
//	task heap and managed      | the parts add up to it; network = share beside the others, or what the Flink size leaves
//	Flink memory               | as set
//	process memory             | it - metaspace - overhead
//	nothing (before Flink 2.0) | taskmanager.heap.size or .heap.mb counts as the process memory
//
// A known Flink memory is divided: managed = its size or share; with a task heap, network is what is left and has to be
// within its bounds; without one, network = its share within its bounds, and the task heap is what is left.
func TaskManagerProcess(c conf.Config) (TaskManager, error) {
	r := &reader{
		config: mapLegacyHeap(c, taskManagerOptions.process, key.TaskManagerLegacyHeap, key.TaskManagerLegacyHeapMB),
	}
	m := TaskManager{
		FrameworkHeap: r.bytes(key.TaskManagerFrameworkHeap), FrameworkOffHeap: r.bytes(key.TaskManagerFrameworkOffHeap),
		TaskOffHeap: r.bytes(key.TaskManagerTaskOffHeap),
	}
	switch {
	case r.config.Has(key.TaskManagerTaskHeap) && r.config.Has(key.TaskManagerManaged):
		m.fromParts(r)
	case r.config.Has(key.TaskManagerFlinkMemory):
		m.Common = taskManagerOptions.fromFlink(r, r.bytes(key.TaskManagerFlinkMemory))
		m.splitFlink(r)
	case r.config.Has(key.TaskManagerProcessMemory):
		m.Common = taskManagerOptions.fromProcess(r)
		m.splitFlink(r)
	default:
		r.fail(fmt.Errorf("Either required fine-grained memory (%s and %s), or Total Flink Memory size (%s), or Total "+
			"Process Memory size "+
			"(%s) need to be configured explicitly.", key.TaskManagerTaskHeap.Key, key.TaskManagerManaged.Key,
			key.TaskManagerFlinkMemory.Key, key.TaskManagerProcessMemory.Key))
	}
	m.readCPU(r)
	checkExternal(r)
	if r.err != nil {
		return TaskManager{}, fmt.Errorf("TaskManager memory configuration failed: %w", r.err)
	}
	return m, nil
}

// fromParts adds explicit parts up.
func (m *TaskManager) fromParts(r *reader) {
	m.TaskHeap, m.Managed = r.bytes(key.TaskManagerTaskHeap), r.bytes(key.TaskManagerManaged)
	others := sum(r, m.FrameworkHeap, m.FrameworkOffHeap, m.TaskHeap, m.TaskOffHeap, m.Managed)
	if r.config.Has(key.TaskManagerFlinkMemory) {
		m.Flink = r.bytes(key.TaskManagerFlinkMemory)
		m.networkIsTheRest(r, others)
	} else {
		m.Network = network(r, func(s span) int64 { return s.beside(others) })
	}
	m.Common = taskManagerOptions.fromFlink(r, sum(r, others, m.Network))
}

// splitFlink divides a known Flink memory.
func (m *TaskManager) splitFlink(r *reader) {
	if r.err != nil {
		return
	}
	m.Managed = r.bytes(key.TaskManagerManaged)
	if !r.config.Has(key.TaskManagerManaged) {
		managed := span{max: math.MaxInt64, fraction: r.fraction(key.TaskManagerManagedFraction)}
		m.Managed = managed.of(m.Flink)
	}
	if r.config.Has(key.TaskManagerTaskHeap) {
		m.TaskHeap = r.bytes(key.TaskManagerTaskHeap)
		m.networkIsTheRest(r, sum(r, m.FrameworkHeap, m.FrameworkOffHeap, m.TaskHeap, m.TaskOffHeap, m.Managed))
		return
	}
	m.Network = network(r, func(s span) int64 { return s.of(m.Flink) })
	m.TaskHeap = m.Flink - sum(r, m.FrameworkHeap, m.FrameworkOffHeap, m.TaskOffHeap, m.Managed, m.Network)
	if m.TaskHeap < 0 {
		r.fail(fmt.Errorf("framework heap (%s) and off-heap (%s), task off-heap (%s), managed (%s) and network memory "+
			"(%s) are more than the "+
			"Flink memory (%s): give the TaskManager more memory, or these less", syntax.FormatMemory(m.FrameworkHeap),
			syntax.FormatMemory(m.FrameworkOffHeap), syntax.FormatMemory(m.TaskOffHeap), syntax.FormatMemory(m.Managed),
			syntax.FormatMemory(m.Network), syntax.FormatMemory(m.Flink)))
	}
}

// networkIsTheRest gives network memory what the other parts leave of the Flink memory.
func (m *TaskManager) networkIsTheRest(r *reader, others int64) {
	m.Network = m.Flink - others
	if m.Network < 0 {
		r.fail(fmt.Errorf("framework heap (%s) and off-heap (%s), task heap (%s) and off-heap (%s) and managed memory "+
			"(%s) are more than the "+
			"Flink memory (%s)", syntax.FormatMemory(m.FrameworkHeap), syntax.FormatMemory(m.FrameworkOffHeap),
			syntax.FormatMemory(m.TaskHeap),
			syntax.FormatMemory(m.TaskOffHeap), syntax.FormatMemory(m.Managed), syntax.FormatMemory(m.Flink)))
		return
	}
	if size, counted := countedNetwork(r); counted {
		if size != m.Network {
			r.fail(fmt.Errorf("what is left for network memory (%s) is not %q times the buffer size (%s)",
				syntax.FormatMemory(m.Network), key.TaskManagerNetworkBuffers.Key, syntax.FormatMemory(size)))
		}
		return
	}
	bounds := networkSpan(r)
	if r.err == nil {
		r.fail(bounds.check(m.Network))
	}
}

// network is the network memory by count of buffers, the older way, or by share.
func network(r *reader, share func(span) int64) int64 {
	if size, counted := countedNetwork(r); counted {
		return size
	}
	s := networkSpan(r)
	if r.err != nil {
		return 0
	}
	return share(s)
}

func networkSpan(r *reader) span {
	highest := key.TaskManagerNetworkMax
	if capsNetwork(r.config) {
		highest.Default = "1 gb"
	}
	return r.span("network memory", key.TaskManagerNetworkMin, highest, key.TaskManagerNetworkFraction)
}

// countedNetwork is the size of the configured number of buffers, when neither bounds nor share are set. Flink 2.0
// dropped it.
func countedNetwork(r *reader) (int64, bool) {
	for _, o := range []conf.Option{
		key.TaskManagerNetworkMin, key.TaskManagerNetworkMax, key.TaskManagerNetworkFraction,
	} {
		if r.config.Has(o) {
			return 0, false
		}
	}
	if !r.config.Has(key.TaskManagerNetworkBuffers) || !readsLegacy(r.config) {
		return 0, false
	}
	buffers, err := r.config.Int(key.TaskManagerNetworkBuffers)
	r.fail(err)
	return int64(buffers) * r.bytes(key.MemorySegmentSize), true
}

func (m *TaskManager) readCPU(r *reader) {
	slots, err := r.config.Int(key.TaskSlots)
	r.fail(err)
	m.Slots = slots
	cores, err := r.config.Float(key.TaskManagerCPUCores)
	r.fail(err)
	if !r.config.Has(key.TaskManagerCPUCores) {
		cores, err = r.config.Float(key.TaskManagerCPU)
		r.fail(err)
		if cores <= 0 {
			cores = float64(slots)
		}
	}
	if r.err == nil && cores <= 0 {
		r.fail(fmt.Errorf("TaskManagers need a positive number of CPU cores: set %q", key.TaskManagerCPUCores.Key))
	}
	m.CPUCores = cores
}

// JVMArgs are the memory flags that Flink starts the JVM with.
func (m TaskManager) JVMArgs() string { return jvmText(m.Heap(), m.Direct(), m.Metaspace) }

// checkExternal reads the amounts of external resources.
func checkExternal(r *reader) {
	names, err := r.config.List(key.ExternalResources)
	r.fail(err)
	for _, name := range names {
		_, err := r.config.Int(key.ExternalResourceAmount(name))
		r.fail(err)
	}
}
