package flinkconf

import (
	"encoding/json"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/redact"
)

// Secrets are the values of a FlinkDeployment that must not be told: those of the operator's configuration, and those
// of specs in the configuration, the arguments and addresses of the job, log configurations, annotations of the
// Ingress, and pod templates. Nil specs count for nothing.
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
		configs = append(configs, spec.LogConfiguration)
		if spec.Ingress != nil {
			configs = append(configs, spec.Ingress.Annotations)
		}
		if job := spec.Job; job != nil {
			args = append(args, job.Args, []string{job.JarURI, job.InitialSavepointPath})
		}
		for _, t := range templates(spec) {
			if t != nil {
				told, commands := podSecrets(t.PodTemplateSpec)
				configs, args = append(configs, told...), append(args, commands...)
			}
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
		specs = append(specs, SpecsOf(j)...)
	}
	return Secrets(o, specs...)
}

// SpecsOf are the spec of a session job and those that its status records, with what they say of the job where a
// FlinkDeployment says it.
func SpecsOf(j *v1beta1.FlinkSessionJob) []*v1beta1.FlinkDeploymentSpec {
	recorded := j.Status.ReconciliationStatus
	specs := []*v1beta1.FlinkDeploymentSpec{j.Spec.AsDeployment()}
	for _, text := range []string{recorded.LastReconciledSpec, recorded.LastStableSpec} {
		if r, err := v1beta1.ParseReconciledSessionJob(text); err == nil {
			specs = append(specs, r.Spec.AsDeployment())
		}
	}
	return specs
}

// SecretsIn are the secrets of a resource of one of our kinds, as JSON, and of more addresses. What cannot be read
// of it has none.
func SecretsIn(kind string, resource []byte, addresses ...string) redact.Secrets {
	var content map[string]any
	var specs []*v1beta1.FlinkDeploymentSpec
	if json.Unmarshal(resource, &content) == nil {
		if k, known := kinds.Of(kind); known {
			found, more := k.Specs(content)
			specs, addresses = append(specs, found...), append(addresses, more...)
		}
	}
	more := &v1beta1.FlinkDeploymentSpec{Job: &v1beta1.JobSpec{Args: addresses}}
	return Secrets(Operator{}, append(specs, more)...)
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
