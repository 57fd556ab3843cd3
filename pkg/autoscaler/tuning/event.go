package tuning

import (
	"maps"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

// Event tells a user of a recommendation, whether or not it is carried out.
func Event(c model.ConfigChanges, o model.Options) model.Event {
	automatic := "disabled"
	if o.Tuning {
		automatic = "enabled"
	}
	text := "Memory tuning recommends the following configuration (automatic tuning is " + automatic + "):"
	for _, name := range slices.Sorted(maps.Keys(c.Overrides)) {
		text += "\n" + name + ": " + c.Overrides[name]
	}
	return model.Event{
		Type: model.EventNormal, Reason: model.ReasonRecommendation,
		Message: text + "\nRemove the following config entries if present: [" + strings.Join(c.Removals, ", ") + "]",
		Key:     "MemoryTuning", Suppressed: true, Interval: o.EventInterval,
	}
}
