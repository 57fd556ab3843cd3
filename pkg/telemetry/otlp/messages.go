package otlp

import (
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
)

// Measured is the message for metrics of one resource; nil when there are none.
func Measured(resource []attribute.KeyValue, scope string, all []*metricspb.Metric) *metricspb.ResourceMetrics {
	if len(all) == 0 {
		return nil
	}
	return &metricspb.ResourceMetrics{
		Resource: &resourcepb.Resource{Attributes: attributes(resource)},
		ScopeMetrics: []*metricspb.ScopeMetrics{{
			Scope: &commonpb.InstrumentationScope{Name: scope}, Metrics: all,
		}},
	}
}

// Point is one value of a gauge.
type Point struct {
	// At is its time.
	At time.Time
	// Value is it.
	Value float64
	// Attributes tell it from the others.
	Attributes []attribute.KeyValue
}

// Gauge is the message for a gauge.
func Gauge(name, unit, description string, points []Point) *metricspb.Metric {
	messages := make([]*metricspb.NumberDataPoint, 0, len(points))
	for _, p := range points {
		messages = append(messages, &metricspb.NumberDataPoint{
			TimeUnixNano: nanos(p.At), Attributes: attributes(p.Attributes),
			Value: &metricspb.NumberDataPoint_AsDouble{AsDouble: p.Value},
		})
	}
	return &metricspb.Metric{
		Name: name, Unit: unit, Description: description,
		Data: &metricspb.Metric_Gauge{Gauge: &metricspb.Gauge{DataPoints: messages}},
	}
}

// Collected are the messages for what the SDK has collected: sums of whole numbers and histograms, which are all that
// the functions have.
func Collected(data metricdata.ResourceMetrics) []*metricspb.Metric {
	var messages []*metricspb.Metric
	for _, scope := range data.ScopeMetrics {
		for _, m := range scope.Metrics {
			message := &metricspb.Metric{Name: m.Name, Unit: m.Unit, Description: m.Description}
			switch measured := m.Data.(type) {
			case metricdata.Sum[int64]:
				message.Data = sum(measured)
			case metricdata.Histogram[float64]:
				message.Data = histogram(measured)
			default:
				continue
			}
			messages = append(messages, message)
		}
	}
	return messages
}

func sum(s metricdata.Sum[int64]) *metricspb.Metric_Sum {
	points := make([]*metricspb.NumberDataPoint, 0, len(s.DataPoints))
	for _, p := range s.DataPoints {
		points = append(points, &metricspb.NumberDataPoint{
			StartTimeUnixNano: nanos(p.StartTime), TimeUnixNano: nanos(p.Time),
			Attributes: attributes(p.Attributes.ToSlice()),
			Value:      &metricspb.NumberDataPoint_AsInt{AsInt: p.Value},
		})
	}
	return &metricspb.Metric_Sum{Sum: &metricspb.Sum{
		DataPoints: points, IsMonotonic: s.IsMonotonic, AggregationTemporality: temporality(s.Temporality),
	}}
}

func histogram(h metricdata.Histogram[float64]) *metricspb.Metric_Histogram {
	points := make([]*metricspb.HistogramDataPoint, 0, len(h.DataPoints))
	for _, p := range h.DataPoints {
		total := p.Sum
		point := &metricspb.HistogramDataPoint{
			StartTimeUnixNano: nanos(p.StartTime), TimeUnixNano: nanos(p.Time),
			Attributes: attributes(p.Attributes.ToSlice()), Count: p.Count, Sum: &total,
			BucketCounts: slices.Clone(p.BucketCounts), ExplicitBounds: slices.Clone(p.Bounds),
		}
		if v, there := p.Min.Value(); there {
			point.Min = &v
		}
		if v, there := p.Max.Value(); there {
			point.Max = &v
		}
		points = append(points, point)
	}
	return &metricspb.Metric_Histogram{Histogram: &metricspb.Histogram{
		DataPoints: points, AggregationTemporality: temporality(h.Temporality),
	}}
}

func temporality(t metricdata.Temporality) metricspb.AggregationTemporality {
	if t == metricdata.DeltaTemporality {
		return metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA
	}
	return metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
}

// attributes are texts, all of them.
func attributes(all []attribute.KeyValue) []*commonpb.KeyValue {
	messages := make([]*commonpb.KeyValue, 0, len(all))
	for _, a := range all {
		messages = append(messages, &commonpb.KeyValue{
			Key:   string(a.Key),
			Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: a.Value.String()}},
		})
	}
	return messages
}

func nanos(t time.Time) uint64 { return uint64(max(0, t.UnixNano())) }
