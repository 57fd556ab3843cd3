package autoscaled

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/autoscaler"
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

// Keep returns the user's spec with what the autoscaler has set: what it stored or, where nobody knows that, what the
// recorded spec has of it. It is nil when there is nothing of it. Of config, that of the user's spec, the options of
// the autoscaler count. A nonce that resets the autoscaler gives up all that it had set.
//
//	job.autoscaler.enabled   the store is   then
//	false                    -              nothing is kept
//	not set                  Absent         nothing is kept: it was never on
//	otherwise                -              as follows
//
//	parallelism of a vertex, which the store and the recorded spec may have
//	the store is     the vertex is           then the parallelism is
//	-                excluded, in the spec   the spec's
//	Present          stored                  the stored one
//	Present          not stored              the spec's
//	Absent           in the spec             the spec's
//	Absent           not in the spec         the recorded one
//	Unknown          -                       the recorded one
//
//	memory, while memory.tuning.enabled
//	the store is                       then the options that it names, and the memory of the TaskManagers, are
//	Present, and recorded is the same  the recorded ones
//	Present, and recorded is other     as it says
//	otherwise                          the recorded ones, with the options that the Java operator tunes, if these show
//	                                   that it did
//
// A store whose parallelism cannot be read is Unknown.
func Keep(
	user, recorded *v1beta1.FlinkDeploymentSpec, config flinkconf.Config, store plan.Observed[Store],
) *v1beta1.FlinkDeploymentSpec {
	neverOn := !config.Has(key.AutoscalerEnabled) && store.IsAbsent()
	if user.Job == nil || recorded.Job == nil || !MayBeOn(config) || neverOn {
		return nil
	}
	if Resets(user, recorded) {
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
	if stored, known := store.Get(); known && stored.Problem() != "" {
		store = plan.Unknown[Store](stored.Problem())
	}
	kept, wrote := *user.DeepCopy(), wanted.Clone()
	k := keeping{store: store, config: config, wanted: wanted, was: was}
	k.parallelism()
	if tunes, err := config.Bool(key.AutoscalerMemoryTuningEnabled); err == nil && tunes {
		k.memory(&kept, recorded)
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

// Resets reports whether a spec resets the autoscaler: it has another nonce than the recorded one.
func Resets(user, recorded *v1beta1.FlinkDeploymentSpec) bool {
	return user.Job != nil && recorded.Job != nil &&
		resets(user.Job.AutoscalerResetNonce, recorded.Job.AutoscalerResetNonce)
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

// keeping lays what the autoscaler has set over a configuration.
type keeping struct {
	store plan.Observed[Store]
	// config is that of the user's spec with its defaults.
	config flinkconf.Config
	// wanted is the user's own, which is changed; was is the recorded one.
	wanted, was flinkconf.Config
}

// parallelism follows the first table of Keep. A text that says the same is used again, so that another order is
// no change.
func (k keeping) parallelism() {
	wanted, was, store, excluded := k.wanted, k.was, k.store, excluded(k.config)
	asked, recorded := vertices(wanted.Get(key.ParallelismOverrides)), vertices(was.Get(key.ParallelismOverrides))
	result := maps.Clone(asked)
	if result == nil {
		result = map[string]string{}
	}
	if stored, known := store.Get(); known {
		recorded = stored.Parallelism()
	}
	for vertex, parallelism := range recorded {
		_, own := asked[vertex]
		if own && (slices.Contains(excluded, vertex) || store.IsAbsent()) {
			continue
		}
		result[vertex] = parallelism
	}
	if !maps.Equal(result, asked) {
		wanted.Set(key.ParallelismOverrides, autoscaler.ParallelismText(result, was.Get(key.ParallelismOverrides)))
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
		return stored.options()
	}
	if was[tuningSign] == "0 bytes" && wanted[tuningSign] == "" {
		return tunedOptions
	}
	return nil
}

// memory follows the second table of Keep.
func (k keeping) memory(kept, recorded *v1beta1.FlinkDeploymentSpec) {
	wanted, was, store := k.wanted, k.was, k.store
	stored, known := store.Get()
	if known && !stored.isIn(was) {
		if changes := stored.Changes(); len(changes.Overrides) > 0 {
			autoscaler.Tune(wanted, changes)
			now := memoryOf(kept.TaskManager, k.config)
			autoscaler.SetMemory(kept.TaskManager, now, autoscaler.TunedMemory(wanted, now))
		}
		return
	}
	options := tuned(wanted, was, store)
	for _, name := range options {
		if value, set := was[name]; set {
			wanted[name] = value
		} else {
			delete(wanted, name)
		}
	}
	if len(options) == 0 || kept.TaskManager == nil || recorded.TaskManager == nil {
		return
	}
	own, old := kept.TaskManager, recorded.TaskManager
	if to, from := own.Resource, old.Resource; to != nil && from != nil && to.Memory != "" {
		to.Memory = from.Memory
	}
	if to, from := own.Resources, old.Resources; to != nil && from != nil {
		keepQuantity(to.Requests, from.Requests)
		keepQuantity(to.Limits, from.Limits)
	}
}

// memoryOf is the memory of a TaskManager process, in bytes, as its spec says, else the configuration. 0 is not known.
func memoryOf(s *v1beta1.TaskManagerSpec, config flinkconf.Config) int64 {
	const memory = "memory"
	var text v1beta1.Quantity
	if s != nil && s.Resources != nil {
		text = cmp.Or(s.Resources.Requests[memory], s.Resources.Limits[memory])
	}
	if text == "" && s != nil && s.Resource != nil {
		text = v1beta1.Quantity(s.Resource.Memory)
	}
	if _, bytes, err := flinkconf.NormalizeMemory(string(text)); text != "" && err == nil {
		return bytes
	}
	if bytes, err := config.Memory(key.TaskManagerProcessMemory); err == nil && config.Has(key.TaskManagerProcessMemory) {
		return bytes
	}
	return 0
}

// keepQuantity takes memory over. The tuning sets a request where the user set a limit only, too: that one is left as
// it is.
func keepQuantity(to, from map[string]v1beta1.Quantity) {
	const memory = "memory"
	if from[memory] != "" && to[memory] != "" {
		to[memory] = from[memory]
	}
}
