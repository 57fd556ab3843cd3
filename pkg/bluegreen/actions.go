package bluegreen

import (
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
	"github.com/kn-flink/kn-flink/pkg/plan/running"
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

// labels of a side: those of the resource, so that a selector of the installation finds both, and the colour.
func (v *view) labels(colour v1beta1.BlueGreenType) map[string]string {
	labels := maps.Clone(v.Resource.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[v1beta1.LabelBlueGreenType] = string(colour)
	return labels
}

// creation creates the target of a transition.
func (v *view) creation(t v1beta1.BlueGreenTransition) (plan.Action, error) {
	spec, err := childSpec(t.Spec, t.Path, t.Target)
	if err != nil {
		return nil, err
	}
	r, labels := v.Resource, map[string]any{}
	for name, value := range v.labels(t.Target) {
		labels[name] = value
	}
	return plan.CreateSide{
		Namespace: r.Namespace, Name: v.name(t.Target), Operation: t.OperationID,
		Content: map[string]any{
			"apiVersion": v1beta1.APIVersion, "kind": v1beta1.KindFlinkDeployment,
			"metadata": map[string]any{
				"namespace": r.Namespace, "name": v.name(t.Target), "labels": labels,
				"annotations": map[string]any{
					v1beta1.AnnotationSideOperation: t.OperationID, v1beta1.AnnotationSideSpec: t.SpecHash,
				},
				"ownerReferences": []any{map[string]any{
					"apiVersion": v1beta1.APIVersion, "kind": v1beta1.KindFlinkBlueGreenDeployment, "name": r.Name,
					"uid": string(r.UID), "controller": false, "blockOwnerDeletion": true,
				}},
			},
			"spec": spec,
		},
	}, nil
}

// replacement replaces the spec of a side by that of the change under way. The path counts only for one that has not
// started yet.
func (v *view) replacement(t v1beta1.BlueGreenTransition, d *v1beta1.FlinkDeployment) (plan.Action, error) {
	path := t.Path
	if t.Step == v1beta1.BlueGreenPatch {
		path = v.carriedPath(t, d)
	}
	spec, err := childSpec(t.Spec, path, t.Target)
	if err != nil {
		return nil, err
	}
	return plan.ReplaceSide{
		Namespace: d.Namespace, Name: d.Name, UID: d.UID, Generation: d.Generation, Spec: spec, Hash: t.SpecHash,
	}, nil
}

// carriedPath is the path of a side that is changed in place: the one that it has, else the template's.
func (v *view) carriedPath(t v1beta1.BlueGreenTransition, d *v1beta1.FlinkDeployment) string {
	if d.Spec.Job != nil && d.Spec.Job.InitialSavepointPath != "" && v.recorded.known() {
		return d.Spec.Job.InitialSavepointPath
	}
	if s, err := parseSpec(t.Spec); err == nil {
		return s.path()
	}
	return ""
}

func (v *view) deletion(d *v1beta1.FlinkDeployment) plan.Action {
	return plan.DeleteSide{Namespace: d.Namespace, Name: d.Name, UID: d.UID}
}

// trigger asks for the savepoint of a transition. The problem says why it cannot be asked for.
func (v *view) trigger(active *v1beta1.FlinkDeployment, id, job string) (plan.Action, string) {
	c := running.Of(v.Operator, active)
	directory := c.Config.Get(key.SavepointDir)
	switch {
	case directory == "":
		return nil, "no savepoint directory: set " + key.SavepointDir.Key + " in spec.template.spec.flinkConfiguration"
	case c.Endpoint == nil || job == "":
		return nil, "the JobManager of FlinkDeployment " + active.Name + " is not there"
	}
	return plan.TriggerSavepoint{
		Endpoint: *c.Endpoint, JobID: job, TriggerID: id, Directory: directory,
		Format: v1beta1.SavepointFormatType(options.Enum(c.Config, key.SavepointFormatType)),
	}, ""
}
