package flinkconf

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/redact"
)

// Secrets are the values of a FlinkDeployment that must not be told: those of the operator's configuration, of the configuration and the
// job arguments of specs, and of environment variables in their pod templates. Nil specs count for nothing.
func Secrets(o Operator, specs ...*v1beta1.FlinkDeploymentSpec) redact.Secrets {
	configs, args := []map[string]string{o.base}, [][]string{}
	for _, spec := range specs {
		if spec == nil {
			continue
		}
		if flat, err := Flatten(spec.FlinkConfiguration); err == nil { // validation reports one that cannot be read, without its text
			configs = append(configs, flat)
		}
		if spec.Job != nil {
			args = append(args, spec.Job.Args)
		}
		configs = append(configs, environment(templates(spec)))
	}
	return redact.Known(configs, args...)
}

// templates are the pod templates of a spec; some may be nil.
func templates(spec *v1beta1.FlinkDeploymentSpec) []*v1beta1.PodTemplate {
	all := []*v1beta1.PodTemplate{spec.PodTemplate}
	if spec.JobManager != nil {
		all = append(all, spec.JobManager.PodTemplate)
	}
	if spec.TaskManager != nil {
		all = append(all, spec.TaskManager.PodTemplate)
	}
	return all
}

// environment are the variables with a value in the templates' containers. Of several with one name, the last counts, unless it is empty.
func environment(templates []*v1beta1.PodTemplate) map[string]string {
	values := map[string]string{}
	for _, t := range templates {
		if t == nil {
			continue
		}
		for _, containers := range [][]corev1.Container{t.Spec.InitContainers, t.Spec.Containers} {
			for _, c := range containers {
				for _, e := range c.Env {
					if e.Value != "" {
						values[c.Name+"."+e.Name] = e.Value
					}
				}
			}
		}
	}
	return values
}
