package apply

import (
	"context"
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// What is written to the resource itself: its status and its finalizers, each in the version that the round holds.

// store writes the status under the resourceVersion that the round holds.
func (c *Executor) store(ctx context.Context, r *round, status any) error {
	content, err := contentOf(status)
	if err != nil {
		return fail.As(fail.Bug, "write status of "+r.object.String(), "StatusUnprintable", err)
	}
	next := r.resource.DeepCopy()
	next.Object["status"] = content
	if !r.late {
		r.tell()()
	}
	updated, err := c.Kube.UpdateStatus(ctx, r.object, next)
	if err != nil {
		return err
	}
	c.changed(ctx, r.resource, updated)
	auditStatus(r.resource, updated).write(ctx, c.Audit, updated)
	r.resource, r.stored, r.late = updated, status, false
	r.tell()()
	return nil
}

// refusedForSize reports whether the resource says that its newest status was refused because of its size.
func refusedForSize(resource *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(resource.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(c any) bool {
		fields, _ := c.(map[string]any)
		return fields["type"] == summary.Stalled && fields["reason"] == fail.ReasonTooLarge
	})
}

func contentOf(value any) (map[string]any, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	content := map[string]any{}
	return content, json.Unmarshal(text, &content)
}

// addFinalizer and removeFinalizer replace the list of finalizers, so the resourceVersion is part of the patch.
func (c *Executor) addFinalizer(ctx context.Context, r *round, a plan.AddFinalizer) error {
	return c.setFinalizers(ctx, r, append(r.resource.GetFinalizers(), a.Finalizer))
}

func (c *Executor) removeFinalizer(ctx context.Context, r *round, a plan.RemoveFinalizer) error {
	kept := []string{}
	for _, f := range r.resource.GetFinalizers() {
		if f != a.Finalizer {
			kept = append(kept, f)
		}
	}
	return c.setFinalizers(ctx, r, kept)
}

func (c *Executor) setFinalizers(ctx context.Context, r *round, names []string) error {
	updated, err := c.Kube.MergePatch(ctx, r.object, map[string]any{"metadata": map[string]any{
		"finalizers": names, "resourceVersion": r.resource.GetResourceVersion(),
	}})
	if err != nil {
		return err
	}
	r.resource = updated
	return nil
}
