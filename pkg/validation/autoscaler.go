package validation

import (
	"math"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/period"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// bound is the legal range of an autoscaler option, both ends included.
type bound struct {
	option   conf.Option
	min, max float64
	// gate switches the feature that reads the option; nil means always read.
	gate *conf.Option
}

var unbounded = math.Inf(1)

// autoscaler is V11 and S8: nothing is found while the autoscaler is off. Java accepts a parallelism below 1, and
// fails once a vertex is idle (ADR 44).
//
//	option                                   | range         | only with
//	scale-down.max-factor                    | [0, ∞)        |
//	scale-up.max-factor                      | [0, ∞)        |
//	vertex.min-parallelism                   | [1, ∞)        |
//	utilization.target                       | [0, 1]        |
//	target.utilization.boundary              | [0, ∞)        |
//	utilization.max                          | [target, 1]   | set
//	utilization.min                          | [0, target]   | set
//	memory.gc-pressure.threshold             | [0, 1]        |
//	memory.heap-usage.threshold              | [0, 1]        |
//	observed-scalability.coefficient-min     | [0.01, 1]     | observed-scalability.enabled
//	scaling.effectiveness.threshold          | [0, 1]        | scaling.effectiveness.detection.enabled
//	memory.tuning.overhead                   | [0, 1]        | memory.tuning.enabled
//	excluded.periods                         | see period   |
//	metrics.window                           | at least kubernetes.operator.reconcile.interval
func (s *settings) autoscaler() {
	if !s.enabled(key.AutoscalerEnabled) {
		return
	}
	target, err := s.effective.Float(key.AutoscalerUtilizationTarget)
	readable := err == nil
	for _, b := range autoscalerBounds(target) {
		dependent := b.option.Key == key.AutoscalerUtilizationMax.Key || b.option.Key == key.AutoscalerUtilizationMin.Key
		if dependent && !readable || b.gate != nil && !s.enabled(*b.gate) {
			continue
		}
		s.inBound(b)
	}
	s.excludedPeriods()
	s.metricsWindow()
}

func autoscalerBounds(target float64) []bound {
	return []bound{
		{option: key.AutoscalerScaleDownMaxFactor, max: unbounded},
		{option: key.AutoscalerScaleUpMaxFactor, max: unbounded},
		{option: key.AutoscalerVertexMinParallelism, min: 1, max: unbounded},
		{option: key.AutoscalerUtilizationTarget, max: 1},
		{option: key.AutoscalerUtilizationBoundary, max: unbounded},
		{option: key.AutoscalerUtilizationMax, min: target, max: 1},
		{option: key.AutoscalerUtilizationMin, max: target},
		{option: key.AutoscalerGCPressureThreshold, max: 1},
		{option: key.AutoscalerHeapUsageThreshold, max: 1},
		{
			option: key.AutoscalerObservedScalabilityCoefficientMin, min: 0.01, max: 1,
			gate: &key.AutoscalerObservedScalabilityEnabled,
		},
		{option: key.AutoscalerEffectivenessThreshold, max: 1, gate: &key.AutoscalerEffectivenessDetectionEnabled},
		{option: key.AutoscalerMemoryTuningOverhead, max: 1, gate: &key.AutoscalerMemoryTuningEnabled},
	}
}

func (s *settings) inBound(b bound) {
	if !s.effective.Has(b.option) && !b.option.HasDefault {
		return
	}
	value, err := s.effective.Float(b.option)
	if err != nil {
		s.unreadable("Invalid value in the autoscaler config "+b.option.Key, err)
		return
	}
	if value < b.min || value > b.max {
		highest := "+Infinity"
		if !math.IsInf(b.max, 1) {
			highest = syntax.FormatFloat(b.max)
		}
		s.atOption(b.option, "The AutoScalerOption "+b.option.Key+" is invalid, it should be a value within the range ["+
			syntax.FormatFloat(b.min)+", "+highest+"]", "it is "+syntax.FormatFloat(value)+", correct it")
	}
}

// excludedPeriods checks each element of the list by its own.
func (s *settings) excludedPeriods() {
	option := key.AutoscalerExcludedPeriods
	periods, err := s.effective.List(option)
	if err != nil {
		s.unreadable("Invalid value in the autoscaler config "+option.Key, err)
	}
	for _, text := range periods {
		if err := period.Check(text); err != nil {
			s.atOption(option, "Invalid value "+cut(text, maxQuoted)+" in the autoscaler config "+option.Key,
				err.Error()+", write for example 09:00-17:00, or a Quartz expression such as * * 9-17 ? * 2-6, or both "+
					"joined by &&, and correct it")
		}
	}
}

// metricsWindow refuses a window that holds less than two samples: one is taken each reconcile interval.
func (s *settings) metricsWindow() {
	window, err := s.effective.Duration(key.AutoscalerMetricsWindow)
	if err != nil {
		s.unreadable("Invalid value in the autoscaler config "+key.AutoscalerMetricsWindow.Key, err)
		return
	}
	interval, err := s.effective.Duration(key.ReconcileInterval)
	if err != nil {
		s.unreadable("", err)
		return
	}
	if window < interval {
		s.atOption(key.AutoscalerMetricsWindow, "The autoscaler metric window ("+key.AutoscalerMetricsWindow.Key+"="+
			syntax.FormatDuration(window)+") must not be smaller than the operator reconcile interval ("+
			key.ReconcileInterval.Key+"="+
			syntax.FormatDuration(interval)+")", "enlarge the window, else it never contains the two samples that scaling "+
			"needs, and correct it")
	}
}

// atOption records a finding at the key that holds an option's value, with the place to correct it.
func (s *settings) atOption(o conf.Option, message, advice string) {
	used := s.effective.UsedKey(o)
	if used == "" {
		used = o.Key
	}
	s.report.addConf(used, message, advice+" "+s.where(used))
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }
