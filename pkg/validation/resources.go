package validation

import (
	"errors"
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/memory"
)

// Names of the resources with rules of their own.
const (
	resourceCPU    = "cpu"
	resourceMemory = "memory"
)

// component is the JobManager or the TaskManager of a cluster, as far as their rules are the same.
type component struct {
	// title is its name in messages, field its name in the spec.
	title, field string
	// old and requirements size it, in the older and in the Kubernetes way; either may be nil.
	old          *v1beta1.Resource
	requirements *v1beta1.ResourceRequirements
}

// jobManager is V7.
func (s *settings) jobManager(spec *v1beta1.FlinkDeploymentSpec) {
	c, jm := component{title: "JobManager", field: "jobManager"}, spec.JobManager
	if jm != nil {
		c.old, c.requirements = jm.Resource, jm.Resources
	}
	_, err := memory.JobManagerProcess(s.of(spec.FlinkVersion))
	s.size(c, err)
	replicas := jm.DesiredReplicas()
	switch {
	case replicas < 1:
		s.report.add(
			"jobManager.replicas", "JobManager replicas should not be configured less than one.",
			"set it to 1, or leave it out",
		)
	case replicas > 1 && !s.highlyAvailable():
		s.report.add("jobManager.replicas", "High availability should be enabled when starting standby JobManagers.",
			"set "+key.HighAvailability.Key+" to kubernetes and "+key.HAStorageDir.Key+", or use one replica")
	}
}

// taskManager is V8. The replicas of an application are V6 already.
func (s *settings) taskManager(spec *v1beta1.FlinkDeploymentSpec) {
	c := component{title: "TaskManager", field: "taskManager"}
	if tm := spec.TaskManager; tm != nil {
		c.old, c.requirements = tm.Resource, tm.Resources
	}
	_, err := memory.TaskManagerProcess(s.of(spec.FlinkVersion))
	s.size(c, err)
	if replicas := tmReplicas(spec.TaskManager); spec.IsSession() && replicas != nil && *replicas < 1 {
		s.report.add("taskManager.replicas", "TaskManager replicas should not be configured less than one.",
			"set it to 1 or more, or leave it out")
	}
}

// of is the effective configuration of a Flink version, which decides on the options that Flink reads.
func (s *settings) of(version v1beta1.FlinkVersion) flinkconf.Config {
	c := s.effective.Clone()
	c.Set(key.FlinkVersion, string(version))
	return c
}

// size finds missing memory and unreadable or impossible quantities. underivable is why Flink cannot derive the memory
// from the configuration alone; it counts when the spec gives none.
func (s *settings) size(c component, underivable error) {
	if underivable != nil && !c.givesMemory() {
		s.told[c.title] = true
		s.report.add(c.field+".resources.requests.memory", c.title+" resource memory must be defined using `"+
			s.report.at(c.field+".resource.memory")+"` or `"+s.report.at(c.field+".resources.requests.memory")+"`",
			"set the latter, or complete Flink's own memory options: "+underivable.Error())
	}
	s.report.olderResource(c)
	if c.requirements == nil {
		return
	}
	s.report.quantities(c, "requests", c.requirements.Requests)
	s.report.quantities(c, "limits", c.requirements.Limits)
	s.report.requestAboveLimit(c, resourceCPU)
	s.report.requestAboveLimit(c, resourceMemory)
}

func (c component) givesMemory() bool {
	if c.old != nil && !isBlank(c.old.Memory) {
		return true
	}
	return c.requirements != nil && (c.requirements.Requests[resourceMemory] != "" ||
		c.requirements.Limits[resourceMemory] != "")
}

// olderResource is V7b and V8b: only what cannot be read is refused.
func (r *report) olderResource(c component) {
	if c.old == nil {
		return
	}
	if text := c.old.Memory; text != "" {
		if _, _, err := flinkconf.NormalizeMemory(text); err != nil {
			r.add(c.field+".resource.memory", c.title+" resource memory parse error: "+quote(text), err.Error())
		}
	}
	if text := c.old.EphemeralStorage; text != "" {
		if _, err := v1beta1.Quantity(text).Parse(); err != nil {
			r.add(
				c.field+".resource.ephemeralStorage", c.title+" resource ephemeral storage parse error: "+quote(text),
				err.Error(),
			)
		}
	}
}

// quantities is V7c and V8c for one section.
//
//	resource | unreadable  | zero        | negative
//	memory   | parse error | must be positive | parse error
//	cpu      | parse error | must be positive | must be positive
//	others   | parse error | ok          | must not be negative
func (r *report) quantities(c component, section string, quantities map[string]v1beta1.Quantity) {
	for _, name := range slices.Sorted(maps.Keys(quantities)) {
		text := quantities[name]
		if text == "" {
			continue
		}
		field := c.field + ".resources." + section + "." + name
		subject := c.title + " resource requirements " + section + " " + cut(name, maxQuoted)
		sign, err := quantitySign(name, text)
		switch {
		case err != nil:
			r.add(field, subject+" parse error: "+quote(string(text)), err.Error())
		case sign <= 0 && (name == resourceCPU || name == resourceMemory):
			r.add(field, subject+" must be positive: "+cut(string(text), maxQuoted), "set it to more than 0")
		case sign < 0:
			r.add(field, subject+" must not be negative: "+cut(string(text), maxQuoted), "set it to 0 or more")
		}
	}
}

// quantitySign is -1, 0 or 1. Memory is read as Flink and the operator read it, everything else as Kubernetes does.
func quantitySign(name string, text v1beta1.Quantity) (int, error) {
	if name == resourceMemory {
		_, bytes, err := flinkconf.NormalizeMemory(string(text))
		return int(min(bytes, 1)), err
	}
	quantity, err := text.Parse()
	return quantity.Sign(), err
}

// requestAboveLimit refuses a request that is larger than its limit. What cannot be read has its finding already.
func (r *report) requestAboveLimit(c component, name string) {
	request, limit := c.requirements.Requests[name], c.requirements.Limits[name]
	if request == "" || limit == "" {
		return
	}
	above, err := isAbove(name, request, limit)
	if err == nil && above {
		r.add(c.field+".resources.requests."+name,
			c.title+" resource requirements "+name+" request ("+cut(string(request), maxQuoted)+
				") must not exceed its limit ("+cut(string(limit), maxQuoted)+")", "lower the request or raise the limit")
	}
}

func isAbove(name string, request, limit v1beta1.Quantity) (bool, error) {
	if name == resourceMemory {
		_, requested, requestErr := flinkconf.NormalizeMemory(string(request))
		_, limited, limitErr := flinkconf.NormalizeMemory(string(limit))
		return requested > limited, errors.Join(requestErr, limitErr)
	}
	var parsed [2]resource.Quantity
	var errs [2]error
	parsed[0], errs[0] = request.Parse()
	parsed[1], errs[1] = limit.Parse()
	return parsed[0].Cmp(parsed[1]) > 0, errors.Join(errs[:]...)
}

func decimal(n int) string { return strconv.Itoa(n) }
