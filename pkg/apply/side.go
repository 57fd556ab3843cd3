package apply

import (
	"context"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func sideOf(kind, namespace, name string) kube.Object {
	resource := v1beta1.FlinkDeploymentGVR
	if kind == v1beta1.KindFlinkSessionJob {
		resource = v1beta1.FlinkSessionJobGVR
	}
	return kube.Object{Resource: resource, Namespace: namespace, Name: name}
}

// createSide creates a resource of a side, or finds the one that another pass created for the same
// transition.
func (c *Executor) createSide(ctx context.Context, a plan.CreateSide) error {
	object := sideOf(a.Kind, a.Namespace, a.Name)
	_, err := c.Kube.Create(ctx, object, &unstructured.Unstructured{Object: a.Content})
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	there, found, err := c.Kube.Get(ctx, object)
	switch {
	case err != nil:
		return err
	case !found || there.GetAnnotations()[v1beta1.AnnotationSideOperation] != a.Operation:
		return fail.Conflictf(
			a.String(), string(plan.ReasonSideOfAnother), "a resource of that name is there, or was just now",
		)
	}
	return nil
}

// replaceSide replaces the spec of the FlinkDeployment that was read.
func (c *Executor) replaceSide(ctx context.Context, a plan.ReplaceSide) error {
	object := sideOf(a.Kind, a.Namespace, a.Name)
	there, found, err := c.Kube.Get(ctx, object)
	switch {
	case err != nil:
		return err
	case !found || there.GetUID() != a.UID || there.GetGeneration() != a.Generation:
		return fail.Conflictf(a.String(), string(plan.ReasonSideChanged), "it was changed since it was read")
	}
	annotations := maps.Clone(there.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[v1beta1.AnnotationSideSpec] = a.Hash
	_, err = c.Kube.JSONPatch(ctx, object, []kube.PatchOperation{
		{Op: "test", Path: "/metadata/resourceVersion", Value: there.GetResourceVersion()},
		{Op: "add", Path: "/metadata/annotations", Value: annotations},
		{Op: "replace", Path: "/spec", Value: a.Spec},
	})
	return err
}

// suspendSide sets the state of the job in the spec of the FlinkDeployment that was read, and nothing else.
func (c *Executor) suspendSide(ctx context.Context, a plan.SuspendSide) error {
	_, err := c.Kube.JSONPatch(ctx, sideOf(a.Kind, a.Namespace, a.Name), []kube.PatchOperation{
		{Op: "test", Path: "/metadata/uid", Value: string(a.UID)},
		{Op: "test", Path: "/metadata/generation", Value: a.Generation},
		{Op: "add", Path: "/spec/job/state", Value: string(v1beta1.JobStateSuspended)},
	})
	return err
}

// switchSide sets the state of the job in the spec of the resource that was read, and what goes with it.
func (c *Executor) switchSide(ctx context.Context, a plan.SwitchSide) error {
	patch := []kube.PatchOperation{
		{Op: "test", Path: "/metadata/uid", Value: string(a.UID)},
		{Op: "test", Path: "/metadata/generation", Value: a.Generation},
		{Op: "add", Path: "/spec/job/state", Value: a.State},
	}
	if a.UpgradeMode != "" {
		patch = append(patch, kube.PatchOperation{Op: "add", Path: "/spec/job/upgradeMode", Value: a.UpgradeMode})
	}
	if a.Path != "" {
		patch = append(patch, kube.PatchOperation{Op: "add", Path: "/spec/job/initialSavepointPath", Value: a.Path})
	}
	_, err := c.Kube.JSONPatch(ctx, sideOf(a.Kind, a.Namespace, a.Name), patch)
	return err
}

// deleteSide deletes the FlinkDeployment of a UID. Another one of its name is left alone.
func (c *Executor) deleteSide(ctx context.Context, a plan.DeleteSide) error {
	err := c.Kube.Delete(ctx, sideOf(a.Kind, a.Namespace, a.Name), a.UID)
	if apierrors.IsConflict(err) {
		return nil
	}
	return err
}

func (c *Executor) labelSide(ctx context.Context, a plan.LabelSide) error {
	_, err := c.Kube.MergePatch(ctx, sideOf(a.Kind, a.Namespace, a.Name), map[string]any{
		"metadata": map[string]any{"uid": string(a.UID), "labels": a.Labels},
	})
	return err
}
