package plugin

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// Plugin is one plug-in that a job names.
type Plugin struct {
	// Name is that of the option's list, or the alignment mode.
	Name string
	// Class is the text of its option class: what the Java autoscaler finds it by. It is never empty.
	Class string
	// Settings are the job's configuration with the plug-in's own options laid over it, their prefix cut off.
	Settings conf.Config
}

// Plugins are all that a job names. One without a class counts as not named.
type Plugins struct {
	// Evaluators are the metric evaluators: the first one that is named, or none.
	Evaluators []Plugin
	// Executors are the scaling executors in the order of the option, each once.
	Executors []Plugin
}

// Read reads the plug-ins of a job. The error is that of a list that cannot be read.
//
//	plug-in     option                        those that count
//	evaluator   metrics.custom-evaluators     the first
//	executor    scaling.custom-executors      all, each once
func Read(c conf.Config) (Plugins, error) {
	evaluators, err := c.List(key.AutoscalerCustomEvaluators)
	if err != nil {
		return Plugins{}, err
	}
	executors, err := c.List(key.AutoscalerCustomExecutors)
	if err != nil {
		return Plugins{}, err
	}
	return Plugins{
		Evaluators: named(c, evaluators[:min(1, len(evaluators))], key.CustomEvaluatorPrefix),
		Executors:  named(c, executors, key.CustomExecutorPrefix),
	}, nil
}

// Alignment is the alignment mode of a name. It is absent when it has no class.
func Alignment(c conf.Config, name string) (Plugin, bool) {
	found := named(c, []string{name}, key.AlignmentModePrefix)
	if len(found) == 0 {
		return Plugin{}, false
	}
	return found[0], true
}

func named(c conf.Config, names []string, prefix string) []Plugin {
	var found []Plugin
	for i, name := range names {
		own := c.WithPrefix(key.OperatorPrefix + prefix + name + ".").Merge(c.WithPrefix(prefix + name + "."))
		if own["class"] == "" || slices.Contains(names[:i], name) {
			continue
		}
		found = append(found, Plugin{Name: name, Class: own["class"], Settings: c.Merge(own)})
	}
	return found
}
