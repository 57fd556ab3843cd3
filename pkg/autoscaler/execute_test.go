package autoscaler_test

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/capacity"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/execute"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/plugin"
)

// scripted are the executors that the recordings were made with, by class.
func scripted(p plugin.Plugin) (execute.Executor, bool) {
	e := execute.Executor{Name: p.Name, Class: p.Class}
	switch p.Class {
	case "org.apache.flink.autoscaler.S4$Veto":
		e.Apply = func(execute.Proposal, []execute.Change) ([]execute.Change, error) { return nil, nil }
	case "org.apache.flink.autoscaler.S4$VetoNull":
		e.Priority = 5
		e.Apply = func(execute.Proposal, []execute.Change) ([]execute.Change, error) { return nil, nil }
	case "org.apache.flink.autoscaler.S4$Identity":
		e.Priority = -10
		e.Apply = func(_ execute.Proposal, c []execute.Change) ([]execute.Change, error) { return c, nil }
	case "org.apache.flink.autoscaler.S4$RemoveFirst":
		e.Priority = 10
		e.Apply = func(_ execute.Proposal, c []execute.Change) ([]execute.Change, error) {
			first := slices.MinFunc(c, func(a, b execute.Change) int {
				if a.Vertex < b.Vertex {
					return -1
				}
				return 1
			})
			return slices.DeleteFunc(c, func(one execute.Change) bool { return one == first }), nil
		}
	case "org.apache.flink.autoscaler.S4$Cap":
		highest, err := strconv.Atoi(p.Settings["cap"])
		if err != nil {
			highest = 3
		}
		e.Apply = func(_ execute.Proposal, c []execute.Change) ([]execute.Change, error) {
			for i := range c {
				c[i].New = min(c[i].New, highest)
			}
			return slices.DeleteFunc(c, func(one execute.Change) bool { return one.New == one.Current }), nil
		}
	case "org.apache.flink.autoscaler.S4$Thrower":
		e.Apply = func(execute.Proposal, []execute.Change) ([]execute.Change, error) { return nil, errors.New("thrown") }
	default:
		return e, false
	}
	return e, true
}

func executors(k *check, config map[string]string) []execute.Executor {
	var list []execute.Executor
	for _, p := range plugins(k, config).Executors {
		if e, registered := scripted(p); registered {
			list = append(list, e)
		}
	}
	return list
}

type instances struct {
	CurrentInstances       int    `json:"currentInstances"`
	NewInstances           int    `json:"newInstances"`
	CPUPerInstance         number `json:"cpuPerInstance"`
	MemoryPerInstanceBytes int64  `json:"memoryPerInstanceBytes"`
}

func TestExecutor(t *testing.T) {
	type input struct {
		Config                     map[string]string     `json:"config"`
		Now                        time.Time             `json:"now"`
		Topology                   topology              `json:"topology"`
		VertexMetrics              map[string]evaluation `json:"vertexMetrics"`
		GlobalMetrics              evaluation            `json:"globalMetrics"`
		ScalingHistory             map[string][]scaling  `json:"scalingHistory"`
		ScalingTracking            []restart             `json:"scalingTracking"`
		DelayedScaleDown           delayedScaleDown      `json:"delayedScaleDown"`
		StoredParallelismOverrides map[string]string     `json:"storedParallelismOverrides"`
		ResourceCheck              struct {
			Mode      string `json:"mode"`
			MaxNewTms int    `json:"maxNewTms"`
		} `json:"resourceCheck"`
	}
	type output struct {
		Error                  *failure          `json:"error"`
		Scaled                 bool              `json:"scaled"`
		RecommendedParallelism map[string]number `json:"recommendedParallelism"`
		ExpectedProcessingRate map[string]number `json:"expectedProcessingRate"`
		Events                 []event           `json:"events"`
		ResourceCheckCalls     []instances       `json:"resourceCheckCalls"`
		StateChanged           bool              `json:"stateChanged"`
		State                  storedState       `json:"state"`
	}
	replay(t, "executor", func(k *check, c recorded[input, output]) {
		o := readOptions(k, c.Input.Config)
		state := model.State{
			History: history(c.Input.ScalingHistory), Restarts: restarts(c.Input.ScalingTracking),
			Delayed: c.Input.DelayedScaleDown.model(), Overrides: c.Input.StoredParallelismOverrides,
		}
		var calls []instances
		in := execute.Input{
			Options: o, Config: c.Input.Config, Now: c.Input.Now, Topology: c.Input.Topology.model(),
			RestartTime: model.RestartTime(state.Restarts, o),
			Metrics: model.EvaluatedMetrics{
				Vertices: evaluations(c.Input.VertexMetrics), Global: c.Input.GlobalMetrics.model(),
			},
			State: state, History: state.History, Restarts: state.Restarts, Excluded: o.Excluded,
			TaskManagerMemory: memoryOf(k, c.Input.Config),
			Schedule: func(a capacity.Ask) bool {
				calls = append(calls, instances{a.Current, a.New, number(a.CPU), a.Memory})
				check := c.Input.ResourceCheck
				return check.Mode == "allow" || check.Mode == "maxNewTms" && a.New <= check.MaxNewTms
			},
		}
		got, err := execute.Decide(in, executors(k, c.Input.Config))
		c.Output.Error.compare(k, err)
		same(k, "scaled", c.Output.Scaled, got.Scaled())
		recommended, expected := map[string]number{}, map[string]number{}
		for vertex, evaluated := range got.Metrics {
			if value, set := evaluated[model.RecommendedParallelism]; set {
				recommended[vertex] = number(value.Current)
			}
			if value, set := evaluated[model.ExpectedProcessingRate]; set {
				expected[vertex] = number(value.Current)
			}
		}
		same(k, "recommended parallelism", c.Output.RecommendedParallelism, recommended)
		same(k, "expected rates", c.Output.ExpectedProcessingRate, expected)
		same(k, "calls", c.Output.ResourceCheckCalls, calls)
		sameEvents(k, c.Output.Events, got.Events)
		if c.Output.StateChanged {
			c.Output.State.compare(k, got.State)
		} else {
			same(k, "state", in.State, got.State)
		}
		same(k, "the input is left alone", c.Input.DelayedScaleDown.model(), maps.Clone(state.Delayed))
	})
}
