package plugin

import (
	"fmt"
	"slices"
	"strings"

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
	// Own are the plug-in's own options.
	Own conf.Config
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

// Told are the settings that a plug-in outside is told of: the options of the autoscaler, and over them its own. The
// rest of a job's configuration may be secret.
func (p Plugin) Told() conf.Config {
	told := conf.Config{}
	for name, text := range p.Settings {
		if strings.HasPrefix(strings.TrimPrefix(name, key.OperatorPrefix), key.AutoscalerPrefix) {
			told[name] = text
		}
	}
	return told.Merge(p.Own)
}

// Alignment is the alignment mode of a name. It is absent when it has no class.
func Alignment(c conf.Config, name string) (Plugin, bool) {
	found := named(c, []string{name}, key.AlignmentModePrefix)
	if len(found) == 0 {
		return Plugin{}, false
	}
	return found[0], true
}

// Unknown says of each plug-in that a job names, and that cannot be asked, why: one sentence each. alignment is the
// name of an alignment mode of the user's own; empty is none.
func Unknown(c conf.Config, alignment string, hasAddress func(class string) bool) []string {
	evaluators, _ := c.List(key.AutoscalerCustomEvaluators) // validation says what cannot be read
	executors, _ := c.List(key.AutoscalerCustomExecutors)
	var told []string
	for _, option := range []struct {
		conf.Option
		prefix string
		names  []string
	}{
		{key.AutoscalerCustomEvaluators, key.CustomEvaluatorPrefix, evaluators},
		{key.AutoscalerCustomExecutors, key.CustomExecutorPrefix, executors},
		{key.AutoscalerAlignmentMode, key.AlignmentModePrefix, []string{alignment}},
	} {
		for _, name := range option.names {
			switch found := named(c, []string{name}, option.prefix); {
			case name == "":
			case len(found) == 0:
				told = append(told, option.Key+" names "+name+", and option "+option.prefix+name+".class is not set")
			case !hasAddress(found[0].Class):
				told = append(told, fmt.Sprintf(
					"%s names %s, and the operator has no address of class %s (%s<name>.class and .url)",
					option.Key, name, found[0].Class, key.ScalingPluginPrefix,
				))
			}
		}
	}
	return told
}

func named(c conf.Config, names []string, prefix string) []Plugin {
	var found []Plugin
	for i, name := range names {
		own := c.WithPrefix(key.OperatorPrefix + prefix + name + ".").Merge(c.WithPrefix(prefix + name + "."))
		if own["class"] == "" || slices.Contains(names[:i], name) {
			continue
		}
		found = append(found, Plugin{Name: name, Class: own["class"], Settings: c.Merge(own), Own: own})
	}
	return found
}
