package preview

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// Needs says why a resource with a job needs the state at a path, by the rule by which the operator keeps data; empty
// when it does not. A resource that cannot be read needs each path that it mentions.
func Needs(object *unstructured.Unstructured) func(path string) string {
	var read struct {
		Spec struct {
			Job      *v1beta1.JobSpec `json:"job"`
			Template struct {
				Spec struct {
					Job *v1beta1.JobSpec `json:"job"`
				} `json:"spec"`
			} `json:"template"`
		} `json:"spec"`
		Status struct {
			JobStatus v1beta1.JobStatus `json:"jobStatus"`
			Intent    *v1beta1.Intent   `json:"intent"`
		} `json:"status"`
	}
	name := object.GetName()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{
		"spec": object.Object["spec"], "status": object.Object["status"],
	}, &read); err != nil {
		text, err := object.MarshalJSON()
		return func(path string) string {
			if path != "" && (err != nil || snapshots.Mentions(string(text), path)) {
				return name + " mentions it, and cannot be read"
			}
			return ""
		}
	}
	wanted := read.Spec.Job
	if wanted == nil {
		wanted = read.Spec.Template.Spec.Job
	}
	from := read.Status.JobStatus.StartedFrom
	reader := snapshots.Reader{Wanted: wanted, Status: read.Status.JobStatus, Intent: read.Status.Intent}
	return func(path string) string {
		switch {
		case path == "":
		case from != nil && from.Path != "" && snapshots.SameFiles(from.Path, path):
			return "the job of " + name + " was started from it"
		case reader.Reads(path):
			return "the job of " + name + " may start from it"
		}
		return ""
	}
}
