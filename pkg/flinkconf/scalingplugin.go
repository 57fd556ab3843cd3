package flinkconf

import (
	"fmt"
	"strconv"
	"time"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// ScalingPlugin is a plug-in of the job autoscaler: any address that answers questions of package
// autoscaler/plugin. Jobs name plug-ins by their class.
type ScalingPlugin struct {
	// Name is that in the keys of its settings.
	Name string
	// Class is what jobs name it by, and what the Java autoscaler finds it by.
	Class string
	// URL is where it is asked.
	URL string
	// Timeout bounds one question.
	Timeout time.Duration
	// Priority orders executors, the lowest first.
	Priority int
}

// ScalingPlugins are those that the base configuration names, by their class, and what is wrong with their settings,
// one sentence each. Of two with one class the first by name counts.
//
//	<prefix><name>.url        where it is asked, http or https; required
//	<prefix><name>.class      what options of jobs name it by; required
//	<prefix><name>.timeout    5 s, of 10 s at the most
//	<prefix><name>.priority   0: among executors, the lowest is asked first
func (o Operator) ScalingPlugins() (map[string]ScalingPlugin, []string) {
	var all []*ScalingPlugin
	wrong := o.addressed(key.ScalingPluginPrefix, func(name string) setter {
		all = append(all, &ScalingPlugin{Name: name, Timeout: defaultTimeout})
		return all[len(all)-1]
	})
	byClass := make(map[string]ScalingPlugin, len(all))
	for _, p := range all {
		option := "option " + key.ScalingPluginPrefix + p.Name + ".class"
		switch other, taken := byClass[p.Class]; {
		case p.Class == "":
			wrong = append(wrong, option+" is not set: jobs name the plug-in by it")
		case taken:
			wrong = append(wrong, fmt.Sprintf("%s: %s is the class of plug-in %s", option, p.Class, other.Name))
		case p.URL != "":
			byClass[p.Class] = *p
		}
	}
	return byClass, wrong
}

func (p *ScalingPlugin) set(parameter, text string) (err error) {
	switch parameter {
	case "url":
		p.URL, err = address(text)
	case "class":
		p.Class = text
	case "timeout":
		p.Timeout, err = questionTime(text)
	case "priority":
		if p.Priority, err = strconv.Atoi(text); err != nil {
			return fmt.Errorf("%q is no whole number", text)
		}
	default:
		return fmt.Errorf("there is no such parameter")
	}
	return err
}
