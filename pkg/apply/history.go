package apply

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/history"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// keepHistory writes to the revision history. What cannot be written is logged, and tried by a later pass: status says
// that it is not known to be there.
func (c *Executor) keepHistory(ctx context.Context, r *round, h *plan.History) {
	if h == nil || overdue(ctx) {
		return
	}
	if err := c.writeHistory(ctx, r, *h); err != nil && c.Log != nil {
		telemetry.Traced(ctx, c.Log).Warnw(
			"the revision history could not be written; the next pass for this resource tries it again",
			telemetry.Key, r.object.String(), telemetry.Error, fail.Message(err),
		)
	}
}

// writeHistory ends the revision before a new one is made: where the new one is there, that is done.
func (c *Executor) writeHistory(ctx context.Context, r *round, h plan.History) error {
	at := func(name string) kube.Object {
		return kube.Object{Resource: kube.Revisions, Namespace: r.object.Namespace, Name: name}
	}
	for _, ended := range h.Ended {
		annotations := map[string]any{}
		for name, text := range ended.Annotations {
			annotations[name] = text
		}
		patch := map[string]any{"metadata": map[string]any{"annotations": annotations}}
		if _, err := c.Kube.MergePatch(ctx, at(ended.Name), patch); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	if h.Keep != nil {
		kept := *h.Keep
		if h.OwnSpec {
			kept.Spec, _ = r.resource.Object["spec"].(map[string]any)
			kept.ChangedBy = history.ChangedBy(r.resource.GetManagedFields())
		}
		made, err := kept.Object(controller(r.resource), r.object.Namespace)
		if err != nil {
			return err
		}
		if _, err := c.Kube.Create(ctx, at(kept.Name), made); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	for _, old := range h.Drop {
		if err := c.Kube.Delete(ctx, at(old.Name), old.UID); err != nil {
			return err
		}
	}
	return nil
}
