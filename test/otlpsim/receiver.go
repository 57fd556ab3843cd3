package otlpsim

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"
)

// Sample is one data point.
type Sample struct {
	// Name and Unit are those of its metric.
	Name, Unit string
	// Labels are the attributes of the resource and of the point.
	Labels map[string]string
	// Start and At are its times; Start is zero for a gauge.
	Start, At time.Time
	// Value is that of a number, or the sum of a histogram.
	Value float64
	// Count is how many values a histogram has.
	Count uint64
}

// Receiver keeps what it gets. Safe for concurrent use.
type Receiver struct {
	// URL is the endpoint, with its path.
	URL string

	mu       sync.Mutex
	samples  []Sample
	problems []string
	posts    int
	header   http.Header
	answer   func() int
	known    map[string]float64 // by series and time
}

// New starts a receiver that ends with the test.
func New(t testing.TB) *Receiver {
	r := &Receiver{answer: func() int { return http.StatusOK }, known: map[string]float64{}}
	server := httptest.NewServer(http.HandlerFunc(r.take))
	t.Cleanup(func() {
		server.Close()
		for _, p := range r.problems {
			t.Errorf("a backend would refuse this: %s", p)
		}
	})
	r.URL = server.URL + "/v1/metrics"
	return r
}

// Answer decides what the posts to come are answered with. What is answered with an error is not kept.
func (r *Receiver) Answer(status func() int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = status
}

// Posts is how many messages came, also those that were answered with an error.
func (r *Receiver) Posts() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.posts
}

// Header is that of the newest post.
func (r *Receiver) Header() http.Header {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.header
}

// Samples are those of a metric whose labels have the given values ("name=value").
func (r *Receiver) Samples(name string, labels ...string) []Sample {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []Sample
	for _, s := range r.samples {
		if s.Name == name && s.has(labels) {
			found = append(found, s)
		}
	}
	return found
}

func (s Sample) has(labels []string) bool {
	return !slices.ContainsFunc(labels, func(l string) bool {
		name, value, _ := strings.Cut(l, "=")
		return s.Labels[name] != value
	})
}

// Total is the sum of all values of a counter, over time and pods.
func (r *Receiver) Total(name string, labels ...string) (total float64) {
	for _, s := range r.Samples(name, labels...) {
		total += s.Value
	}
	return total
}

// Count is how many values a histogram got, over time and pods.
func (r *Receiver) Count(name string, labels ...string) (count uint64) {
	for _, s := range r.Samples(name, labels...) {
		count += s.Count
	}
	return count
}

// Sum adds the samples of a gauge that have the newest time of all of that gauge, as the recording rules do.
func (r *Receiver) Sum(name string, labels ...string) (sum float64) {
	var newest time.Time
	for _, s := range r.Samples(name) {
		if s.At.After(newest) {
			newest = s.At
		}
	}
	for _, s := range r.Samples(name, labels...) {
		if s.At.Equal(newest) {
			sum += s.Value
		}
	}
	return sum
}

func (r *Receiver) take(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.posts++
	r.header = request.Header.Clone()
	if status := r.answer(); status != http.StatusOK {
		w.WriteHeader(status)
		return
	}
	var in io.Reader = request.Body
	if request.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			r.refuse(w, err.Error())
			return
		}
		in = unpacked
	}
	body, err := io.ReadAll(in)
	var message metricspb.MetricsData
	if err == nil {
		err = proto.Unmarshal(body, &message)
	}
	if request.URL.Path != "/v1/metrics" || request.Header.Get("Content-Type") != "application/x-protobuf" {
		err = fmt.Errorf("%s of type %s", request.URL.Path, request.Header.Get("Content-Type"))
	}
	if err != nil {
		r.refuse(w, err.Error())
		return
	}
	for _, measured := range message.GetResourceMetrics() {
		r.keep(measured)
	}
}

func (r *Receiver) refuse(w http.ResponseWriter, why string) {
	r.problems = append(r.problems, why)
	w.WriteHeader(http.StatusBadRequest)
}

func (r *Receiver) keep(measured *metricspb.ResourceMetrics) {
	of := labels(nil, measured.GetResource().GetAttributes())
	for _, scope := range measured.GetScopeMetrics() {
		for _, m := range scope.GetMetrics() {
			series := Sample{Name: m.GetName(), Unit: m.GetUnit(), Labels: of}
			r.numbers(series, m.GetGauge().GetDataPoints())
			r.numbers(series, m.GetSum().GetDataPoints())
			for _, p := range m.GetHistogram().GetDataPoints() {
				s := series
				s.Start, s.At = at(p.GetStartTimeUnixNano()), at(p.GetTimeUnixNano())
				s.Value, s.Count, s.Labels = p.GetSum(), p.GetCount(), labels(of, p.GetAttributes())
				r.add(s)
				if len(p.GetBucketCounts()) != len(p.GetExplicitBounds())+1 {
					r.problems = append(r.problems, m.GetName()+": buckets do not fit their bounds")
				}
			}
			r.check(m)
		}
	}
}

func (r *Receiver) numbers(series Sample, points []*metricspb.NumberDataPoint) {
	for _, p := range points {
		s := series
		s.At, s.Labels = at(p.GetTimeUnixNano()), labels(series.Labels, p.GetAttributes())
		if start := p.GetStartTimeUnixNano(); start != 0 {
			s.Start = at(start)
		}
		s.Value = p.GetAsDouble() + float64(p.GetAsInt())
		r.add(s)
	}
}

// add keeps a sample. Two of one series at one time are a problem for any backend; a repeated one is not.
func (r *Receiver) add(s Sample) {
	id := fmt.Sprint(s.Name, s.At.UnixNano(), s.Labels)
	if value, known := r.known[id]; known {
		if value != s.Value {
			r.problems = append(r.problems, fmt.Sprintf("%s %v has two values at %s", s.Name, s.Labels, s.At))
		}
		return
	}
	r.known[id] = s.Value
	r.samples = append(r.samples, s)
}

func (r *Receiver) check(m *metricspb.Metric) {
	temporality := m.GetSum().GetAggregationTemporality() + m.GetHistogram().GetAggregationTemporality()
	if m.GetGauge() == nil && temporality != metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA {
		r.problems = append(r.problems, m.GetName()+" is not a delta")
	}
	if m.GetSum() != nil && !m.GetSum().GetIsMonotonic() {
		r.problems = append(r.problems, m.GetName()+" is a sum that may fall")
	}
}

func labels(of map[string]string, attributes []*commonpb.KeyValue) map[string]string {
	all := map[string]string{}
	for name, value := range of {
		all[name] = value
	}
	for _, a := range attributes {
		all[a.GetKey()] = a.GetValue().GetStringValue()
	}
	return all
}

func at(nanos uint64) time.Time { return time.Unix(0, int64(nanos)).UTC() }
