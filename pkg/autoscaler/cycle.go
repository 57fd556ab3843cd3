package autoscaler

import (
	"errors"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/capacity"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/collect"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/evaluate"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/execute"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/plugin"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// Input is what one cycle of a job reads. Nothing of it is changed.
type Input struct {
	// Now is the time of the cycle; excluded periods count on the clocks of its location.
	Now time.Time
	// Config is the effective configuration of the job, without what the autoscaler has set.
	Config conf.Config
	// Running tells that all tasks of the job run, or have finished.
	Running bool
	// State is what is stored.
	State model.State
	// Observed is what Flink answered.
	Observed collect.Observation
	// ObserveErr is why Flink could not be asked. When it is set, Observed does not count.
	ObserveErr error
	// TaskManagerMemory is that of a TaskManager process, in bytes; at most 0 is not known.
	TaskManagerMemory int64
	// Schedule reports whether the cluster has room. nil asks nobody, and there is.
	Schedule func(capacity.Ask) bool
	// Custom are the answers of a metric evaluator of the user's own, by hex ID of the vertex; nil is none.
	Custom map[string]model.Evaluation
	// Aligned are those of an alignment mode of the user's own; nil is none.
	Aligned map[string]int
	// Executors are the scaling executors of the user's own.
	Executors []execute.Executor
}

// End says where a cycle ended.
type End string

// The ends of a cycle.
const (
	// EndUnknown is none yet.
	EndUnknown End = ""
	// EndOff is a job whose autoscaler is off: what is stored of it goes.
	EndOff End = "Disabled"
	// EndNotRunning is a job that does not run: nothing is looked at.
	EndNotRunning End = "NotRunning"
	// EndNotReady is a job that cannot be looked at yet.
	EndNotReady End = "NotReady"
	// EndFailed is an error: see Result.Err.
	EndFailed End = "Failed"
	// EndFirstSample is a window of one sample, of which nothing can be evaluated.
	EndFirstSample End = "FirstSample"
	// EndFilling is a window that is not full: evaluated, not acted upon.
	EndFilling End = "WindowFilling"
	// EndDecided is a decision: see Result.Decision.
	EndDecided End = "Decided"
)

// Result is what a cycle gives.
type Result struct {
	// Time is that of the cycle.
	Time time.Time
	// End says where it ended.
	End End
	// Err is why it failed, with EndFailed only; its event is among Events.
	Err error
	// State is what is known afterwards.
	State model.State
	// Store tells that State is to be stored now; otherwise it may be dropped.
	Store bool
	// Events are what a user should learn of.
	Events []model.Event
	// Collected is what was collected, with its topology. It counts from EndFirstSample on.
	Collected collect.Result
	// Evaluated are the metrics, with the recommended parallelism of a full window. They count from EndFilling on.
	Evaluated model.EvaluatedMetrics
	// Decision is what was decided. It counts with EndDecided only.
	Decision execute.Decision
	// Excluded are the vertices that are not scaled in this cycle, by hex ID.
	Excluded []string
	// Asks is what a plug-in of the user's own is to be asked, with EndNotAsked only.
	Asks *plugin.Question
}

// Run runs one cycle.
//
//	job.autoscaler.enabled   job        samples       window     end
//	false                    -          -             -          Disabled: what is stored goes
//	cannot be read           -          -             -          Failed
//	true                     stopped    -             -          NotRunning: nothing is stored
//	true                     runs       not to be had -          NotReady or Failed: nothing is stored
//	true                     runs       one           -          FirstSample
//	true                     runs       more          not full   WindowFilling
//	true                     runs       more          full       Decided
func Run(in Input) Result {
	r := Result{State: in.State}
	enabled, err := in.Config.Bool(key.AutoscalerEnabled)
	if err != nil {
		return r.failed(err)
	}
	if !enabled {
		return Result{End: EndOff, Store: !in.State.IsEmpty()}
	}
	options, err := model.ReadOptions(in.Config)
	r.Excluded = options.Excluded
	switch {
	case err != nil:
		return r.failed(err)
	case !in.Running:
		r.End = EndNotRunning
		return r
	case in.ObserveErr != nil:
		return r.failed(in.ObserveErr)
	}
	r.Collected, err = collect.Collect(collect.Input{
		Options: options, Now: in.Now, State: in.State, Observed: in.Observed,
	})
	r.State, r.Excluded = r.Collected.State, r.Collected.Excluded
	if err != nil {
		return r.failed(err)
	}
	if !r.Collected.Continue {
		r.End, r.Store = EndFirstSample, true
		return r
	}
	return in.decide(r, options)
}

// decide evaluates the window and decides on it, once it is full.
func (in Input) decide(r Result, options model.Options) Result {
	evaluated, err := evaluate.Metrics(evaluate.Input{
		Options: options, RestartTime: r.Collected.RestartTime, Topology: r.Collected.Topology, Window: r.State.Samples,
		Custom: in.Custom,
	})
	if err != nil {
		return r.failed(err)
	}
	r.Evaluated = evaluated
	if !r.Collected.Full {
		r.End, r.Store = EndFilling, true
		return r
	}
	for _, metrics := range evaluated.Vertices {
		metrics[model.RecommendedParallelism] = metrics[model.Parallelism]
	}
	kept := model.TrimRestarts(r.State.Restarts, in.Now, options)
	r.Decision, err = execute.Decide(execute.Input{
		Options: options, Config: in.Config, Now: in.Now, RestartTime: r.Collected.RestartTime,
		Topology: r.Collected.Topology, Metrics: evaluated, State: r.State, History: r.Collected.History, Restarts: kept,
		Excluded: r.Collected.Excluded, TaskManagerMemory: in.TaskManagerMemory, Schedule: in.Schedule,
		Aligned: in.Aligned,
	}, in.Executors)
	r.Events = append(r.Events, r.Decision.Events...)
	r.Evaluated.Vertices = r.Decision.Metrics
	if err != nil {
		return r.failed(err)
	}
	r.State, r.End, r.Store = r.Decision.State, EndDecided, true
	return r
}

// failed ends a cycle with an error. A job that is not ready yet is none.
func (r Result) failed(err error) Result {
	if errors.Is(err, collect.ErrNotReady) {
		r.End = EndNotReady
		return r
	}
	r.End, r.Err = EndFailed, err
	r.Events = append(r.Events, model.Event{
		Type: model.EventWarning, Reason: model.ReasonError, Message: err.Error(),
	})
	return r
}
