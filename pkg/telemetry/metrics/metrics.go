package metrics

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"go.uber.org/zap"

	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/otlp"
	"github.com/kn-flink/kn-flink/pkg/telemetry/push"
)

const (
	// kept is how many pushes that failed are sent again with a later one; the oldest go first.
	kept = 16
	// most is how many values of a gauge wait for a push; more are dropped. A page of a sweep has a thousand.
	most = 20_000
	// scope is the name of our instruments' maker.
	scope = "github.com/kn-flink/kn-flink"
)

// Setup is what metrics of a function stand on.
type Setup struct {
	// Function is its name, as service.name.
	Function string
	// Namespace is that of the installation, as service.namespace.
	Namespace string
	// Endpoint takes the pushes.
	Endpoint otlp.Endpoint
	// Patience bounds a push while somebody waits for an answer; zero means the endpoint's own timeout.
	Patience time.Duration
	// Now is the clock of the machine.
	Now func() time.Time
	// Log is told when a push fails.
	Log *zap.SugaredLogger
}

// Metrics are those of one function in one pod. Nil measures nothing. Safe for concurrent use.
type Metrics struct {
	Setup
	client     *otlp.Client
	reader     *sdkmetric.ManualReader
	histograms map[Histogram]metric.Float64Histogram
	counters   map[Counter]metric.Int64Counter
	// pod is what the counts of this pod are of; fleet is what is of no pod.
	pod, fleet []attribute.KeyValue

	gate   push.Gate
	unsent []*metricspb.ResourceMetrics // of the one push at a time

	mu     sync.Mutex
	points map[Gauge][]otlp.Point
	count  int
}

// New makes the metrics of a function; nil when the endpoint is empty.
func New(s Setup) (*Metrics, error) {
	if s.Endpoint.URL == "" {
		return nil, nil
	}
	client, err := otlp.NewClient(s.Endpoint)
	if err != nil {
		return nil, err
	}
	m := &Metrics{
		Setup: s, client: client, gate: push.Gate{Now: s.Now, Patience: s.Patience},
		reader: sdkmetric.NewManualReader(sdkmetric.WithTemporalitySelector(
			func(sdkmetric.InstrumentKind) metricdata.Temporality { return metricdata.DeltaTemporality },
		)),
		histograms: map[Histogram]metric.Float64Histogram{}, counters: map[Counter]metric.Int64Counter{},
		fleet: []attribute.KeyValue{
			attribute.String("service.name", s.Function), attribute.String("service.namespace", s.Namespace),
		},
		points: map[Gauge][]otlp.Point{},
	}
	m.pod = append(slices.Clone(m.fleet), attribute.String("service.instance.id", uuid.NewString()))
	return m, m.register(sdkmetric.NewMeterProvider(sdkmetric.WithReader(m.reader)).Meter(scope))
}

func (m *Metrics) register(meter metric.Meter) error {
	var failures []error
	for name, about := range histograms {
		buckets := bounds
		if name == UnreadyDuration || name == StateDuration {
			buckets = longBounds
		}
		made, err := meter.Float64Histogram(
			string(name), metric.WithUnit(about.unit), metric.WithDescription(about.text),
			metric.WithExplicitBucketBoundaries(buckets...),
		)
		m.histograms[name], failures = made, append(failures, err)
	}
	for name, about := range counters {
		made, err := meter.Int64Counter(
			string(name), metric.WithUnit(about.unit), metric.WithDescription(about.text),
		)
		m.counters[name], failures = made, append(failures, err)
	}
	return errors.Join(failures...)
}

// Start makes the metrics that the environment or ConfigMap config-observability asks for. What cannot be used is told,
// and nothing is measured then: metrics are no reason not to run.
func Start(s Setup, config map[string]string) *Metrics {
	var m *Metrics
	to, err := otlp.EndpointOf(otlp.Metrics, config, os.Getenv)
	if err == nil {
		s.Endpoint = to
		m, err = New(s)
	}
	if err != nil {
		s.Log.Errorw("no metrics are pushed", telemetry.Error, err.Error())
		return nil
	}
	return m
}

