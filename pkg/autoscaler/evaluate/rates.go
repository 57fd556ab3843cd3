package evaluate

import (
	"math"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

// target sets the target data rate of a vertex, and its catch-up rate.
//
//	vertex   target data rate                                catch-up rate
//	source   growth of records read plus growth of the lag   lag by the catch-up duration, 0 without one
//	other    sum over the inputs: theirs times the ratio     the same sum
func (w *window) target(v model.Vertex, done model.EvaluatedMetrics, evaluated model.Evaluation) error {
	target, catchUp := 0.0, 0.0
	if !v.IsSource() {
		for _, in := range v.Inputs {
			ratio := w.outputRatio(in.Vertex, v)
			from := done.Vertices[in.Vertex]
			target += from.Average(model.TargetDataRate) * ratio
			catchUp += from.Current(model.CatchUpDataRate) * ratio
		}
		evaluated[model.TargetDataRate] = model.Over(target)
		evaluated[model.CatchUpDataRate] = model.Now(catchUp)
		return nil
	}
	series := w.series[v.ID]
	target = series.Rate(model.RecordsIn) + series.Rate(model.Lag)
	if math.IsNaN(target) {
		return errNoIngestion
	}
	if seconds := wholeSeconds(w.Options.CatchUp); seconds != 0 {
		catchUp = w.lag(v.ID) / seconds
	}
	evaluated[model.TargetDataRate] = model.Over(max(0, target))
	evaluated[model.CatchUpDataRate] = model.Now(catchUp)
	return nil
}

// outputRatio is the number of records that a vertex sends to another for each that it reads; 0 where it cannot be
// told.
func (w *window) outputRatio(from string, to model.Vertex) float64 {
	in := w.series[from].Rate(model.RecordsIn)
	out := w.edgeRate(from, to)
	if in > 0 && out > 0 {
		return out / in
	}
	return 0
}

// edgeRate is the rate of records on one edge. Flink counts by vertex, so that it has to be inferred.
//
//	inputs of to   the others send            then it is
//	one            -                          what to reads
//	several        to nobody else, known      what to reads, less what the others write
//	several        otherwise                  what from writes
func (w *window) edgeRate(from string, to model.Vertex) float64 {
	read := w.series[to.ID].Rate(model.RecordsIn)
	if len(to.Inputs) == 1 {
		return read
	}
	others, told := 0.0, true
	for _, in := range to.Inputs {
		if in.Vertex == from {
			continue
		}
		if len(w.Topology.Outputs(in.Vertex)) != 1 {
			told = false
			break
		}
		others += w.series[in.Vertex].Rate(model.RecordsOut)
	}
	if told && !math.IsNaN(others) {
		return read - others
	}
	return w.series[from].Rate(model.RecordsOut)
}

// busyTime is the busy time of a subtask in ms per second. The average is that of all subtasks; the others were chosen
// when the sample was taken.
func (w *window) busyTime(v model.Vertex) float64 {
	series := w.series[v.ID]
	if w.Options.Busy == model.AggregatorAvg {
		return series.Rate(model.AccumulatedBusyTime) / float64(v.Parallelism)
	}
	return series.Average(model.Load, 1) * 1000
}

// inputRate is the rate that the busy time belongs to.
func (w *window) inputRate(v model.Vertex) float64 {
	series := w.series[v.ID]
	if w.Options.Busy == model.AggregatorAvg {
		return series.Rate(model.RecordsIn)
	}
	if rate := series.Average(model.RecordsInPerSecond, 1); model.IsFinite(rate) {
		return rate
	}
	return series.Rate(model.RecordsIn)
}

// processingRate is the true processing rate: by the busy time, or as it was observed.
//
//	observed   by busy time                                  then it is
//	NaN        -                                             by busy time
//	known      NaN or infinite                               observed
//	known      more than the switch threshold above it       observed
//	known      otherwise                                     by busy time
func (w *window) processingRate(v model.Vertex, busy float64) float64 {
	byBusyTime := model.Inf
	if rate := w.inputRate(v); rate != 0 {
		byBusyTime = rate / (busy / 1000)
	}
	observed := w.series[v.ID].Average(model.ObservedRate, w.Options.ObservedLeast)
	switch {
	case math.IsNaN(observed):
		return byBusyTime
	case !model.IsFinite(byBusyTime), byBusyTime > observed*(1+w.Options.ObservedSwitch):
		return observed
	}
	return byBusyTime
}
