package flinkconf

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// Names of the pod template files in the configuration. The Java operator writes such files; here they only say that a
// template exists. Flink inside the cluster does not open them.
const (
	jobManagerTemplateFile  = "/tmp/flink_op_generated_podTemplate_1.yaml"
	taskManagerTemplateFile = "/tmp/flink_op_generated_podTemplate_2.yaml"
)

// applyPodTemplates names a template file for each side that has a template.
//
//	side        | has a template when one of these is there
//	------------+-----------------------------------------------------------------------------------------------
//	JobManager  | spec.podTemplate, jobManager.podTemplate, a resource besides cpu and memory, the startup probe
//	TaskManager | spec.podTemplate, taskManager.podTemplate, a resource besides cpu and memory
func applyPodTemplates(c Config, spec *v1beta1.FlinkDeploymentSpec) error {
	probe, err := c.Bool(key.JMStartupProbeEnabled)
	if err != nil {
		return err
	}
	jm := spec.PodTemplate != nil || probe
	if s := spec.JobManager; s != nil {
		jm = jm || s.PodTemplate != nil || hasOtherResources(s.Resources, s.Resource)
	}
	tm := spec.PodTemplate != nil
	if s := spec.TaskManager; s != nil {
		tm = tm || s.PodTemplate != nil || hasOtherResources(s.Resources, s.Resource)
	}
	if jm {
		c.Set(key.JobManagerPodTemplateFile, jobManagerTemplateFile)
	}
	if tm {
		c.Set(key.TaskManagerPodTemplateFile, taskManagerTemplateFile)
	}
	return nil
}

// hasOtherResources tells whether something besides cpu and memory is sized, which only a pod template can carry.
func hasOtherResources(resources *v1beta1.ResourceRequirements, legacy *v1beta1.Resource) bool {
	if !resources.IsUsable() {
		return legacy != nil && !blank(legacy.EphemeralStorage)
	}
	for _, section := range []map[string]v1beta1.Quantity{resources.Requests, resources.Limits} {
		for name := range section {
			if name != "cpu" && name != "memory" {
				return true
			}
		}
	}
	return false
}
