package model

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// Aggregator says which busy time of the subtasks counts for the vertex.
type Aggregator string

// The aggregators of job.autoscaler.metrics.busy-time.aggregator.
const (
	AggregatorUnknown Aggregator = ""
	AggregatorMax     Aggregator = "MAX"
	AggregatorMin     Aggregator = "MIN"
	AggregatorAvg     Aggregator = "AVG"
)

// Options are the options of the autoscaler, read. Package key says what each means.
type Options struct {
	// ScalingEnabled lets it act.
	ScalingEnabled bool
	// Window and Stabilization are the time over which metrics count, and the time after a start in which none do.
	Window, Stabilization time.Duration
	// MaxPerHour is how often a job is scaled in any hour; at most 0 is no bound.
	MaxPerHour int
	// ExcludedPeriods are the texts of times without scaling.
	ExcludedPeriods []string
	// Target, Upper and Lower are the utilisation wanted and its bounds, as shares of 1.
	Target, Upper, Lower float64
	// ScaleDownInterval delays scaling down.
	ScaleDownInterval time.Duration
	// MinParallelism and MaxParallelism bound each vertex.
	MinParallelism, MaxParallelism int
	// MaxDown and MaxUp bound one step: 0.6 down is to 40 % at the lowest, 1.0 up is to the double at the highest.
	MaxDown, MaxUp float64
	// CatchUp is the time to work a backlog off in; 0 ignores backlogs.
	CatchUp time.Duration
	// RestartTime is the time that a restart takes, where it is not tracked.
	RestartTime time.Duration
	// RestartTracking uses the longest restart that was seen instead.
	RestartTracking bool
	// RestartTrackingLimit caps that one.
	RestartTrackingLimit time.Duration
	// BacklogLag is the lag above which a job counts as working off a backlog.
	BacklogLag time.Duration
	// ObservedLag is the lag from which the rate of a source is observed.
	ObservedLag time.Duration
	// ObservedSwitch is the share by which the rate by busy time may be above the observed one.
	ObservedSwitch float64
	// ObservedLeast is the number of observations that it takes.
	ObservedLeast int
	// DetectIneffective blocks a step up after one that gained too little.
	DetectIneffective bool
	// TakeBack takes such a step up back, once.
	TakeBack bool
	// EffectivenessThreshold is the share of the expected gain that is enough.
	EffectivenessThreshold float64
	// GCPressure and HeapUsage are the shares above which nothing is scaled.
	GCPressure, HeapUsage float64
	// Tuning fits the TaskManagers' memory.
	Tuning bool
	// TuningCompensation adds heap for the work of TaskManagers that go away.
	TuningCompensation bool
	// TuningOverhead is the spare share that is added to what was used.
	TuningOverhead float64
	// TuningMaximize gives managed memory all that is left.
	TuningMaximize bool
	// HistoryMaxCount is how many scalings of a vertex are remembered.
	HistoryMaxCount int
	// HistoryMaxAge is how long they are.
	HistoryMaxAge time.Duration
	// Busy says which busy time counts.
	Busy Aggregator
	// Excluded are the vertices that are not scaled, by hex ID.
	Excluded []string
	// EventInterval is the time after which the same event is sent again.
	EventInterval time.Duration
	// QuotaMemory bounds the memory of all TaskManagers, in bytes. It counts only with HasQuotaMemory.
	QuotaMemory int64
	// QuotaCPU bounds the CPU of all TaskManagers, in cores. It counts only with HasQuotaCPU.
	QuotaCPU float64
	// HasQuotaMemory tells that there is a bound of memory.
	HasQuotaMemory bool
	// HasQuotaCPU tells that there is a bound of CPU.
	HasQuotaCPU bool
	// AdjustMode is the older alignment mode, empty when it is not set; AlignmentMode is the newer, empty likewise.
	AdjustMode, AlignmentMode string
	// Scalability corrects for a job that scales less than linearly.
	Scalability bool
	// ScalabilityLeast is the number of scalings that it takes.
	ScalabilityLeast int
	// CoefficientMin is the lowest share of linear scaling that is believed.
	CoefficientMin float64
	// SlotsPerTaskManager is taskmanager.numberOfTaskSlots.
	SlotsPerTaskManager int
	// TaskManagerCPU is kubernetes.taskmanager.cpu.amount in cores; at most 0 is not known.
	TaskManagerCPU float64
}

// reader reads options and keeps the first error.
type reader struct {
	config conf.Config
	err    error
}

func read[T any](r *reader, get func(conf.Config, conf.Option) (T, error), o conf.Option) T {
	value, err := get(r.config, o)
	if err != nil && r.err == nil {
		r.err = err
	}
	return value
}

func (r *reader) duration(o conf.Option) time.Duration { return read(r, conf.Config.Duration, o) }
func (r *reader) float(o conf.Option) float64          { return read(r, conf.Config.Float, o) }
func (r *reader) int(o conf.Option) int                { return read(r, conf.Config.Int, o) }
func (r *reader) bool(o conf.Option) bool              { return read(r, conf.Config.Bool, o) }
func (r *reader) list(o conf.Option) []string          { return read(r, conf.Config.List, o) }

