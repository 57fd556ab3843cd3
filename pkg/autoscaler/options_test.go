package autoscaler_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/period"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

func TestCalendar(t *testing.T) {
	type input struct {
		ExcludedPeriods string    `json:"excludedPeriods"`
		Instant         time.Time `json:"instant"`
		TimeZone        string    `json:"timeZone"`
	}
	type output struct {
		ParsedList        []string `json:"parsedList"`
		ValidationError   *string  `json:"validationError"`
		Excluded          bool     `json:"excluded"`
		ExcludedException *failure `json:"excludedException"`
	}
	replay(t, "calendar", func(k *check, c recorded[input, output]) {
		zone, err := time.LoadLocation(c.Input.TimeZone)
		if err != nil {
			k.fatalf("%v", err)
		}
		list, err := conf.Config{key.AutoscalerExcludedPeriods.Key: c.Input.ExcludedPeriods}.List(
			key.AutoscalerExcludedPeriods,
		)
		if err != nil {
			k.fatalf("%v", err)
		}
		same(k, "list", c.Output.ParsedList, list)
		valid := !slices.ContainsFunc(list, func(text string) bool { return period.Check(text) != nil })
		same(k, "valid", c.Output.ValidationError == nil, valid)
		got, err := period.Excluded(list, c.Input.Instant.In(zone))
		if !c.Output.ExcludedException.compare(k, err) {
			same(k, "excluded", c.Output.Excluded, got)
		}
	})
}

func TestOptions(t *testing.T) {
	type input struct {
		Config map[string]string `json:"config"`
		Option string            `json:"option"`
	}
	type output struct {
		Error     *failure                   `json:"error"`
		Value     json.RawMessage            `json:"value"`
		Effective map[string]json.RawMessage `json:"effective"`
	}
	replay(t, "options", func(k *check, c recorded[input, output]) {
		if c.Output.Effective == nil {
			got, err := optionValue(c.Input.Config, c.Input.Option)
			if !c.Output.Error.compare(k, err) {
				same(k, c.Input.Option, plainJSON(k, c.Output.Value), got)
			}
			return
		}
		for name, value := range c.Output.Effective {
			got, err := optionValue(c.Input.Config, name)
			if err != nil {
				k.errorf("%s: %v", name, err)
			}
			same(k, name, plainJSON(k, value), got)
		}
	})
}

// optionValue reads an option in the form of the recordings.
func optionValue(config conf.Config, name string) (any, error) {
	i := slices.IndexFunc(autoscalerOptions, func(o conf.Option) bool { return o.Key == name })
	o := autoscalerOptions[i]
	if !config.Has(o) && !o.HasDefault {
		return nil, nil
	}
	switch o.Kind {
	case conf.KindDuration:
		d, err := config.Duration(o)
		return map[string]any{"nanos": float64(d)}, err
	case conf.KindMemory:
		bytes, err := config.Memory(o)
		return map[string]any{"bytes": float64(bytes)}, err
	case conf.KindInt:
		n, err := config.Int(o)
		return float64(n), err
	case conf.KindFloat:
		f, err := config.Float(o)
		if math.IsInf(f, 0) {
			return syntax.FormatFloat(f), err
		}
		return f, err
	case conf.KindBool:
		return config.Bool(o)
	case conf.KindEnum:
		return config.Enum(o)
	case conf.KindList:
		list, err := config.List(o)
		items := []any{}
		for _, item := range list {
			items = append(items, item)
		}
		return items, err
	default:
		return config.Get(o), nil
	}
}

func plainJSON(k *check, content json.RawMessage) any {
	var value any
	if err := json.Unmarshal(content, &value); err != nil {
		k.fatalf("%v", err)
	}
	return value
}

// autoscalerOptions are those that the recordings name.
var autoscalerOptions = []conf.Option{
	key.AutoscalerEnabled, key.AutoscalerScalingEnabled, key.AutoscalerMetricsWindow,
	key.AutoscalerStabilizationInterval, key.AutoscalerExcludedPeriods, key.AutoscalerUtilizationTarget,
	key.AutoscalerUtilizationMax, key.AutoscalerUtilizationMin, key.AutoscalerUtilizationBoundary,
	key.AutoscalerScaleDownInterval, key.AutoscalerVertexMinParallelism, key.AutoscalerVertexMaxParallelism,
	key.AutoscalerVertexExcludeIDs, key.AutoscalerScaleDownMaxFactor, key.AutoscalerScaleUpMaxFactor,
	key.AutoscalerCatchUpDuration, key.AutoscalerRestartTime, key.AutoscalerRestartTimeTrackingEnabled,
	key.AutoscalerRestartTimeTrackingLimit, key.AutoscalerBacklogLagThreshold, key.AutoscalerObservedRateLagThreshold,
	key.AutoscalerObservedRateSwitchThreshold, key.AutoscalerObservedRateMinObservations,
	key.AutoscalerEffectivenessDetectionEnabled, key.AutoscalerEffectivenessThreshold,
	key.AutoscalerGCPressureThreshold, key.AutoscalerHeapUsageThreshold, key.AutoscalerMemoryTuningEnabled,
	key.AutoscalerMemoryTuningCompensation, key.AutoscalerMemoryTuningOverhead,
	key.AutoscalerMemoryTuningMaximizeManaged, key.AutoscalerHistoryMaxCount, key.AutoscalerHistoryMaxAge,
	key.AutoscalerBusyTimeAggregator, key.AutoscalerScalingEventInterval, key.AutoscalerRestClientTimeout,
	key.AutoscalerQuotaMemory, key.AutoscalerQuotaCPU, key.AutoscalerAdjustMode, key.AutoscalerAlignmentMode,
	key.AutoscalerObservedScalabilityEnabled, key.AutoscalerObservedScalabilityMinObservations,
	key.AutoscalerObservedScalabilityCoefficientMin, key.AutoscalerCustomEvaluators, key.AutoscalerCustomExecutors,
}

func TestTrackingAndHistory(t *testing.T) {
	type input struct {
		Config          map[string]string    `json:"config"`
		Now             time.Time            `json:"now"`
		ScalingTracking []restart            `json:"scalingTracking"`
		ScalingHistory  map[string][]scaling `json:"scalingHistory"`
	}
	type output struct {
		RestartTimeMillisUntrimmed int64                `json:"restartTimeMillisUntrimmed"`
		RestartTimeMillis          int64                `json:"restartTimeMillis"`
		TrimmedTracking            []restart            `json:"trimmedTracking"`
		TrimmedHistory             map[string][]scaling `json:"trimmedHistory"`
	}
	replay(t, "tracking_history", func(k *check, c recorded[input, output]) {
		o, all := readOptions(k, c.Input.Config), restarts(c.Input.ScalingTracking)
		kept := model.TrimRestarts(all, c.Input.Now, o)
		same(k, "restarts", restarts(c.Output.TrimmedTracking), kept)
		same(k, "restart time before", millis(c.Output.RestartTimeMillisUntrimmed), model.RestartTime(all, o))
		same(k, "restart time", millis(c.Output.RestartTimeMillis), model.RestartTime(kept, o))
		trimmed := model.TrimHistory(history(c.Input.ScalingHistory), c.Input.Now, o)
		same(k, "history", history(c.Output.TrimmedHistory), trimmed)
	})
}
