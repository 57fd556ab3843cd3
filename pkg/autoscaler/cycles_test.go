package autoscaler_test

import (
	"slices"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/collect"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/execute"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/store"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

type tickInput struct {
	Tick            int               `json:"tick"`
	Now             time.Time         `json:"now"`
	JobStatus       string            `json:"jobStatus"`
	Rest            *flink            `json:"rest"`
	Config          map[string]string `json:"config"`
	OperatorRestart bool              `json:"operatorRestart"`
}

type counters struct {
	Scalings int `json:"scalings"`
	Errors   int `json:"errors"`
	Balanced int `json:"balanced"`
}

type tickOutput struct {
	Events                       []event           `json:"events"`
	RealizedParallelismOverrides map[string]string `json:"realizedParallelismOverrides"`
	RealizedConfigChanges        *configOverrides  `json:"realizedConfigChanges"`
	Counters                     counters          `json:"counters"`
	Flushed                      bool              `json:"flushed"`
	FullyCollected               *bool             `json:"fullyCollected"`
	RestartTimeMillis            *int64            `json:"restartTimeMillis"`
	Evaluated                    *struct {
		VertexMetrics map[string]evaluation `json:"vertexMetrics"`
		GlobalMetrics evaluation            `json:"globalMetrics"`
	} `json:"evaluated"`
	Persisted *storedState `json:"persisted"`
}

// operator is what the process around the autoscaler remembers from one cycle to the next.
type operator struct {
	cached, stored model.State
	counters       counters
	// names are those of the metrics of vertices, since the job started.
	names map[string][]string
}

// observe asks the cluster. Like the operator that was recorded, it asks for names once for as long as the job runs
// with the same vertices.
func (o *operator) observe(f flink) (collect.Observation, error) {
	observed, _, err := f.observe(nil)
	if err != nil {
		return observed, err
	}
	if n := o.cached.Samples; len(n) > 0 && observed.Job.Running.After(n[0].Time) {
		o.names = nil
	}
	running := map[string][]string{}
	for _, v := range observed.Job.Vertices {
		if !v.Finished {
			running[v.ID] = observed.Vertices[v.ID].Names
		}
	}
	if !slices.Equal(sorted(o.names), sorted(running)) {
		o.names = running
	}
	observed, _, err = f.observe(o.names)
	return observed, err
}

// TestCycles replays jobs through many cycles: what one cycle stores is what the next reads. Like the operator that was
// recorded, it remembers what a failed cycle did not store, until it restarts.
func TestCycles(t *testing.T) {
	type input struct {
		Config map[string]string `json:"config"`
		Ticks  []tickInput       `json:"ticks"`
	}
	type output struct {
		Ticks []tickOutput `json:"ticks"`
	}
	replay(t, "cycles", func(k *check, c recorded[input, output]) {
		var o operator
		config := c.Input.Config
		for i, tick := range c.Input.Ticks {
			if tick.Config != nil {
				config = tick.Config
			}
			if tick.OperatorRestart {
				o = operator{cached: o.stored, stored: o.stored}
			}
			o.tick(k, config, tick, c.Output.Ticks[i])
			if len(k.found) > 0 {
				k.fatalf("tick %d", i)
			}
		}
	})
}

func (o *operator) tick(k *check, config map[string]string, in tickInput, want tickOutput) {
	input := autoscaler.Input{
		Now: in.Now, Config: config, Running: in.JobStatus == "RUNNING", State: o.cached,
		TaskManagerMemory: memoryOf(k, config),
	}
	if in.Rest != nil {
		input.Observed, input.ObserveErr = o.observe(*in.Rest)
	}
	got := autoscaler.Run(input)
	if o.cached = got.State; got.End == autoscaler.EndOff {
		o.cached.Samples = input.State.Samples // the recorded operator keeps them in memory; here they are gone
	}
	switch {
	case got.End == autoscaler.EndFailed:
		o.counters.Errors++
	case got.End == autoscaler.EndDecided && got.Decision.Scaled():
		o.counters.Scalings++
	case got.End == autoscaler.EndDecided:
		o.counters.Balanced++
	}
	if got.Store {
		o.stored = throughStore(k, got.State)
		samples := o.cached.Samples
		if o.cached = o.stored; got.End == autoscaler.EndOff {
			o.cached.Samples = samples
		}
	}
	sameEvents(k, want.Events, got.Events)
	same(k, "counters", want.Counters, o.counters)
	o.compareEvaluated(k, want, got)
	user, err := conf.Config(config).Map(key.ParallelismOverrides)
	if err != nil {
		k.fatalf("%v", err)
	}
	same(k, "realized", want.RealizedParallelismOverrides, autoscaler.Parallelism(o.cached.Overrides, user, got.Excluded))
	if want.RealizedConfigChanges != nil {
		changes := model.ConfigChanges{}
		if o.cached.Config != nil {
			changes = *o.cached.Config
		}
		same(k, "realized options", *want.RealizedConfigChanges.model(), changes)
	}
	if want.Persisted != nil {
		want.Persisted.compare(k, o.stored)
	}
}

func (o *operator) compareEvaluated(k *check, want tickOutput, got autoscaler.Result) {
	evaluatedAtAll := got.End == autoscaler.EndFilling || got.End == autoscaler.EndDecided
	same(k, "evaluated at all", want.Evaluated != nil, evaluatedAtAll)
	if want.Evaluated != nil {
		same(k, "vertices", evaluations(want.Evaluated.VertexMetrics), got.Evaluated.Vertices)
		same(k, "global", want.Evaluated.GlobalMetrics.model(), got.Evaluated.Global)
	}
	if want.FullyCollected != nil {
		same(k, "full", *want.FullyCollected, got.Collected.Full)
	}
	if want.RestartTimeMillis != nil {
		same(k, "restart time", millis(*want.RestartTimeMillis), got.Collected.RestartTime)
	}
	same(k, "outcome", got.End == autoscaler.EndDecided, got.Decision.Outcome != execute.OutcomeUnknown)
}

// throughStore writes a state and reads it again, as another process would.
func throughStore(k *check, s model.State) model.State {
	again, discarded, err := store.Read(store.Write(s))
	if err != nil || len(discarded) > 0 {
		k.fatalf("%v %v", discarded, err)
	}
	return again
}