// set is the text of an option, empty when it is not set.
func (r *reader) set(o conf.Option) string {
	text, _ := r.config.Lookup(o)
	return text
}

// ReadOptions reads the options of a job. The error is that of the first that cannot be read.
func ReadOptions(c conf.Config) (Options, error) {
	r := &reader{config: c}
	o := Options{
		ScalingEnabled:    r.bool(key.AutoscalerScalingEnabled),
		Window:            r.duration(key.AutoscalerMetricsWindow),
		Stabilization:     r.duration(key.AutoscalerStabilizationInterval),
		MaxPerHour:        r.int(key.AutoscalerMaxScalingsPerHour),
		ExcludedPeriods:   r.list(key.AutoscalerExcludedPeriods),
		ScaleDownInterval: r.duration(key.AutoscalerScaleDownInterval),
		MinParallelism:    r.int(key.AutoscalerVertexMinParallelism),
		MaxParallelism:    r.int(key.AutoscalerVertexMaxParallelism),
		MaxDown:           r.float(key.AutoscalerScaleDownMaxFactor),
		MaxUp:             r.float(key.AutoscalerScaleUpMaxFactor),
		CatchUp:           r.duration(key.AutoscalerCatchUpDuration),
		Excluded:          r.list(key.AutoscalerVertexExcludeIDs),
		EventInterval:     r.duration(key.AutoscalerScalingEventInterval),
		HistoryMaxCount:   r.int(key.AutoscalerHistoryMaxCount),
		HistoryMaxAge:     r.duration(key.AutoscalerHistoryMaxAge),
		GCPressure:        r.float(key.AutoscalerGCPressureThreshold),
		HeapUsage:         r.float(key.AutoscalerHeapUsageThreshold),
		AdjustMode:        r.set(key.AutoscalerAdjustMode),
		AlignmentMode:     r.set(key.AutoscalerAlignmentMode),

		SlotsPerTaskManager: r.int(key.TaskSlots),
		TaskManagerCPU:      r.float(key.TaskManagerCPU),
	}
	o.readUtilization(r)
	o.readRates(r)
	o.readFeatures(r)
	return o, r.err
}

// readUtilization reads the wanted utilisation and its bounds: those that are set, else target plus and minus the
// older boundary.
func (o *Options) readUtilization(r *reader) {
	o.Target = r.float(key.AutoscalerUtilizationTarget)
	boundary := r.float(key.AutoscalerUtilizationBoundary)
	o.Upper, o.Lower = o.Target+boundary, o.Target-boundary
	if r.config.Has(key.AutoscalerUtilizationMax) {
		o.Upper = r.float(key.AutoscalerUtilizationMax)
	}
	if r.config.Has(key.AutoscalerUtilizationMin) {
		o.Lower = r.float(key.AutoscalerUtilizationMin)
	}
}

func (o *Options) readRates(r *reader) {
	o.RestartTime = r.duration(key.AutoscalerRestartTime)
	o.RestartTracking = r.bool(key.AutoscalerRestartTimeTrackingEnabled)
	o.RestartTrackingLimit = r.duration(key.AutoscalerRestartTimeTrackingLimit)
	o.BacklogLag = r.duration(key.AutoscalerBacklogLagThreshold)
	o.ObservedLag = r.duration(key.AutoscalerObservedRateLagThreshold)
	o.ObservedSwitch = r.float(key.AutoscalerObservedRateSwitchThreshold)
	o.ObservedLeast = r.int(key.AutoscalerObservedRateMinObservations)
	o.Busy = Aggregator(read(r, conf.Config.Enum, key.AutoscalerBusyTimeAggregator))
}

func (o *Options) readFeatures(r *reader) {
	o.DetectIneffective = r.bool(key.AutoscalerEffectivenessDetectionEnabled)
	o.TakeBack = r.bool(key.AutoscalerTakeBackIneffective)
	o.EffectivenessThreshold = r.float(key.AutoscalerEffectivenessThreshold)
	o.Scalability = r.bool(key.AutoscalerObservedScalabilityEnabled)
	o.ScalabilityLeast = r.int(key.AutoscalerObservedScalabilityMinObservations)
	o.CoefficientMin = r.float(key.AutoscalerObservedScalabilityCoefficientMin)
	o.Tuning = r.bool(key.AutoscalerMemoryTuningEnabled)
	o.TuningCompensation = r.bool(key.AutoscalerMemoryTuningCompensation)
	o.TuningOverhead = r.float(key.AutoscalerMemoryTuningOverhead)
	o.TuningMaximize = r.bool(key.AutoscalerMemoryTuningMaximizeManaged)
	o.QuotaMemory = read(r, conf.Config.Memory, key.AutoscalerQuotaMemory)
	o.HasQuotaMemory = r.config.Has(key.AutoscalerQuotaMemory)
	o.QuotaCPU = r.float(key.AutoscalerQuotaCPU)
	o.HasQuotaCPU = r.config.Has(key.AutoscalerQuotaCPU)
	if o.AdjustMode != "" && o.AlignmentMode == "" {
		o.AdjustMode = read(r, conf.Config.Enum, key.AutoscalerAdjustMode)
	}
}
