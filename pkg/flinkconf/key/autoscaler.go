package key

import "github.com/kn-flink/kn-flink/pkg/flinkconf/conf"

// Options of the autoscaler. Each is also read with OperatorPrefix before the key.
var (
	// AutoscalerEnabled turns the autoscaler on.
	AutoscalerEnabled = autoscaler(conf.KindBool, "enabled", "false")
	// AutoscalerScalingEnabled lets it act; otherwise it only evaluates and reports.
	AutoscalerScalingEnabled = autoscaler(conf.KindBool, "scaling.enabled", "true")
	// AutoscalerMetricsWindow is the time over which metrics are aggregated.
	AutoscalerMetricsWindow = autoscaler(conf.KindDuration, "metrics.window", "15 min")
	// AutoscalerStabilizationInterval is the time after a start in which nothing is scaled.
	AutoscalerStabilizationInterval = autoscaler(conf.KindDuration, "stabilization.interval", "5 min")
	// AutoscalerExcludedPeriods are times without scaling: cron and daily expressions.
	AutoscalerExcludedPeriods = autoscaler(conf.KindList, "excluded.periods", "")
	// AutoscalerUtilizationTarget is the wanted utilisation of a vertex, 0 to 1.
	AutoscalerUtilizationTarget = autoscaler(conf.KindFloat, "utilization.target", "0.7",
		"kubernetes.operator.job.autoscaler.utilization.target", "kubernetes.operator.job.autoscaler.target.utilization",
		"job.autoscaler.target.utilization")
	// AutoscalerUtilizationMax is the utilisation above which a vertex is scaled up; unset follows target and boundary.
	AutoscalerUtilizationMax = autoscaling(unset(conf.KindFloat, "utilization.max"))
	// AutoscalerUtilizationMin is the utilisation below which a vertex is scaled down; unset follows target and boundary.
	AutoscalerUtilizationMin = autoscaling(unset(conf.KindFloat, "utilization.min"))
	// AutoscalerUtilizationBoundary is the older way to say max and min: target plus and minus this.
	AutoscalerUtilizationBoundary = autoscaler(conf.KindFloat, "target.utilization.boundary", "0.3")
	// AutoscalerScaleDownInterval delays scaling down so that several become one; 0 or less is at once.
	AutoscalerScaleDownInterval = autoscaler(conf.KindDuration, "scale-down.interval", "1 h",
		"kubernetes.operator.job.autoscaler.scale-up.grace-period",
		"kubernetes.operator.job.autoscaler.scale-down.interval",
		"job.autoscaler.scale-up.grace-period")
	// AutoscalerVertexMinParallelism is the lowest parallelism of a vertex.
	AutoscalerVertexMinParallelism = autoscaler(conf.KindInt, "vertex.min-parallelism", "1")
	// AutoscalerVertexMaxParallelism is the highest parallelism of a vertex.
	AutoscalerVertexMaxParallelism = autoscaler(conf.KindInt, "vertex.max-parallelism", "200")
	// AutoscalerVertexExcludeIDs are vertices, by hex ID, that are not scaled.
	AutoscalerVertexExcludeIDs = autoscaler(conf.KindList, "vertex.exclude.ids", "")
	// AutoscalerScaleDownMaxFactor bounds one step down: 0.6 is at most 60 % less.
	AutoscalerScaleDownMaxFactor = autoscaler(conf.KindFloat, "scale-down.max-factor", "0.6")
	// AutoscalerScaleUpMaxFactor bounds one step up: 2 is at most 200 % more.
	AutoscalerScaleUpMaxFactor = autoscaler(conf.KindFloat, "scale-up.max-factor", "100000.0")
	// AutoscalerCatchUpDuration is the time in which a backlog should be worked off after scaling; 0 ignores backlogs.
	AutoscalerCatchUpDuration = autoscaler(conf.KindDuration, "catch-up.duration", "30 min")
	// AutoscalerRestartTime is the expected time of a restart.
	AutoscalerRestartTime = autoscaler(conf.KindDuration, "restart.time", "5 min")
	// AutoscalerRestartTimeTrackingEnabled uses restart times seen instead.
	AutoscalerRestartTimeTrackingEnabled = autoscaler(conf.KindBool, "restart.time-tracking.enabled", "false")
	// AutoscalerRestartTimeTrackingLimit caps those.
	AutoscalerRestartTimeTrackingLimit = autoscaler(conf.KindDuration, "restart.time-tracking.limit", "15 min")
	// AutoscalerBacklogLagThreshold is the lag above which a job that still works off a backlog is left alone.
	AutoscalerBacklogLagThreshold = autoscaler(conf.KindDuration, "backlog-processing.lag-threshold", "5 min")
	// AutoscalerObservedRateLagThreshold is the lag from which the observed processing rate is measured.
	AutoscalerObservedRateLagThreshold = autoscaler(
		conf.KindDuration, "observed-true-processing-rate.lag-threshold", "30 s",
	)
	// AutoscalerObservedRateSwitchThreshold is the difference from which the observed rate is used.
	AutoscalerObservedRateSwitchThreshold = autoscaler(
		conf.KindFloat, "observed-true-processing-rate.switch-threshold", "0.15",
	)
	// AutoscalerObservedRateMinObservations is the number of observations that takes.
	AutoscalerObservedRateMinObservations = autoscaler(
		conf.KindInt, "observed-true-processing-rate.min-observations", "2",
	)
	// AutoscalerEffectivenessDetectionEnabled stops scaling up a vertex that does not gain by it.
	AutoscalerEffectivenessDetectionEnabled = autoscaler(
		conf.KindBool, "scaling.effectiveness.detection.enabled", "false",
	)
	// AutoscalerEffectivenessThreshold is the share of the expected gain below which scaling was in vain.
	AutoscalerEffectivenessThreshold = autoscaler(conf.KindFloat, "scaling.effectiveness.threshold", "0.1")
	// AutoscalerGCPressureThreshold is the share of time in garbage collection above which nothing is scaled down.
	AutoscalerGCPressureThreshold = autoscaler(conf.KindFloat, "memory.gc-pressure.threshold", "1.0")
	// AutoscalerHeapUsageThreshold is the heap usage above which nothing is scaled down.
	AutoscalerHeapUsageThreshold = autoscaler(conf.KindFloat, "memory.heap-usage.threshold", "1.0")
	// AutoscalerMemoryTuningEnabled fits the TaskManagers' memory to what they use.
	AutoscalerMemoryTuningEnabled = autoscaler(conf.KindBool, "memory.tuning.enabled", "false")
	// AutoscalerMemoryTuningCompensation gives TaskManagers more memory when fewer of them do the same work.
	AutoscalerMemoryTuningCompensation = autoscaler(
		conf.KindBool, "memory.tuning.scale-down-compensation.enabled", "true",
	)
	// AutoscalerMemoryTuningOverhead is the spare share added, 0 to 1.
	AutoscalerMemoryTuningOverhead = autoscaler(conf.KindFloat, "memory.tuning.overhead", "0.2")
	// AutoscalerMemoryTuningMaximizeManaged gives what is saved to managed memory.
	AutoscalerMemoryTuningMaximizeManaged = autoscaler(conf.KindBool, "memory.tuning.maximize-managed-memory", "false")
	// AutoscalerHistoryMaxCount is the number of past decisions kept per vertex.
	AutoscalerHistoryMaxCount = autoscaler(conf.KindInt, "history.max.count", "3")
	// AutoscalerHistoryMaxAge is the age up to which they are kept.
	AutoscalerHistoryMaxAge = autoscaler(conf.KindDuration, "history.max.age", "1 d")
	// AutoscalerBusyTimeAggregator is how busy times of subtasks become one figure.
	AutoscalerBusyTimeAggregator = autoscaling(oneOf("metrics.busy-time.aggregator", "MAX", "AVG", "MIN"))
	// AutoscalerScalingEventInterval is the time after which the same event is sent again.
	AutoscalerScalingEventInterval = autoscaler(conf.KindDuration, "scaling.event.interval", "30 min")
	// AutoscalerRestClientTimeout bounds its calls to Flink. Not set, the operator uses FlinkClientTimeout.
	AutoscalerRestClientTimeout = autoscaler(conf.KindDuration, "flink.rest-client.timeout", "10 s")
	// AutoscalerQuotaMemory is the memory a job may use in all; unset is no bound.
	AutoscalerQuotaMemory = autoscaling(unset(conf.KindMemory, "quota.memory"))
	// AutoscalerQuotaCPU is the number of cores a job may use in all; unset is no bound.
	AutoscalerQuotaCPU = autoscaling(unset(conf.KindFloat, "quota.cpu"))
	// AutoscalerAdjustMode is the older AutoscalerAlignmentMode.
	AutoscalerAdjustMode = autoscaling(oneOf(
		"scaling.key-group.partitions.adjust.mode", "EVENLY_SPREAD", "MAXIMIZE_UTILISATION",
	))
	// AutoscalerAlignmentMode aligns parallelism with key groups and source partitions: BALANCED, EVENLY_SPREAD, OFF or
	// the name of a mode of the user's own.
	AutoscalerAlignmentMode = autoscaler(conf.KindString, "scaling.parallelism-alignment.mode", "BALANCED")
	// AutoscalerObservedScalabilityEnabled learns from the past how a job really scales.
	AutoscalerObservedScalabilityEnabled = autoscaler(conf.KindBool, "observed-scalability.enabled", "false")
	// AutoscalerObservedScalabilityMinObservations is the number of observations that takes.
	AutoscalerObservedScalabilityMinObservations = autoscaler(conf.KindInt, "observed-scalability.min-observations", "3")
	// AutoscalerObservedScalabilityCoefficientMin is the lowest coefficient believed.
	AutoscalerObservedScalabilityCoefficientMin = autoscaler(
		conf.KindFloat, "observed-scalability.coefficient-min", "0.5",
	)
	// AutoscalerMaxScalingsPerHour bounds how often a job is scaled in any hour; 0 is no bound. An option of kn-flink.
	AutoscalerMaxScalingsPerHour = autoscaler(conf.KindInt, "scaling.max-per-hour", "0")
	// AutoscalerTakeBackIneffective takes a step up back, once, that gained less than AutoscalerEffectivenessThreshold.
	// An option of kn-flink.
	AutoscalerTakeBackIneffective = autoscaler(conf.KindBool, "scaling.take-back-ineffective", "false")
	// AutoscalerCustomEvaluators are the names of metric evaluators of the user's own.
	AutoscalerCustomEvaluators = autoscaler(conf.KindList, "metrics.custom-evaluators", "")
	// AutoscalerCustomExecutors are the names of scaling executors of the user's own.
	AutoscalerCustomExecutors = autoscaler(conf.KindList, "scaling.custom-executors", "")
)

