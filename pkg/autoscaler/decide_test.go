package autoscaler_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/evaluate"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/plugin"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/scale"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func sortedList(list []string) []string { return slices.Sorted(slices.Values(list)) }

func readOptions(k *check, config map[string]string) model.Options {
	o, err := model.ReadOptions(conf.Config(config))
	if err != nil {
		k.fatalf("%v", err)
	}
	return o
}

func plugins(k *check, config map[string]string) plugin.Plugins {
	p, err := plugin.Read(conf.Config(config))
	if err != nil {
		k.fatalf("%v", err)
	}
	return p
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

func TestEvaluation(t *testing.T) {
	type input struct {
		Config            map[string]string `json:"config"`
		RestartTimeMillis int64             `json:"restartTimeMillis"`
		Topology          topology          `json:"topology"`
		History           []sample          `json:"history"`
		CustomEvaluator   *struct {
			Class     string                `json:"class"`
			Returns   map[string]evaluation `json:"returns"`
			ThrowsFor string                `json:"throwsFor"`
		} `json:"customEvaluator"`
	}
	type output struct {
		Error             *failure              `json:"error"`
		ProcessingBacklog bool                  `json:"processingBacklog"`
		VertexMetrics     map[string]evaluation `json:"vertexMetrics"`
		GlobalMetrics     evaluation            `json:"globalMetrics"`
	}
	replay(t, "evaluation", func(k *check, c recorded[input, output]) {
		in := evaluate.Input{
			Options: readOptions(k, c.Input.Config), RestartTime: millis(c.Input.RestartTimeMillis),
			Topology: c.Input.Topology.model(), Window: window(c.Input.History),
		}
		if custom := c.Input.CustomEvaluator; custom != nil && len(plugins(k, c.Input.Config).Evaluators) > 0 {
			if plugins(k, c.Input.Config).Evaluators[0].Class == custom.Class {
				in.Custom = evaluations(custom.Returns)
			}
			delete(in.Custom, custom.ThrowsFor)
		}
		got, err := evaluate.Metrics(in)
		if c.Output.Error.compare(k, err) {
			return
		}
		same(k, "backlog", c.Output.ProcessingBacklog, got.Backlog)
		same(k, "vertices", evaluations(c.Output.VertexMetrics), got.Vertices)
		same(k, "global", c.Output.GlobalMetrics.model(), got.Global)
	})
}

type scalerInput struct {
	Config              map[string]string `json:"config"`
	Vertex              string            `json:"vertex"`
	InputShipStrategies []string          `json:"inputShipStrategies"`
	DelayedScaleDown    delayedScaleDown  `json:"delayedScaleDown"`
	scalerStep
	Steps []scalerStep `json:"steps"`
}

type scalerStep struct {
	Now               time.Time  `json:"now"`
	RestartTimeMillis int64      `json:"restartTimeMillis"`
	EvaluatedMetrics  evaluation `json:"evaluatedMetrics"`
	ScalingHistory    []scaling  `json:"scalingHistory"`
}

type scalerOutput struct {
	Error                   *failure         `json:"error"`
	NewParallelism          int              `json:"newParallelism"`
	CurrentParallelism      int              `json:"currentParallelism"`
	NoChange                bool             `json:"noChange"`
	OutsideUtilizationBound *bool            `json:"outsideUtilizationBound"`
	ExpectedProcessingRate  *number          `json:"expectedProcessingRate"`
	DelayedScaleDown        delayedScaleDown `json:"delayedScaleDown"`
	DelayedScaleDownUpdated bool             `json:"delayedScaleDownUpdated"`
	Events                  []event          `json:"events"`
	Steps                   []scalerOutput   `json:"steps"`
}

func scaleStep(
	k *check, in scalerInput, step scalerStep, want scalerOutput, delayed map[string]model.DelayedScaleDown,
) {
	options, err := model.ReadOptions(in.Config)
	if err != nil {
		want.Error.compare(k, err)
		return
	}
	input := scale.Input{
		Options: options, Now: step.Now, RestartTime: millis(step.RestartTimeMillis),
		Vertex: in.Vertex, Keyed: slices.Contains(in.InputShipStrategies, "HASH"),
		Metrics: step.EvaluatedMetrics.model(), History: scalings(step.ScalingHistory),
	}
	if d, waits := delayed[in.Vertex]; waits {
		input.Delayed = &d
	}
	got, err := scale.Vertex(input)
	if want.Error.compare(k, err) {
		return
	}
	same(k, "current parallelism", want.CurrentParallelism, got.Current)
	same(k, "new parallelism", want.NewParallelism, got.New)
	same(k, "no change", want.NoChange, !got.Changes())
	if want.OutsideUtilizationBound != nil {
		same(k, "outside", *want.OutsideUtilizationBound, got.Outside)
	}
	expected := model.NaN
	if want.ExpectedProcessingRate != nil {
		expected = float64(*want.ExpectedProcessingRate)
	}
	same(k, "expected rate", expected, got.Expected)
	if got.Delayed == nil {
		delete(delayed, in.Vertex)
	} else {
		delayed[in.Vertex] = *got.Delayed
	}
	same(k, "delayed scale down", want.DelayedScaleDown.model(), delayed)
	same(k, "touched", want.DelayedScaleDownUpdated, got.Touched)
	sameEvents(k, want.Events, got.Events)
}

func TestVertexScaler(t *testing.T) {
	replay(t, "vertex_scaler", func(k *check, c recorded[scalerInput, scalerOutput]) {
		scaleStep(k, c.Input, c.Input.scalerStep, c.Output, c.Input.DelayedScaleDown.model())
	})
}

func TestDelayedScaleDown(t *testing.T) {
	replay(t, "delayed_scale_down", func(k *check, c recorded[scalerInput, scalerOutput]) {
		delayed := c.Input.DelayedScaleDown.model()
		for i, step := range c.Input.Steps {
			scaleStep(k, c.Input, step, c.Output.Steps[i], delayed)
			if len(k.found) > 0 {
				k.fatalf("step %d", i)
			}
		}
	})
}
