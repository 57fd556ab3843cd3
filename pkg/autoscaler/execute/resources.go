package execute

import (
	"github.com/kn-flink/kn-flink/pkg/autoscaler/capacity"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// memoryPressure is the event for TaskManagers that lack memory, nil when they do not. What was not measured is no
// pressure.
//
//	time in garbage collection now   heap used over the window   then
//	above its threshold              -                           pressure
//	at most                          above its threshold         pressure
func (in Input) memoryPressure() *model.Event {
	press := func(what string, value float64, name string) *model.Event {
		return &model.Event{
			Type: model.EventNormal, Reason: model.ReasonMemoryPressure,
			Message: what + " " + syntax.FormatFloat(value) + " is above the allowed limit for scaling operations. " +
				"Please adjust the available memory manually.",
			Key: name, Suppressed: true, Interval: in.Options.EventInterval,
		}
	}
	if gc := in.Metrics.Global.Current(model.GCPressure); gc > in.Options.GCPressure {
		return press("GC Pressure", gc, "gcPressure")
	}
	if heap := in.Metrics.Global.Average(model.HeapUsageRatio); heap > in.Options.HeapUsage {
		return press("Heap Usage", heap, "heapUsage")
	}
	return nil
}

// resources fits the memory to the changes that are carried out, and asks whether there is room for the new
// TaskManagers.
//
//	room   quota   outcome
//	no     -       NoClusterCapacity
//	yes    over    ResourceQuotaReached
//	yes    kept    Ready
func (in Input) resources(p *Proposal, changes []Change) error {
	if err := in.tune(p, changes); err != nil {
		return err
	}
	memory := in.TaskManagerMemory
	if p.Tuning != nil && in.Options.Tuning {
		tuned, err := syntax.ParseMemory(p.Tuning.Overrides[key.TaskManagerProcessMemory.Key])
		if err != nil {
			return err
		}
		memory = tuned
	}
	switch {
	case !in.hasRoom(changes, memory):
		p.Outcome = OutcomeNoRoom
	case in.overQuota(changes, memory):
		p.Outcome = OutcomeQuota
		p.Events = append(p.Events, model.Event{
			Type: model.EventWarning, Reason: model.ReasonQuotaReached,
			Message: "Resource usage is above the allowed limit for scaling operations. Please adjust the resource quota " +
				"manually.",
			Suppressed: true, Interval: in.Options.EventInterval,
		})
	default:
		p.Outcome = OutcomeReady
	}
	return nil
}

// hasRoom asks for the room of the cluster, where CPU and memory of a TaskManager are known.
func (in Input) hasRoom(changes []Change, memory int64) bool {
	if in.Schedule == nil || in.Options.TaskManagerCPU <= 0 || memory <= 0 {
		return true
	}
	used, measured := in.Metrics.Global[model.TaskSlotsUsed]
	if !measured {
		return false
	}
	slots := in.Options.SlotsPerTaskManager
	return in.Schedule(capacity.Ask{
		Current: model.TaskManagers(model.Int(used.Current), slots),
		New:     model.TaskManagers(model.Slots(in.Topology, changed(changes), used.Current), slots),
		CPU:     in.Options.TaskManagerCPU, Memory: memory,
	})
}

// overQuota reports whether the new TaskManagers use more than the quota. As in the Java autoscaler only groups whose
// vertices change count, TaskManagers are rounded down, and a job that shrinks is never held back.
func (in Input) overQuota(carried []Change, memory int64) bool {
	groups := in.Topology.SlotSharingGroups()
	if len(groups) == 0 || !in.Options.HasQuotaCPU && !in.Options.HasQuotaMemory {
		return false
	}
	changes := make(map[string]Change, len(carried))
	for _, c := range carried {
		changes[c.Vertex] = c
	}
	before, after := 0, 0
	for _, vertices := range groups {
		current, wanted := 0, 0
		for _, vertex := range vertices {
			current, wanted = max(current, changes[vertex].Current), max(wanted, changes[vertex].New)
		}
		before, after = before+current, after+wanted
	}
	slots := max(1, in.Options.SlotsPerTaskManager)
	before, after = before/slots, after/slots
	if after <= before {
		return false
	}
	return in.Options.HasQuotaCPU && in.Options.TaskManagerCPU*float64(after) > in.Options.QuotaCPU ||
		in.Options.HasQuotaMemory && float64(memory)*float64(after) > float64(in.Options.QuotaMemory)
}
