package tuning

import (
	"errors"
	"math"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/memory"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// Input is what a recommendation reads.
type Input struct {
	// Options are those of the job.
	Options model.Options
	// Config is the effective configuration of the job, without what an earlier tuning has set.
	Config conf.Config
	// Memory is that of a TaskManager process now, in bytes; at most 0 is not known.
	Memory int64
	// Topology is that of the job.
	Topology model.Topology
	// Changed are the new parallelisms of those vertices that change, by hex ID.
	Changed map[string]int
	// Global are the evaluated metrics of the whole job.
	Global model.Evaluation
}

// pools are the parts of a TaskManager's memory, in bytes.
type pools struct {
	network, metaspace, heap, managed, total int64
}

// budget is what is left to give.
type budget struct{ left int64 }

// take gives what is asked for, or what is left.
func (b *budget) take(bytes int64) int64 {
	given := min(bytes, b.left)
	b.left -= given
	return given
}

// Recommend recommends options for the TaskManagers. It returns nil when nothing can be: their memory is not known, or
// the configuration is not valid. The error is for an overhead that validation refuses, or a number of slots that was
// never measured.
func Recommend(in Input) (*model.ConfigChanges, error) {
	spec, err := memory.TaskManagerProcess(in.Config)
	if err != nil || in.Memory <= 0 {
		return nil, nil //nolint:nilerr // the Java autoscaler goes on without tuning
	}
	left := &budget{left: in.Memory}
	left.take(spec.FrameworkOffHeap)
	left.take(spec.TaskOffHeap)
	left.take(spec.Overhead)
	var p pools
	needed, err := in.network()
	if err != nil {
		return nil, nil //nolint:nilerr // as above
	}
	p.network = left.take(needed)
	if in.Options.TuningOverhead < -1 {
		return nil, errors.New(key.AutoscalerMemoryTuningOverhead.Key + " must not be negative")
	}
	p.metaspace = left.take(in.used(model.MetaspaceUsed))
	p.heap = left.take(in.used(model.HeapMemoryUsed))
	p.managed = in.managed(left, spec.Managed)
	more, err := in.compensation(p.heap)
	if err != nil {
		return nil, err
	}
	p.heap += left.take(more)
	p.total = in.Memory - left.left
	if p.total <= 0 {
		return nil, nil
	}
	return changes(spec, p), nil
}

// used is the mean that a pool used, with the overhead on top. A use that is not known is 0.
func (in Input) used(m model.Metric) int64 {
	return memory.Multiply(model.Long(in.Global.Average(m)), 1+in.Options.TuningOverhead)
}

// managed is the managed memory.
//
//	used now   memory.tuning.maximize-managed-memory   then it is
//	nothing    -                                       0
//	some       true                                    all that is left
//	some       false                                   what the configuration gives
func (in Input) managed(left *budget, spec int64) int64 {
	used := in.Global.Average(model.ManagedMemoryUsed)
	switch {
	case math.IsNaN(used) || model.Long(used) <= 0:
		return 0
	case in.Options.TuningMaximize:
		return left.take(left.left)
	}
	return left.take(spec)
}

// compensation is the heap that is added for the work of TaskManagers that go away: the same work is spread over fewer.
func (in Input) compensation(heap int64) (int64, error) {
	if !in.Options.TuningCompensation {
		return 0, nil
	}
	used, measured := in.Global[model.TaskSlotsUsed]
	if !measured {
		return 0, errors.New("the number of task slots in use was never measured")
	}
	before := model.TaskManagers(model.Int(used.Current), in.Options.SlotsPerTaskManager)
	after := model.TaskManagers(model.Slots(in.Topology, in.Changed, used.Current), in.Options.SlotsPerTaskManager)
	factor := max(1, float64(before)/float64(after))
	return model.Long(factor*float64(heap)) - heap, nil
}

// changes are the options for the pools. Flink derives the others from them.
func changes(spec memory.TaskManager, p pools) *model.ConfigChanges {
	flink := spec.Flink + (p.heap - spec.Heap()) + (p.managed - spec.Managed) + (p.network - spec.Network)
	share := func(part, whole int64) string {
		return syntax.FormatFloat(model.CeilTo(float64(part)/float64(whole), 3))
	}
	network := syntax.FormatMemory(p.network)
	return &model.ConfigChanges{
		Overrides: map[string]string{
			key.TaskManagerProcessMemory.Key:    syntax.FormatMemory(p.total),
			key.TaskManagerFrameworkHeap.Key:    "0 bytes",
			key.TaskManagerManagedFraction.Key:  share(p.managed, flink),
			key.TaskManagerNetworkMin.Key:       network,
			key.TaskManagerNetworkMax.Key:       network,
			key.TaskManagerOverheadFraction.Key: share(spec.Overhead, p.total),
			key.TaskManagerMetaspace.Key:        syntax.FormatMemory(p.metaspace),
		},
		Removals: []string{
			key.TaskManagerFlinkMemory.Key, key.TaskManagerManaged.Key, key.TaskManagerManaged.Fallbacks[0],
			key.TaskManagerTaskHeap.Key,
		},
	}
}
