package model

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Sample are the metrics of a job at one time.
type Sample struct {
	// Time is when they were taken.
	Time time.Time
	// Vertices are the metrics of each vertex, by hex ID.
	Vertices map[string]Metrics
	// Global are those of the whole job.
	Global Metrics
}

// Window are samples in ascending order of time.
type Window []Sample

// Latest is the newest value of a metric of a vertex, NaN when it is absent or there is no sample.
func (w Window) Latest(vertex string, m Metric) float64 {
	if len(w) == 0 {
		return NaN
	}
	return w[len(w)-1].Vertices[vertex].Get(m)
}

// LatestGlobal is the same for a metric of the whole job.
func (w Window) LatestGlobal(m Metric) float64 {
	if len(w) == 0 {
		return NaN
	}
	return w[len(w)-1].Global.Get(m)
}

// Complete returns an error that names a vertex which a sample lacks: rates need it in each.
func (w Window) Complete(t Topology) error {
	for _, s := range w {
		for _, v := range t.Vertices {
			if _, ok := s.Vertices[v.ID]; !ok {
				return fmt.Errorf("the sample of %s has no metrics of vertex %s: the job has changed since",
					s.Time.UTC().Format(time.RFC3339), v.ID)
			}
		}
	}
	return nil
}

// Since are the samples from a time on.
func (w Window) Since(start time.Time) Window {
	i := slices.IndexFunc(w, func(s Sample) bool { return !s.Time.Before(start) })
	if i < 0 {
		return nil
	}
	return w[i:]
}

// With adds a sample. One of the same time is replaced.
func (w Window) With(s Sample) Window {
	i := len(w)
	for i > 0 && w[i-1].Time.After(s.Time) {
		i--
	}
	if i > 0 && w[i-1].Time.Equal(s.Time) {
		w = slices.Clone(w)
		w[i-1] = s
		return w
	}
	return slices.Insert(slices.Clone(w), i, s)
}

// Series are the values of one vertex in the window, with the results that were already computed of them.
type Series struct {
	window Window
	values []Metrics
	rates  map[Metric]float64
}

// SeriesOf collects the values of a vertex.
func (w Window) SeriesOf(vertex string) *Series {
	s := &Series{window: w, values: make([]Metrics, len(w)), rates: map[Metric]float64{}}
	for i, sample := range w {
		s.values[i] = sample.Vertices[vertex]
	}
	return s
}

// GlobalSeries collects the values of the whole job.
func (w Window) GlobalSeries() *Series {
	s := &Series{window: w, values: make([]Metrics, len(w)), rates: map[Metric]float64{}}
	for i, sample := range w {
		s.values[i] = sample.Global
	}
	return s
}

// Rate is the increase of a metric per second between its first and its last known value. NaN with less than two.
func (s *Series) Rate(m Metric) float64 {
	if rate, known := s.rates[m]; known {
		return rate
	}
	first, last := -1, -1
	for i := range s.values {
		if !math.IsNaN(s.values[i].Get(m)) {
			first = i
			break
		}
	}
	for i := len(s.values) - 1; i > first && first >= 0; i-- {
		if !math.IsNaN(s.values[i].Get(m)) {
			last = i
			break
		}
	}
	rate := NaN
	if last >= 0 {
		elapsed := float64(max(s.window[last].Time.Sub(s.window[first].Time).Milliseconds(), 1))
		rate = 1000 * (s.values[last].Get(m) - s.values[first].Get(m)) / elapsed
	}
	s.rates[m] = rate
	return rate
}

// Average is the mean of the finite values of a metric. With less than least of them it is NaN; with none, but an
// infinite one, it is infinite.
func (s *Series) Average(m Metric, least int) float64 {
	sum, count, infinite := 0.0, 0, false
	for _, values := range s.values {
		switch value := values.Get(m); {
		case math.IsNaN(value):
		case math.IsInf(value, 0):
			infinite = true
		default:
			sum += value
			count++
		}
	}
	switch {
	case count == 0 && infinite:
		return Inf
	case count == 0 || count < least:
		return NaN
	}
	return sum / float64(count)
}
