package sweep

import (
	"context"

	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
)

// scalingGauges are those of the metrics of a vertex that are told.
var scalingGauges = map[model.Metric]metrics.Gauge{
	model.Load:                   metrics.Load,
	model.TrueProcessingRate:     metrics.TrueProcessingRate,
	model.TargetDataRate:         metrics.TargetDataRate,
	model.CatchUpDataRate:        metrics.CatchUpDataRate,
	model.Lag:                    metrics.Lag,
	model.Parallelism:            metrics.Parallelism,
	model.RecommendedParallelism: metrics.RecommendedParallelism,
	model.MaxParallelism:         metrics.MaxParallelism,
	model.SourcePartitions:       metrics.SourcePartitions,
	model.ScaleUpThreshold:       metrics.ScaleUpThreshold,
	model.ScaleDownThreshold:     metrics.ScaleDownThreshold,
	model.ExpectedProcessingRate: metrics.ExpectedProcessingRate,
}

// tellScaling tells how the vertices of a job are by a sample that was just kept, and counts what came of it. Whoever
// loses the race for that write tells nothing, and of a job that is not sampled nothing is told. A scaling is counted
// where it is stored: until then each sample asks for it again.
func (o *Observer) tellScaling(ctx context.Context, key event.Key, stored autoscaler.Stored) {
	if o.Metrics == nil {
		return
	}
	o.Metrics.Relieve(ctx)
	figures := autoscaler.FiguresOf(stored)
	for _, f := range figures.Vertices {
		o.Metrics.Set(
			scalingGauges[f.Metric], figures.At, f.Value, metrics.Kind(key.Kind), metrics.Namespace(key.Namespace),
			metrics.Name(key.Name), metrics.Vertex(f.Vertex),
		)
	}
	if figures.Outcome != "" && figures.Outcome != metrics.Scaled {
		o.count(ctx, key, figures.Outcome)
	}
}

// count counts a cycle of the autoscaler.
func (o *Observer) count(ctx context.Context, key event.Key, outcome string, more ...metrics.Attribute) {
	o.Metrics.Count(ctx, metrics.Cycles, 1, append(
		more, metrics.Kind(key.Kind), metrics.Namespace(key.Namespace), metrics.Name(key.Name), metrics.Decided(outcome),
	)...)
}
