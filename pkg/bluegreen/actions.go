package bluegreen

import (
	"maps"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
	"github.com/kn-flink/kn-flink/pkg/plan/running"
)

// labels of a side: those of the resource, so that a selector of the installation finds both, and the colour.
func (v *view) labels(colour v1beta1.BlueGreenType) map[string]string {
	labels := maps.Clone(v.Resource.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[v1beta1.LabelBlueGreenType] = string(colour)
	delete(labels, v1beta1.LabelCanary) // a side is deployed
	return labels
}

// creation creates the target of a transition.
func (v *view) creation(t v1beta1.BlueGreenTransition) ([]plan.Action, error) {
	pieces, err := v.pieces(t, t.Path, t.Split)
	if err != nil {
		return nil, err
	}
	r, labels := v.Resource, map[string]any{}
	for name, value := range v.labels(t.Target) {
		labels[name] = value
	}
	var actions []plan.Action
	for _, p := range pieces {
		actions = append(actions, plan.CreateSide{
			Kind: p.kind, Namespace: r.Namespace, Name: v.name(t.Target), Operation: t.OperationID,
			Content: map[string]any{
				"apiVersion": v1beta1.APIVersion, "kind": p.kind,
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
				"spec": p.spec,
			},
		})
	}
	return actions, nil
}

// replacement replaces the spec of a side by that of the change under way. The path counts only for one that has not
// started yet.
func (v *view) replacement(t v1beta1.BlueGreenTransition, d *v1beta1.FlinkDeployment) ([]plan.Action, error) {
	path := t.Path
	if t.Step == v1beta1.BlueGreenPatch {
		path = v.carriedPath(t, d)
	}
	parts, split := v.Parts[t.Target]
	pieces, err := v.pieces(t, path, split)
	if err != nil {
		return nil, err
	}
	cluster := d
	if split {
		cluster = parts.Cluster
	}
	job := v.sessionJob(t.Target)
	var actions []plan.Action
	for _, p := range pieces {
		a := plan.ReplaceSide{
			Kind: p.kind, Namespace: d.Namespace, Name: d.Name, UID: cluster.UID, Generation: cluster.Generation,
			Spec: p.spec, Hash: t.SpecHash,
		}
		has := cluster.Annotations[v1beta1.AnnotationSideSpec]
		if p.kind == v1beta1.KindFlinkSessionJob {
			if job == nil {
				continue
			}
			a.UID, a.Generation, has = job.UID, job.Generation, job.Annotations[v1beta1.AnnotationSideSpec]
		}
		if has != t.SpecHash || !split {
			actions = append(actions, a)
		}
	}
	return actions, nil
}

// carriedPath is the path of a side that is changed in place: the template's where a new nonce says to start from that,
// else the one that it has, else the template's.
func (v *view) carriedPath(t v1beta1.BlueGreenTransition, d *v1beta1.FlinkDeployment) string {
	made, err := parseSpec(t.Spec)
	if err != nil || made.job() == nil {
		return ""
	}
	has, nonce := d.Spec.Job, made.job().SavepointRedeployNonce
	redeploys := has != nil && nonce != nil && (has.SavepointRedeployNonce == nil || *nonce != *has.SavepointRedeployNonce)
	if has != nil && has.InitialSavepointPath != "" && v.recorded.known() && !redeploys {
		return has.InitialSavepointPath
	}
	return made.path()
}

// deletion deletes a side. The cluster of a session job stays until that is gone.
func (v *view) deletion(colour v1beta1.BlueGreenType) []plan.Action {
	if j := v.sessionJob(colour); j != nil {
		return []plan.Action{plan.DeleteSide{
			Kind: v1beta1.KindFlinkSessionJob, Namespace: j.Namespace, Name: j.Name, UID: j.UID,
		}}
	}
	d := v.ours(colour)
	if d == nil {
		return nil
	}
	return []plan.Action{plan.DeleteSide{Namespace: d.Namespace, Name: d.Name, UID: d.UID}}
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

// servingMode is the upgrade mode of the side that serves; empty where that keeps no state, which would be lost by it.
func (v *view) servingMode() v1beta1.UpgradeMode {
	if v.recorded.stateless() {
		return ""
	}
	return v.recorded.job().DesiredUpgradeMode()
}

// switched stops or runs the job of a side.
func (v *view) switched(
	colour v1beta1.BlueGreenType, state v1beta1.JobState, mode v1beta1.UpgradeMode, path string,
) []plan.Action {
	a := plan.SwitchSide{
		Namespace: v.Resource.Namespace, Name: v.name(colour), State: string(state), UpgradeMode: string(mode), Path: path,
	}
	if v.split(colour) {
		j := v.sessionJob(colour)
		if j == nil {
			return nil
		}
		a.Kind, a.UID, a.Generation = v1beta1.KindFlinkSessionJob, j.UID, j.Generation
		return []plan.Action{a}
	}
	d := v.ours(colour)
	if d == nil {
		return nil
	}
	a.UID, a.Generation = d.UID, d.Generation
	return []plan.Action{a}
}
