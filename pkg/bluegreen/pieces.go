package bluegreen

import (
	"encoding/json"
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen/handover"
)

// childSpec is the spec of a side: that of the template with the path that it starts from, and with hosts of its own.
func childSpec(text, path string, colour v1beta1.BlueGreenType) (map[string]any, error) {
	content, err := contentOf(text)
	if err != nil {
		return nil, err
	}
	spec, _, err := unstructured.NestedMap(content, "spec", "template", "spec")
	if err != nil {
		return nil, err
	}
	if job, is := spec["job"].(map[string]any); is {
		delete(job, "initialSavepointPath")
		if path != "" {
			job["initialSavepointPath"] = path
		}
	}
	if ingress, is := spec["ingress"].(map[string]any); is {
		if template, _ := ingress["template"].(string); template != "" {
			ingress["template"] = strings.ToLower(string(colour)) + "-" + template
		}
	}
	return spec, nil
}

// piece is one resource of a side: its kind, and its spec.
type piece struct {
	kind string
	spec map[string]any
}

// pieces are the resources of a side: the FlinkDeployment of the template, or a session cluster and the job on it. The
// job that something moves to does not run yet.
func (v *view) pieces(t v1beta1.BlueGreenTransition, path string, split bool) ([]piece, error) {
	spec, err := childSpec(t.Spec, path, t.Target)
	if err != nil || !split {
		return []piece{{v1beta1.KindFlinkDeployment, spec}}, err
	}
	d, specErr, err := v1beta1.DecodeDeployment(map[string]any{"spec": spec})
	if err = errors.Join(err, specErr); err != nil {
		return nil, err
	}
	defaults := v.Operator.Default(v.Resource.Namespace, d.Spec.FlinkVersion)
	parts, err := handover.Split(v.name(t.Target), &d.Spec, defaults)
	if err != nil {
		return nil, err
	}
	if t.Handover == nil || t.Step == v1beta1.BlueGreenPatch {
		parts.Job.Job.State, parts.Job.Job.InitialSavepointPath = d.Spec.Job.State, path
	}
	cluster, err := untyped(parts.Cluster)
	if err != nil {
		return nil, err
	}
	job, err := untyped(parts.Job)
	return []piece{{v1beta1.KindFlinkDeployment, cluster}, {v1beta1.KindFlinkSessionJob, job}}, err
}

// untyped is a spec as the content of a resource.
func untyped(spec any) (map[string]any, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	return contentOf(string(text))
}
