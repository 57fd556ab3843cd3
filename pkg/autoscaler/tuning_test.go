package autoscaler_test

import (
	"slices"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/capacity"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/tuning"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// memoryOf is the memory of a TaskManager that the recordings give the autoscaler besides the configuration.
func memoryOf(k *check, config map[string]string) int64 {
	bytes, err := conf.Config(config).Memory(key.TaskManagerProcessMemory)
	if err != nil {
		k.fatalf("%v", err)
	}
	return bytes
}

func TestMemoryTuning(t *testing.T) {
	type input struct {
		Config           map[string]string `json:"config"`
		Topology         topology          `json:"topology"`
		ScalingSummaries map[string]struct {
			NewParallelism int `json:"newParallelism"`
		} `json:"scalingSummaries"`
		GlobalMetrics evaluation `json:"globalMetrics"`
	}
	type output struct {
		Error     *failure          `json:"error"`
		Overrides map[string]string `json:"overrides"`
		Removals  []string          `json:"removals"`
		Events    []event           `json:"events"`
	}
	replay(t, "memory_tuning", func(k *check, c recorded[input, output]) {
		in := tuning.Input{
			Options: readOptions(k, c.Input.Config), Config: c.Input.Config, Memory: memoryOf(k, c.Input.Config),
			Topology: c.Input.Topology.model(), Changed: map[string]int{}, Global: c.Input.GlobalMetrics.model(),
		}
		for vertex, summary := range c.Input.ScalingSummaries {
			in.Changed[vertex] = summary.NewParallelism
		}
		got, err := tuning.Recommend(in)
		if c.Output.Error.compare(k, err) {
			return
		}
		var events []model.Event
		var changes model.ConfigChanges
		if got != nil {
			events = append(events, tuning.Event(*got, in.Options))
			if in.Options.Tuning {
				changes = *got
			}
		}
		same(k, "overrides", c.Output.Overrides, changes.Overrides)
		same(k, "removals", sortedList(c.Output.Removals), sortedList(changes.Removals))
		sameEvents(k, c.Output.Events, events)
	})
}

func TestClusterView(t *testing.T) {
	type input struct {
		Nodes []struct {
			Name                   string `json:"name"`
			AllocatableCPU         number `json:"allocatableCpu"`
			UsedCPU                number `json:"usedCpu"`
			AllocatableMemoryBytes number `json:"allocatableMemoryBytes"`
			UsedMemoryBytes        number `json:"usedMemoryBytes"`
		} `json:"nodes"`
		Calls []struct {
			CurrentInstances       int    `json:"currentInstances"`
			NewInstances           int    `json:"newInstances"`
			CPUPerInstance         number `json:"cpuPerInstance"`
			MemoryPerInstanceBytes int64  `json:"memoryPerInstanceBytes"`
		} `json:"calls"`
	}
	type nodeAfter struct {
		Name           string `json:"name"`
		CPUReserved    number `json:"cpuReserved"`
		CPUPending     number `json:"cpuPending"`
		MemoryReserved number `json:"memoryReserved"`
		MemoryPending  number `json:"memoryPending"`
	}
	type output struct {
		Results []struct {
			Scheduled bool        `json:"scheduled"`
			Nodes     []nodeAfter `json:"nodes"`
		} `json:"results"`
	}
	replay(t, "cluster_view", func(k *check, c recorded[input, output]) {
		var view capacity.View
		for _, n := range c.Input.Nodes {
			view.Nodes = append(view.Nodes, capacity.Node{
				Name:   n.Name,
				CPU:    capacity.Resource{Allocatable: float64(n.AllocatableCPU), Used: float64(n.UsedCPU)},
				Memory: capacity.Resource{Allocatable: float64(n.AllocatableMemoryBytes), Used: float64(n.UsedMemoryBytes)},
			})
		}
		for i, call := range c.Input.Calls {
			got := view.Schedule(capacity.Ask{
				Current: call.CurrentInstances, New: call.NewInstances, CPU: float64(call.CPUPerInstance),
				Memory: call.MemoryPerInstanceBytes,
			})
			same(k, "scheduled", c.Output.Results[i].Scheduled, got)
			var after []nodeAfter
			for _, n := range view.Nodes {
				after = append(after, nodeAfter{
					n.Name, number(n.CPU.Reserved), number(n.CPU.Pending), number(n.Memory.Reserved), number(n.Memory.Pending),
				})
			}
			same(k, "nodes", slices.Clone(c.Output.Results[i].Nodes), after)
		}
	})
}
