package plugin

import (
	"encoding/json"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

// Kind says what a plug-in is asked for.
type Kind string

// The kinds of plug-ins, in the order in which they are asked.
const (
	KindUnknown Kind = ""
	// KindEvaluator gives metrics of vertices.
	KindEvaluator Kind = "MetricEvaluator"
	// KindAlignment gives the parallelism that spreads key groups or partitions well.
	KindAlignment Kind = "AlignmentMode"
	// KindExecutor lets changes of the parallelism through, changes them or holds them back.
	KindExecutor Kind = "ScalingExecutor"
)

// APIVersion is that of questions and answers.
const APIVersion = "autoscaling.kn-flink.dev/v1"

// Question is what a plug-in is asked about the newest sample of a job. In JSON, a number that is not known is null.
type Question struct {
	// APIVersion is that constant.
	APIVersion string `json:"apiVersion"`
	// Kind says what for.
	Kind Kind `json:"kind"`
	// Name is that in the options of the job.
	Name string `json:"name"`
	// Class is the text of its option class.
	Class string `json:"class"`
	// Resource is whose job it is.
	Resource Resource `json:"resource"`
	// Job is the ID of the job in Flink's form.
	Job string `json:"job"`
	// Time is that of the sample.
	Time time.Time `json:"time"`
	// Settings are the options of the autoscaler, and over them the plug-in's own without their prefix.
	Settings conf.Config `json:"settings"`
	// RestartSeconds is the time that a restart is expected to take.
	RestartSeconds float64 `json:"restartSeconds"`
	// Backlog tells that the job works a backlog off.
	Backlog bool `json:"backlog"`
	// Vertices are those that it is asked about, in topological order.
	Vertices []Vertex `json:"vertices"`
	// Samples are those of the window, oldest first; only an evaluator gets them.
	Samples []Sample `json:"samples,omitempty"`
}

// Resource names a resource.
type Resource struct {
	// Kind is FlinkDeployment or FlinkSessionJob.
	Kind string `json:"kind"`
	// Namespace is where it is.
	Namespace string `json:"namespace"`
	// Name is that of the resource.
	Name string `json:"name"`
}

// Vertex is a vertex that a plug-in is asked about.
type Vertex struct {
	// ID is its 32 hex digits.
	ID string `json:"id"`
	// Parallelism is what it has now.
	Parallelism int `json:"parallelism"`
	// Wanted is the parallelism that it should get; 0 where it is not decided yet. To an executor it is what the one
	// before let through.
	Wanted int `json:"wantedParallelism,omitempty"`
	// MaxParallelism is the number of its key groups.
	MaxParallelism int `json:"maxParallelism"`
	// SourcePartitions is the number of partitions that a source reads; 0 is not known, or no source.
	SourcePartitions int `json:"sourcePartitions,omitempty"`
	// Inputs are the vertices that it reads from.
	Inputs []Input `json:"inputs"`
	// Metrics are the evaluated ones.
	Metrics map[model.Metric]Value `json:"metrics"`
}

// Input is an edge from a vertex.
type Input struct {
	// Vertex is its hex ID.
	Vertex string `json:"vertex"`
	// Ship says how records get across: HASH, REBALANCE and so on.
	Ship model.ShipStrategy `json:"shipStrategy"`
}

// Value is an evaluated metric. Either field is NaN where it is not known.
type Value struct {
	// Current is the newest value.
	Current model.Rate `json:"current"`
	// Average is that over the window.
	Average model.Rate `json:"average"`
}

// UnmarshalJSON reads a value. A field that is not there is not known.
func (v *Value) UnmarshalJSON(content []byte) error {
	type plain Value
	read := plain{Current: model.Rate(model.NaN), Average: model.Rate(model.NaN)}
	if err := json.Unmarshal(content, &read); err != nil {
		return err
	}
	*v = Value(read)
	return nil
}

// Sample are the metrics of a job at one time.
type Sample struct {
	// Time is when they were taken.
	Time time.Time `json:"time"`
	// Vertices are the metrics of each vertex, by hex ID.
	Vertices map[string]map[model.Metric]model.Rate `json:"vertices"`
}

// About is a vertex as a plug-in is told of it.
func About(v model.Vertex, evaluated model.Evaluation) Vertex {
	told := Vertex{
		ID: v.ID, Parallelism: v.Parallelism, MaxParallelism: v.MaxParallelism, SourcePartitions: v.SourcePartitions,
		Inputs: make([]Input, 0, len(v.Inputs)), Metrics: make(map[model.Metric]Value, len(evaluated)),
	}
	for _, in := range v.Inputs {
		told.Inputs = append(told.Inputs, Input{Vertex: in.Vertex, Ship: in.Ship})
	}
	for name, value := range evaluated {
		told.Metrics[name] = Value{Current: model.Rate(value.Current), Average: model.Rate(value.Average)}
	}
	return told
}

// SamplesOf are the samples of a window as an evaluator is told of them.
func SamplesOf(w model.Window) []Sample {
	told := make([]Sample, 0, len(w))
	for _, s := range w {
		one := Sample{Time: s.Time, Vertices: make(map[string]map[model.Metric]model.Rate, len(s.Vertices))}
		for id, metrics := range s.Vertices {
			one.Vertices[id] = make(map[model.Metric]model.Rate, len(metrics))
			for name, value := range metrics {
				one.Vertices[id][name] = model.Rate(value)
			}
		}
		told = append(told, one)
	}
	return told
}
