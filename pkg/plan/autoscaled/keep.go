package autoscaled

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// MayShow reports whether a recorded spec, in its text form, may carry what an autoscaler had set. It is cheap.
func MayShow(recorded string) bool {
	return strings.Contains(recorded, key.ParallelismOverrides.Key) || strings.Contains(recorded, tuningSign)
}

// MayBeOn reports whether a configuration leaves the autoscaler on. Where it says nothing, a default of the Java
// operator may have turned it on.
func MayBeOn(c flinkconf.Config) bool {
	on, err := c.Bool(key.AutoscalerEnabled)
	return err == nil && (on || !c.Has(key.AutoscalerEnabled))
}

// Keep returns the user's spec with what the autoscaler had set in the recorded one. It is nil when there is nothing
// of it. Of config, that of the user's spec, the options of the autoscaler count. A nonce that resets the autoscaler
// gives up all that it had set.
//
//	job.autoscaler.enabled   the store is   then
//	false                    -              nothing is kept
//	not set                  Absent         nothing is kept: it was never on
//	otherwise                -              as follows
//
//	parallelism of a vertex in the recorded spec
//	the store is     the vertex is           then the parallelism is
//	-                excluded, in the spec   the spec's
//	Present          stored                  the recorded one
//	Present          not stored              the spec's
//	Absent           in the spec             the spec's
//	Absent           not in the spec         the recorded one
//	Unknown          -                       the recorded one
//
//	memory, while memory.tuning.enabled
//	the store is     then
//	Present          the options that it names, and the memory of the TaskManagers, are the recorded ones
//	otherwise        the same, with the options that the Java operator tunes, if the recorded spec shows that it did
func Keep(
	user, recorded *v1beta1.FlinkDeploymentSpec, config flinkconf.Config, store plan.Observed[Store],
) *v1beta1.FlinkDeploymentSpec {
	neverOn := !config.Has(key.AutoscalerEnabled) && store.IsAbsent()
	if user.Job == nil || recorded.Job == nil || !MayBeOn(config) || neverOn {
		return nil
	}
	if resets(user.Job.AutoscalerResetNonce, recorded.Job.AutoscalerResetNonce) {
		return nil
	}
	was, err := flinkconf.Flatten(recorded.FlinkConfiguration)
	if err != nil {
		return nil
	}
	wanted, err := flinkconf.Flatten(user.FlinkConfiguration)
	if err != nil {
		return nil
	}
	kept, wrote := *user.DeepCopy(), wanted.Clone()
	keepParallelism(wanted, was, excluded(config), store)
	if tunes, err := config.Bool(key.AutoscalerMemoryTuningEnabled); err == nil && tunes {
		keepMemory(&kept, recorded, tuned(wanted, was, store), wanted, was)
	}
	if maps.Equal(wanted, wrote) {
		return nil
	}
	content, err := json.Marshal(wanted)
	if err != nil {
		return nil
	}
	kept.FlinkConfiguration = content
	return &kept
}

func resets(wanted, recorded *int64) bool {
	return wanted != nil && (recorded == nil || *recorded != *wanted)
}

func excluded(config flinkconf.Config) []string {
	ids, err := config.List(key.AutoscalerVertexExcludeIDs)
	if err != nil {
		return nil
	}
	return ids
}

// keepParallelism follows the first table of Keep.
func keepParallelism(wanted, was flinkconf.Config, excluded []string, store plan.Observed[Store]) {
	asked, recorded := vertices(wanted.Get(key.ParallelismOverrides)), vertices(was.Get(key.ParallelismOverrides))
	stored, known := store.Get()
	result := maps.Clone(asked)
	if result == nil {
		result = map[string]string{}
	}
	for vertex, parallelism := range recorded {
		_, own := asked[vertex]
		switch {
		case own && slices.Contains(excluded, vertex), known && !stored.Vertices[vertex], own && store.IsAbsent():
			continue
		}
		result[vertex] = parallelism
	}
	switch {
	case maps.Equal(result, asked):
	case maps.Equal(result, recorded):
		wanted.Set(key.ParallelismOverrides, was.Get(key.ParallelismOverrides)) // in its own order
	default:
		wanted.Set(key.ParallelismOverrides, text(result))
	}
}

// tuningSign is the option that shows a recorded spec whose memory was tuned.
const tuningSign = "taskmanager.memory.framework.heap.size"

// tunedOptions are those that the Java operator's memory tuning sets or takes away.
var tunedOptions = []string{
	"taskmanager.memory.process.size", tuningSign, "taskmanager.memory.managed.fraction",
	"taskmanager.memory.network.min", "taskmanager.memory.network.max", "taskmanager.memory.jvm-overhead.fraction",
	"taskmanager.memory.jvm-metaspace.size", "taskmanager.memory.flink.size", "taskmanager.memory.task.heap.size",
	"taskmanager.memory.managed.size", "taskmanager.memory.size",
}

// tuned are the options that memory tuning has set or taken away. Without the store, a recorded framework heap of
// nothing shows it: nobody else sets that.
func tuned(wanted, was flinkconf.Config, store plan.Observed[Store]) []string {
	if stored, known := store.Get(); known {
		return stored.Options
	}
	if was[tuningSign] == "0 bytes" && wanted[tuningSign] == "" {
		return tunedOptions
	}
	return nil
}

// keepMemory takes the tuned options over from the recorded spec, and the memory of its TaskManagers.
func keepMemory(kept, recorded *v1beta1.FlinkDeploymentSpec, options []string, wanted, old flinkconf.Config) {
	for _, name := range options {
		if value, set := old[name]; set {
			wanted[name] = value
		} else {
			delete(wanted, name)
		}
	}
	if len(options) == 0 || kept.TaskManager == nil || recorded.TaskManager == nil {
		return
	}
	own, was := kept.TaskManager, recorded.TaskManager
	if to, from := own.Resource, was.Resource; to != nil && from != nil && to.Memory != "" {
		to.Memory = from.Memory
	}
	if to, from := own.Resources, was.Resources; to != nil && from != nil {
		keepQuantity(to.Requests, from.Requests)
		keepQuantity(to.Limits, from.Limits)
	}
}

// keepQuantity takes memory over. The tuning sets a request where the user set a limit only, too: that one is left as
// it is.
func keepQuantity(to, from map[string]v1beta1.Quantity) {
	const memory = "memory"
	if from[memory] != "" && to[memory] != "" {
		to[memory] = from[memory]
	}
}
