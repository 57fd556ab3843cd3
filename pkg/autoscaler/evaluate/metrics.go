package evaluate

import (
	"errors"
	"math"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

// Input is what an evaluation reads.
type Input struct {
	// Options are those of the job.
	Options model.Options
	// RestartTime is the time that a restart is expected to take, see model.RestartTime.
	RestartTime time.Duration
	// Topology is that of the running job.
	Topology model.Topology
	// Window are the samples, oldest first.
	Window model.Window
	// Custom are metrics that an evaluator of the user's own gave for vertices, by hex ID. They are laid over those
	// evaluated, and what is downstream is evaluated with them. nil is none.
	Custom map[string]model.Evaluation
}

// errNoIngestion is the text of the Java autoscaler.
var errNoIngestion = errors.New("Cannot evaluate metrics without ingestion rate information")

// Metrics evaluates the window. It returns an error when a sample lacks a vertex, or the input rate of a source is not
// known.
func Metrics(in Input) (model.EvaluatedMetrics, error) {
	if err := in.Window.Complete(in.Topology); err != nil {
		return model.EvaluatedMetrics{}, err
	}
	w := &window{Input: in, series: map[string]*model.Series{}}
	for _, v := range in.Topology.Vertices {
		w.series[v.ID] = in.Window.SeriesOf(v.ID)
	}
	result := model.EvaluatedMetrics{
		Vertices: make(map[string]model.Evaluation, len(in.Topology.Vertices)),
		Global:   global(in.Window),
		Backlog:  w.backlog(),
	}
	for _, v := range in.Topology.Vertices {
		evaluated, err := w.vertex(v, result)
		if err != nil {
			return model.EvaluatedMetrics{}, err
		}
		for name, value := range in.Custom[v.ID] {
			old, has := evaluated[name]
			if !has {
				old = model.Evaluated{Current: model.NaN, Average: model.NaN}
			}
			evaluated[name] = old.Merge(value)
		}
		result.Vertices[v.ID] = evaluated
	}
	return result, nil
}

// window is an evaluation under way.
type window struct {
	Input
	series map[string]*model.Series
}

// backlog reports whether a source would need more than the threshold to read what waits for it. A source that reads
// nothing while records wait would need for ever.
func (w *window) backlog() bool {
	for _, v := range w.Topology.Vertices {
		if !v.IsSource() {
			continue
		}
		rate := w.series[v.ID].Rate(model.RecordsIn)
		if !math.IsNaN(rate) && w.lag(v.ID)/rate > wholeSeconds(w.Options.BacklogLag) {
			return true
		}
	}
	return false
}

// vertex evaluates one vertex. Those before it are in done.
func (w *window) vertex(v model.Vertex, done model.EvaluatedMetrics) (model.Evaluation, error) {
	evaluated := make(model.Evaluation, 14)
	if err := w.target(v, done, evaluated); err != nil {
		return nil, err
	}
	busy := w.busyTime(v)
	evaluated[model.TrueProcessingRate] = model.Over(w.processingRate(v, busy))
	evaluated[model.Load] = model.Over(busy / 1000)
	if lag, ok := w.newest(v.ID)[model.Lag]; ok {
		evaluated[model.Lag] = model.Now(lag)
	}
	evaluated[model.Parallelism] = model.Now(float64(v.Parallelism))
	evaluated[model.MaxParallelism] = model.Now(float64(v.MaxParallelism))
	evaluated[model.SourcePartitions] = model.Now(float64(v.SourcePartitions))
	w.thresholds(evaluated, done.Backlog)
	return evaluated, nil
}

// lag is the number of records that wait in front of a source now; 0 when Flink did not say.
func (w *window) lag(source string) float64 { return w.newest(source)[model.Lag] }

func (w *window) newest(vertex string) model.Metrics {
	if len(w.Window) == 0 {
		return nil
	}
	return w.Window[len(w.Window)-1].Vertices[vertex]
}

// thresholds sets the rates between which the vertex is left alone.
//
//	backlog   scale up below the rate for       scale down above the rate for
//	false     the upper utilisation             the lower utilisation, and a restart
//	true      full utilisation                  never: the rate is infinite
func (w *window) thresholds(evaluated model.Evaluation, backlog bool) {
	upper, lower := w.Options.Upper, w.Options.Lower
	if backlog {
		upper, lower = 1, 0
	}
	evaluated[model.ScaleUpThreshold] = model.Now(Capacity(evaluated, w.Options, upper, NoRestart))
	evaluated[model.ScaleDownThreshold] = model.Now(Capacity(evaluated, w.Options, lower, w.RestartTime))
}

// NoRestart stands for a restart that is not looked at.
const NoRestart time.Duration = -1

// Capacity is the rate that a vertex needs at a utilisation: what comes in, what working off the backlog takes, and
// what working off the records of a restart takes. All durations count in whole seconds.
//
//	utilisation            the capacity is
//	at most 0              infinite
//	above 1                as for 1
//
// It is NaN when a rate is not known. A catch-up duration of 0 counts no restart.
func Capacity(e model.Evaluation, o model.Options, utilization float64, restart time.Duration) float64 {
	catchUp, target := e.Current(model.CatchUpDataRate), e.Average(model.TargetDataRate)
	if math.IsNaN(catchUp) || math.IsNaN(target) {
		return model.NaN
	}
	utilization = min(max(utilization, 0), 1)
	if utilization == 0 {
		return model.Inf
	}
	missed := 0.0
	if seconds := wholeSeconds(o.CatchUp); seconds != 0 && restart != NoRestart {
		missed = target * wholeSeconds(restart) / seconds
	}
	return model.Round(catchUp + missed + target/utilization)
}

func wholeSeconds(d time.Duration) float64 { return float64(d / time.Second) }

// global evaluates the metrics of the whole job.
func global(w model.Window) model.Evaluation {
	series := w.GlobalSeries()
	evaluated := model.Evaluation{
		model.GCPressure:    model.Now(w.LatestGlobal(model.GCPressure)),
		model.TaskSlotsUsed: model.Now(w.LatestGlobal(model.TaskSlotsUsed)),
	}
	for _, m := range []model.Metric{
		model.HeapUsageRatio, model.HeapMemoryUsed, model.ManagedMemoryUsed, model.MetaspaceUsed,
	} {
		evaluated[m] = model.Both(w.LatestGlobal(m), series.Average(m, 1))
	}
	return evaluated
}
