package autoscaler

import (
	"math"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/execute"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

// Figures are what metrics tell of a job by its newest sample. The Java autoscaler exports the same.
type Figures struct {
	// At is the time of the sample; zero when there is none.
	At time.Time
	// Outcome is what the cycle counts as: an execute.Outcome, EndFailed, or empty where it counts as nothing.
	Outcome string
	// Vertices are the values that are known, vertex by vertex in topological order.
	Vertices []Figure
}

// Figure is the value of one metric of a vertex.
type Figure struct {
	// Vertex is its hex ID.
	Vertex string
	// Metric is what Value is of; the value over the window where it has one, else the current one.
	Metric model.Metric
	// Value may be infinite, and is not NaN.
	Value float64
}

// overWindow are the metrics of which the Java autoscaler exports the value over the window. It exports their current
// value, too, which is never known.
var overWindow = []model.Metric{model.Load, model.TrueProcessingRate, model.TargetDataRate}

// current are those of which it exports the current value alone.
var current = []model.Metric{
	model.CatchUpDataRate, model.Lag, model.Parallelism, model.RecommendedParallelism, model.MaxParallelism,
	model.SourcePartitions, model.ScaleUpThreshold, model.ScaleDownThreshold, model.ExpectedProcessingRate,
}

// FiguresOf are those of a cycle by what is stored.
//
//	the end of the cycle    values of vertices                   it counts as
//	NoSample, FirstSample   none                                 nothing
//	WindowFilling           all but those of a decision          nothing
//	Decided                 all                                  the outcome
//	NotTakenYet             all                                  nothing: it counted when it was stored
//	AlreadyDecided          none: nothing is evaluated again     nothing
//	Failed                  those from before it failed          Failed
//
// A value that is not known is none: the Java autoscaler says NaN.
func FiguresOf(in Stored) Figures {
	r := Decide(in)
	f := Figures{At: r.Time}
	switch {
	case r.End == EndFailed:
		f.Outcome = string(EndFailed)
	case r.End == EndDecided && r.Decision.Outcome != execute.OutcomeUnknown:
		f.Outcome = string(r.Decision.Outcome)
	}
	for _, v := range r.Collected.Topology.Vertices {
		evaluated := r.Evaluated.Vertices[v.ID]
		add := func(m model.Metric, value float64) {
			if !math.IsNaN(value) {
				f.Vertices = append(f.Vertices, Figure{v.ID, m, value})
			}
		}
		for _, m := range overWindow {
			add(m, evaluated.Average(m))
		}
		for _, m := range current {
			add(m, evaluated.Current(m))
		}
	}
	return f
}