// Prefixes of the settings of plug-ins: prefix, name, a dot, class or a parameter of the plug-in's own.
const (
	// AlignmentModePrefix is for AutoscalerAlignmentMode.
	AlignmentModePrefix = AutoscalerPrefix + "scaling.parallelism-alignment.mode."
	// CustomEvaluatorPrefix is for AutoscalerCustomEvaluators.
	CustomEvaluatorPrefix = AutoscalerPrefix + "metrics.custom-evaluator."
	// CustomExecutorPrefix is for AutoscalerCustomExecutors.
	CustomExecutorPrefix = AutoscalerPrefix + "scaling.custom-executor."
)

// autoscaler declares an option of the autoscaler; fallbacks, if there are any, stand in full.
func autoscaler(kind conf.Kind, key, def string, fallbacks ...string) conf.Option {
	return autoscaling(withDefault(kind, key, def, fallbacks...))
}

// autoscaling puts AutoscalerPrefix before an option's key, of which the one with the operator's prefix is an older
// spelling, and declares it.
func autoscaling(o conf.Option) conf.Option {
	o.Key, o.Scope = AutoscalerPrefix+o.Key, conf.ScopeResource
	if len(o.Fallbacks) == 0 {
		o.Fallbacks = []string{OperatorPrefix + o.Key}
	}
	return declare(o)
}
