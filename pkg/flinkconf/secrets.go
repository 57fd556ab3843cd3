package flinkconf

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/redact"
)

// Secrets are the values of a FlinkDeployment that must not be told: those of the operator's configuration, of the
// configuration and the job arguments of specs, and of environment variables in their pod templates. Nil specs count
// for nothing.
func Secrets(o Operator, specs ...*v1beta1.FlinkDeploymentSpec) redact.Secrets {
	configs, args := []map[string]string{o.base}, [][]string{}
	for _, spec := range specs {
		if spec == nil {
			continue
		}
		// validation reports one that cannot be read, without its text
		if flat, err := Flatten(spec.FlinkConfiguration); err == nil {
			configs = append(configs, flat)
		}
		if spec.Job != nil {
			args = append(args, spec.Job.Args)
		}
		for _, t := range templates(spec) {
			configs = append(configs, environment(t))
		}
	}
	return redact.Known(configs, args...)
}

// SecretsOf are the Secrets of a FlinkDeployment and of a session job on it, with those of the specs that their status
// records. Either may be nil.
func SecretsOf(o Operator, d *v1beta1.FlinkDeployment, j *v1beta1.FlinkSessionJob) redact.Secrets {
	var specs []*v1beta1.FlinkDeploymentSpec
	if d != nil {
		recorded := d.Status.ReconciliationStatus
		specs = append(specs, &d.Spec)
		for _, text := range []string{recorded.LastReconciledSpec, recorded.LastStableSpec} {
			if r, err := v1beta1.ParseReconciledDeployment(text); err == nil {
				specs = append(specs, &r.Spec)
			}
		}
	}
	if j != nil {
		recorded := j.Status.ReconciliationStatus
		jobs := []*v1beta1.FlinkSessionJobSpec{&j.Spec}
		for _, text := range []string{recorded.LastReconciledSpec, recorded.LastStableSpec} {
			if r, err := v1beta1.ParseReconciledSessionJob(text); err == nil {
				jobs = append(jobs, &r.Spec)
			}
		}
		for _, job := range jobs {
			specs = append(specs, &v1beta1.FlinkDeploymentSpec{FlinkConfiguration: job.FlinkConfiguration, Job: job.Job})
		}
	}
	return Secrets(o, specs...)
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

// environment are the variables with a value in a template's containers. Of several with one name, the last counts,
// unless it is empty.
func environment(t *v1beta1.PodTemplate) map[string]string {
	values := map[string]string{}
	if t == nil {
		return values
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
	return values
}
