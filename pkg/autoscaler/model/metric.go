package model

// Metric is the name of a scaling metric, as the Java autoscaler writes it to its store and exports it.
type Metric string

// The scaling metrics. Rates are in records per second.
const (
	// Load is the busy time of a vertex as a share of the time, 0 to 1.
	Load Metric = "LOAD"
	// TrueProcessingRate is the rate that a vertex would reach if it were busy all the time.
	TrueProcessingRate Metric = "TRUE_PROCESSING_RATE"
	// ObservedRate is TrueProcessingRate as it was seen in a source that worked off a backlog.
	ObservedRate Metric = "OBSERVED_TPR"
	// TargetDataRate is the rate at which records come in for a vertex.
	TargetDataRate Metric = "TARGET_DATA_RATE"
	// CatchUpDataRate is the rate that working off the backlog takes besides.
	CatchUpDataRate Metric = "CATCH_UP_DATA_RATE"
	// Lag is the number of records that wait in front of a source.
	Lag Metric = "LAG"
	// Parallelism is that of the running job.
	Parallelism Metric = "PARALLELISM"
	// RecommendedParallelism is what the autoscaler wants; absent while the window is not full.
	RecommendedParallelism Metric = "RECOMMENDED_PARALLELISM"
	// MaxParallelism is the number of key groups of a vertex.
	MaxParallelism Metric = "MAX_PARALLELISM"
	// SourcePartitions is the number of partitions that a source reads; 0 is not known.
	SourcePartitions Metric = "NUM_SOURCE_PARTITIONS"
	// ScaleUpThreshold is the rate below which TrueProcessingRate is too low.
	ScaleUpThreshold Metric = "SCALE_UP_RATE_THRESHOLD"
	// ScaleDownThreshold is the rate above which TrueProcessingRate is too high.
	ScaleDownThreshold Metric = "SCALE_DOWN_RATE_THRESHOLD"
	// ExpectedProcessingRate is what TrueProcessingRate should become by the scaling.
	ExpectedProcessingRate Metric = "EXPECTED_PROCESSING_RATE"
	// RecordsIn is the number of records that a vertex has read since the job started.
	RecordsIn Metric = "NUM_RECORDS_IN"
	// RecordsInPerSecond is the rate that Flink itself reports.
	RecordsInPerSecond Metric = "NUM_RECORDS_IN_PER_SECOND"
	// RecordsOut is the number of records that a vertex has written since the job started.
	RecordsOut Metric = "NUM_RECORDS_OUT"
	// AccumulatedBusyTime is the busy time of all subtasks since the job started, in ms.
	AccumulatedBusyTime Metric = "ACCUMULATED_BUSY_TIME"

	// GCPressure is the largest share of time that a TaskManager spends in garbage collection. It and those below are of
	// the whole job.
	GCPressure Metric = "GC_PRESSURE"
	// HeapMemoryUsed is the largest heap of a TaskManager, in bytes.
	HeapMemoryUsed Metric = "HEAP_MEMORY_USED"
	// HeapUsageRatio is HeapMemoryUsed as a share of the largest heap possible.
	HeapUsageRatio Metric = "HEAP_MAX_USAGE_RATIO"
	// ManagedMemoryUsed is the largest managed memory in use of a TaskManager, in bytes.
	ManagedMemoryUsed Metric = "MANAGED_MEMORY_USED"
	// MetaspaceUsed is the largest metaspace in use of a TaskManager, in bytes.
	MetaspaceUsed Metric = "METASPACE_MEMORY_USED"
	// TaskSlotsUsed is the number of slots that the cluster has given out.
	TaskSlotsUsed Metric = "NUM_TASK_SLOTS_USED"
)

// known are all metrics, in the order in which they are written.
var known = []Metric{
	Load, TrueProcessingRate, TargetDataRate, CatchUpDataRate, Lag, Parallelism, RecommendedParallelism, MaxParallelism,
	SourcePartitions, ScaleUpThreshold, ScaleDownThreshold, ExpectedProcessingRate, RecordsIn, RecordsInPerSecond,
	RecordsOut, AccumulatedBusyTime, ObservedRate, GCPressure, HeapMemoryUsed, HeapUsageRatio, ManagedMemoryUsed,
	MetaspaceUsed, TaskSlotsUsed,
}

var isKnown = func() map[Metric]bool {
	set := make(map[Metric]bool, len(known))
	for _, m := range known {
		set[m] = true
	}
	return set
}()

// Known reports whether the Java autoscaler has a metric of that name. It discards a whole value of its store that
// names another.
func Known(m Metric) bool { return isKnown[m] }

// InOrder lists all metrics in the order in which they are written.
func InOrder() []Metric { return known }

// Metrics are the values of one vertex, or of the whole job, at one time. A metric that is absent was not known.
type Metrics map[Metric]float64

// Get is the value of a metric, NaN when it is absent.
func (m Metrics) Get(name Metric) float64 {
	if value, ok := m[name]; ok {
		return value
	}
	return NaN
}

// Evaluated is one metric over the window. Either field is NaN where the metric has no such value.
type Evaluated struct {
	// Current is the value of the newest sample, or one that has no history.
	Current float64
	// Average is the mean over the window, or the rate over it.
	Average float64
}

// Now is a metric that has a current value only, rounded to three decimals as the Java autoscaler rounds.
func Now(value float64) Evaluated { return Evaluated{Current: Round3(value), Average: NaN} }

// Over is a metric that has a value over the window only, rounded likewise.
func Over(value float64) Evaluated { return Evaluated{Current: NaN, Average: Round3(value)} }

// Both is a metric with both values, rounded likewise.
func Both(current, average float64) Evaluated {
	return Evaluated{Current: Round3(current), Average: Round3(average)}
}

// Merge lays another value over this one, field by field; a field that is NaN there is kept.
func (e Evaluated) Merge(over Evaluated) Evaluated {
	if over.Current == over.Current {
		e.Current = over.Current
	}
	if over.Average == over.Average {
		e.Average = over.Average
	}
	return e
}

// Evaluation are the evaluated metrics of one vertex, or of the whole job.
type Evaluation map[Metric]Evaluated

// Current is the current value of a metric, NaN when it is absent.
func (e Evaluation) Current(name Metric) float64 {
	if value, ok := e[name]; ok {
		return value.Current
	}
	return NaN
}

// Average is the value of a metric over the window, NaN when it is absent.
func (e Evaluation) Average(name Metric) float64 {
	if value, ok := e[name]; ok {
		return value.Average
	}
	return NaN
}

// EvaluatedMetrics is what the evaluation of a window gives.
type EvaluatedMetrics struct {
	// Vertices are the metrics of each vertex, by hex ID.
	Vertices map[string]Evaluation
	// Global are those of the whole job.
	Global Evaluation
	// Backlog tells that a source has more lag than job.autoscaler.backlog-processing.lag-threshold.
	Backlog bool
}