// Time records a duration.
func (m *Metrics) Time(ctx context.Context, name Histogram, took time.Duration, attributes ...Attribute) {
	if m == nil {
		return
	}
	m.histograms[name].Record(ctx, took.Seconds(), metric.WithAttributes(told(attributes)...))
}

// Count adds to a count.
func (m *Metrics) Count(ctx context.Context, name Counter, n int, attributes ...Attribute) {
	if m == nil || n == 0 {
		return
	}
	m.counters[name].Add(ctx, int64(n), metric.WithAttributes(told(attributes)...))
}

// Set records how something is at a time. It goes out with the next push, and is forgotten then.
func (m *Metrics) Set(name Gauge, at time.Time, value float64, attributes ...Attribute) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.count >= most {
		return
	}
	m.count++
	m.points[name] = append(m.points[name], otlp.Point{At: at, Value: value, Attributes: told(attributes)})
}

// Relieve pushes when so many values of gauges wait that more might be dropped before a request ends.
func (m *Metrics) Relieve(ctx context.Context) {
	if m == nil {
		return
	}
	m.mu.Lock()
	waiting := m.count
	m.mu.Unlock()
	if waiting >= most/2 && !m.gate.Busy() {
		m.push(ctx)
	}
}

// told are the attributes that have a value, in a list of their own: so the caller's costs nothing without metrics.
func told(attributes []Attribute) []Attribute {
	return slices.DeleteFunc(slices.Clone(attributes), func(a Attribute) bool { return a.Value.AsString() == "" })
}

// Handler pushes when the requests of a function end; see push.Gate.
func (m *Metrics) Handler(next http.Handler) http.Handler {
	if m == nil {
		return next
	}
	return m.gate.Handler(next, m.push)
}

// Close pushes what is left, at the end of a pod.
func (m *Metrics) Close(ctx context.Context) {
	if m == nil {
		return
	}
	m.gate.Last(ctx, m.send)
}

// push sends, or else lets nothing pile up.
func (m *Metrics) push(ctx context.Context) {
	m.gate.Push(ctx, m.send, func() { m.seen() })
}

// send sends what was measured since the last time, with what could not be sent then. What is of the fleet is not sent
// a second time: it is not true any more.
func (m *Metrics) send(ctx context.Context) error {
	var collected metricdata.ResourceMetrics
	if err := m.reader.Collect(ctx, &collected); err != nil {
		m.Log.Warnw("metrics cannot be collected", telemetry.Error, err.Error())
	}
	if own := otlp.Measured(m.pod, scope, otlp.Collected(collected)); own != nil {
		m.unsent = append(m.unsent, own)
	}
	all := slices.Clone(m.unsent)
	if seen := otlp.Measured(m.fleet, scope, m.seen()); seen != nil {
		all = append(all, seen)
	}
	if len(all) == 0 {
		return nil
	}
	err := m.client.Send(ctx, all)
	if err == nil || errors.Is(err, otlp.ErrRefused) {
		m.unsent = nil
	} else {
		m.unsent = m.unsent[max(0, len(m.unsent)-kept):]
	}
	if err != nil {
		m.Log.Warnw("metrics were not taken", "endpoint", m.Endpoint.String(), telemetry.Error, err.Error())
	}
	return err
}

// seen are the gauges since the last time.
func (m *Metrics) seen() []*metricspb.Metric {
	m.mu.Lock()
	points := m.points
	m.points, m.count = map[Gauge][]otlp.Point{}, 0
	m.mu.Unlock()
	var all []*metricspb.Metric
	for _, name := range sorted(points) {
		all = append(all, otlp.Gauge(string(name), gauges[name].unit, gauges[name].text, points[name]))
	}
	return all
}

func sorted(points map[Gauge][]otlp.Point) []Gauge {
	var names []Gauge
	for name := range points {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
