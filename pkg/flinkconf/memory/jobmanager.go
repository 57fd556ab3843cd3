package memory

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// JobManager is the memory of a JobManager process, in bytes.
type JobManager struct {
	Common
	// Heap is the JVM heap (-Xmx and -Xms).
	Heap int64
	// OffHeap is direct and native memory of Flink and user code.
	OffHeap int64
	// DirectLimit tells that the JVM limits direct memory to OffHeap.
	DirectLimit bool
}

var jobManagerOptions = shared{
	process: key.JobManagerProcessMemory, flink: key.JobManagerFlinkMemory, metaspace: key.JobManagerMetaspace,
	overheadMin: key.JobManagerOverheadMin, overheadMax: key.JobManagerOverheadMax,
	overheadFraction: key.JobManagerOverheadFraction,
}

// JobManagerProcess derives the memory of a JobManager. The error names the options that are missing or do not fit
// together.
//
//	set, first that applies    | Flink memory                      | the rest
//	---------------------------+-----------------------------------+-----------------------------------------
//	heap                       | heap + off-heap                   | overhead = share beside, or what the
//	                           |                                   | process size leaves
//	Flink memory               | as set, heap = it - off-heap      | the same
//	process memory             | it - metaspace - overhead         | overhead = share of it
//	nothing (before Flink 2.0) | jobmanager.heap.size or .heap.mb counts as the process memory
//
// With heap and Flink memory both set, off-heap is the difference; set too, the three have to agree.
func JobManagerProcess(c conf.Config) (JobManager, error) {
	r := &reader{
		config: mapLegacyHeap(c, jobManagerOptions.process, key.JobManagerLegacyHeap, key.JobManagerLegacyHeapMB),
	}
	m := JobManager{}
	switch {
	case r.config.Has(key.JobManagerHeap):
		m.Heap = r.bytes(key.JobManagerHeap)
		m.OffHeap = jobManagerOffHeap(r, m.Heap)
		m.Common = jobManagerOptions.fromFlink(r, sum(r, m.Heap, m.OffHeap))
	case r.config.Has(key.JobManagerFlinkMemory):
		m.Common = jobManagerOptions.fromFlink(r, r.bytes(key.JobManagerFlinkMemory))
		m.splitFlink(r)
	case r.config.Has(key.JobManagerProcessMemory):
		m.Common = jobManagerOptions.fromProcess(r)
		m.splitFlink(r)
	default:
		r.fail(fmt.Errorf("Either required fine-grained memory (%s), or Total Flink Memory size (%s), or Total Process "+
			"Memory size (%s) "+
			"need to be configured explicitly.", key.JobManagerHeap.Key, key.JobManagerFlinkMemory.Key,
			key.JobManagerProcessMemory.Key))
	}
	limited, err := c.Bool(key.JobManagerDirectLimit)
	r.fail(err)
	m.DirectLimit = limited
	if r.err != nil {
		return JobManager{}, fmt.Errorf("JobManager memory configuration failed: %w", r.err)
	}
	return m, nil
}

// jobManagerOffHeap is the off-heap memory beside an explicit heap.
func jobManagerOffHeap(r *reader, heap int64) int64 {
	offHeap := r.bytes(key.JobManagerOffHeap)
	if !r.config.Has(key.JobManagerFlinkMemory) {
		return offHeap
	}
	flink := r.bytes(key.JobManagerFlinkMemory)
	if !r.config.Has(key.JobManagerOffHeap) {
		offHeap = flink - heap
	}
	if offHeap < 0 || sum(r, heap, offHeap) != flink {
		r.fail(fmt.Errorf("heap (%s) and off-heap memory (%s) do not add up to %q (%s): set heap or Flink memory, not both",
			syntax.FormatMemory(heap), signed(offHeap), key.JobManagerFlinkMemory.Key, syntax.FormatMemory(flink)))
	}
	return offHeap
}

// splitFlink divides a known Flink memory.
func (m *JobManager) splitFlink(r *reader) {
	m.OffHeap = r.bytes(key.JobManagerOffHeap)
	m.Heap = m.Flink - m.OffHeap
	if r.err == nil && m.Heap <= 0 {
		r.fail(fmt.Errorf("the Flink memory (%s) is not more than off-heap memory %q (%s)", syntax.FormatMemory(m.Flink),
			key.JobManagerOffHeap.Key, syntax.FormatMemory(m.OffHeap)))
	}
}

// JVMArgs are the memory flags that Flink's scripts start the JVM with.
func (m JobManager) JVMArgs() string {
	direct := int64(-1)
	if m.DirectLimit {
		direct = m.OffHeap
	}
	return jvmText(m.Heap, direct, m.Metaspace)
}
