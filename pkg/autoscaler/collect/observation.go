package collect

import "github.com/kn-flink/kn-flink/pkg/autoscaler/model"

// Aggregate is a metric of Flink over the subtasks of a vertex, or over the TaskManagers. What Flink did not send is
// NaN.
type Aggregate struct {
	// Min, Max, Avg and Sum are those of the answer.
	Min, Max, Avg, Sum float64
}

// VertexAnswer is what Flink answered about one vertex.
type VertexAnswer struct {
	// Names are the names of all its metrics.
	Names []string
	// Values are those of a Selection; empty where Flink answered with an empty list, as it does when one is missing.
	Values map[string]Aggregate
}

// Observation is what Flink answered in one cycle.
type Observation struct {
	// Job is that of MakeJob.
	Job Job
	// Vertices are the answers, by hex ID. A finished vertex has names only, and only if it is a source.
	Vertices map[string]VertexAnswer
	// JobManager are the values of taskSlotsTotal and taskSlotsAvailable, as texts.
	JobManager map[string]string
	// TaskManagers are the values of TaskManagerMetrics over all of them.
	TaskManagers map[string]Aggregate
}

// The metrics of JobManager and TaskManagers, by the names that Flink gives them.
const (
	slotsTotal     = "taskSlotsTotal"
	slotsAvailable = "taskSlotsAvailable"
	heapMax        = "Status.JVM.Memory.Heap.Max"
	heapUsed       = "Status.JVM.Memory.Heap.Used"
	managedUsed    = "Status.Flink.Memory.Managed.Used"
	metaspaceUsed  = "Status.JVM.Memory.Metaspace.Used"
	gcTime         = "Status.JVM.GarbageCollector.All.TimeMsPerSecond"
)

// JobManagerMetrics are the names to ask the JobManager for.
func JobManagerMetrics() []string { return []string{slotsAvailable, slotsTotal} }

// TaskManagerMetrics are the names to ask the TaskManagers for. Flink answers with an empty list where one is missing,
// and older versions have no time of garbage collection: then they are asked again without it.
func TaskManagerMetrics(withGC bool) []string {
	names := []string{managedUsed}
	if withGC {
		names = append(names, gcTime)
	}
	return append(names, heapMax, heapUsed, metaspaceUsed)
}

// sum adds the sums of all metrics that stand for the same. It is absent when none is there.
func sum(values map[string]Aggregate, s Selection, m FlinkMetric) (float64, bool) {
	total, found := 0.0, false
	for _, name := range s.Names() {
		if value, ok := values[name]; ok && s[name] == m {
			total, found = total+value.Sum, true
		}
	}
	return total, found
}

// one is the single metric that stands for m.
func one(values map[string]Aggregate, s Selection, m FlinkMetric) (Aggregate, bool) {
	for name, value := range values {
		if s[name] == m {
			return value, true
		}
	}
	return Aggregate{}, false
}

// of is the value of an aggregator.
func (a Aggregate) of(kind model.Aggregator) float64 {
	switch kind {
	case model.AggregatorMin:
		return a.Min
	case model.AggregatorAvg:
		return a.Avg
	default:
		return a.Max
	}
}
