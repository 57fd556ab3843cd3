package key

import "github.com/kn-flink/kn-flink/pkg/flinkconf/conf"

// Options of the JobManager's memory.
var (
	// JobManagerProcessMemory is all memory of the process.
	JobManagerProcessMemory = optional(conf.KindMemory, "jobmanager.memory.process.size")
	// JobManagerFlinkMemory is heap and off-heap.
	JobManagerFlinkMemory = optional(conf.KindMemory, "jobmanager.memory.flink.size")
	// JobManagerHeap is the JVM heap.
	JobManagerHeap = optional(conf.KindMemory, "jobmanager.memory.heap.size")
	// JobManagerOffHeap is direct and native memory of Flink and user code.
	JobManagerOffHeap = option(conf.KindMemory, "jobmanager.memory.off-heap.size", "128 mb")
	// JobManagerDirectLimit limits direct memory to JobManagerOffHeap.
	JobManagerDirectLimit = option(conf.KindBool, "jobmanager.memory.enable-jvm-direct-memory-limit", "false")
	// JobManagerMetaspace is the JVM metaspace.
	JobManagerMetaspace = option(conf.KindMemory, "jobmanager.memory.jvm-metaspace.size", "256 mb")
	// JobManagerOverheadMin is the least JVM overhead.
	JobManagerOverheadMin = option(conf.KindMemory, "jobmanager.memory.jvm-overhead.min", "192 mb")
	// JobManagerOverheadMax is the most JVM overhead.
	JobManagerOverheadMax = option(conf.KindMemory, "jobmanager.memory.jvm-overhead.max", "1 gb")
	// JobManagerOverheadFraction of all memory is JVM overhead.
	JobManagerOverheadFraction = option(conf.KindFloat, "jobmanager.memory.jvm-overhead.fraction", "0.1")
	// JobManagerLegacyHeap is the process memory as it was said before Flink 1.11; gone in 2.0.
	JobManagerLegacyHeap = optional(conf.KindMemory, "jobmanager.heap.size")
	// JobManagerLegacyHeapMB is the same in megabytes.
	JobManagerLegacyHeapMB = optional(conf.KindInt, "jobmanager.heap.mb")
)

// Options of the TaskManagers' memory.
var (
	// TaskManagerProcessMemory is all memory of the process.
	TaskManagerProcessMemory = optional(conf.KindMemory, "taskmanager.memory.process.size")
	// TaskManagerFlinkMemory is everything but metaspace and JVM overhead.
	TaskManagerFlinkMemory = optional(conf.KindMemory, "taskmanager.memory.flink.size")
	// TaskManagerFrameworkHeap is JVM heap for Flink itself.
	TaskManagerFrameworkHeap = option(conf.KindMemory, "taskmanager.memory.framework.heap.size", "128 mb")
	// TaskManagerFrameworkOffHeap is off-heap memory for Flink itself.
	TaskManagerFrameworkOffHeap = option(conf.KindMemory, "taskmanager.memory.framework.off-heap.size", "128 mb")
	// TaskManagerTaskHeap is JVM heap for tasks.
	TaskManagerTaskHeap = optional(conf.KindMemory, "taskmanager.memory.task.heap.size")
	// TaskManagerTaskOffHeap is off-heap memory for tasks.
	TaskManagerTaskOffHeap = option(conf.KindMemory, "taskmanager.memory.task.off-heap.size", "0 bytes")
	// TaskManagerManaged is memory that Flink manages, for state backends, sorting and Python.
	TaskManagerManaged = optional(conf.KindMemory, "taskmanager.memory.managed.size", "taskmanager.memory.size")
	// TaskManagerManagedFraction of the Flink memory is managed when TaskManagerManaged is not set.
	TaskManagerManagedFraction = option(conf.KindFloat, "taskmanager.memory.managed.fraction", "0.4")
	// TaskManagerNetworkMin is the least network memory.
	TaskManagerNetworkMin = option(
		conf.KindMemory, "taskmanager.memory.network.min", "64 mb", "taskmanager.network.memory.min",
	)
	// TaskManagerNetworkMax is the most network memory; the default is no bound (before Flink 1.17: 1 gb).
	TaskManagerNetworkMax = option(
		conf.KindMemory, "taskmanager.memory.network.max", "9223372036854775807 bytes", "taskmanager.network.memory.max",
	)
	// TaskManagerNetworkFraction of the Flink memory is network memory.
	TaskManagerNetworkFraction = option(
		conf.KindFloat, "taskmanager.memory.network.fraction", "0.1", "taskmanager.network.memory.fraction",
	)
	// TaskManagerMetaspace is the JVM metaspace.
	TaskManagerMetaspace = option(conf.KindMemory, "taskmanager.memory.jvm-metaspace.size", "256 mb")
	// TaskManagerOverheadMin is the least JVM overhead.
	TaskManagerOverheadMin = option(conf.KindMemory, "taskmanager.memory.jvm-overhead.min", "192 mb")
	// TaskManagerOverheadMax is the most JVM overhead.
	TaskManagerOverheadMax = option(conf.KindMemory, "taskmanager.memory.jvm-overhead.max", "1 gb")
	// TaskManagerOverheadFraction of all memory is JVM overhead.
	TaskManagerOverheadFraction = option(conf.KindFloat, "taskmanager.memory.jvm-overhead.fraction", "0.1")
	// TaskManagerLegacyHeap is the Flink memory (standalone) as it was said before Flink 1.10; gone in 2.0.
	TaskManagerLegacyHeap = optional(conf.KindMemory, "taskmanager.heap.size")
	// TaskManagerLegacyHeapMB is the same in megabytes.
	TaskManagerLegacyHeapMB = optional(conf.KindInt, "taskmanager.heap.mb")
	// TaskManagerNetworkBuffers is the number of network buffers, the older way to size network memory.
	TaskManagerNetworkBuffers = option(conf.KindInt, "taskmanager.network.numberOfBuffers", "2048")
	// MemorySegmentSize is the size of a network buffer.
	MemorySegmentSize = option(conf.KindMemory, "taskmanager.memory.segment-size", "32 kb")
	// BuffersPerChannel are the network buffers that each channel has for itself.
	BuffersPerChannel = option(conf.KindInt, "taskmanager.network.memory.buffers-per-channel", "2")
	// FloatingBuffersPerGate are the network buffers that the channels of a gate share besides.
	FloatingBuffersPerGate = option(conf.KindInt, "taskmanager.network.memory.floating-buffers-per-gate", "8")
	// TaskManagerCPUCores is the number of cores a TaskManager tells its JobManager about.
	TaskManagerCPUCores = optional(conf.KindFloat, "taskmanager.cpu.cores")
	// ExternalResources are the names of resources such as GPUs.
	ExternalResources = option(conf.KindList, "external-resources", "")
)

// ExternalResourceAmount is the amount of an external resource in each TaskManager.
func ExternalResourceAmount(name string) conf.Option {
	return unset(conf.KindInt, externalResource+name+externalAmount)
}

// Begin and end of the key of ExternalResourceAmount.
const (
	externalResource = "external-resource."
	externalAmount   = ".amount"
)
