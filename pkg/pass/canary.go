package pass

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// canary carries on the proof that a canary gives; see plan.CanarySeen. Only the event of a change counts as an answer:
// a pass that somebody asked for proves nothing of the source.
//
//	woken by                 the newest change is   then
//	the source               not answered           status.observedGeneration is written
//	anything else            due                    spec.restartNonce is changed
//	either                   otherwise              nothing
func (r *Runner) canary(ctx context.Context, t target, u *unstructured.Unstructured, asked bool) error {
	seen, now := v1beta1.CanaryOf(u), r.Gather.Now()
	proof := plan.CanarySeen{Generation: seen.Generation, Answered: seen.Answered, Asked: seen.Asked}
	switch {
	case !asked && proof.Generation != proof.Answered:
		next := u.DeepCopy()
		if err := unstructured.SetNestedField(next.Object, proof.Generation, "status", "observedGeneration"); err != nil {
			return err
		}
		_, err := r.Apply.Kube.UpdateStatus(ctx, t.object, next)
		return err
	case asked && proof.Due(now, r.Gather.Operator.CanaryTimeout()):
		_, err := r.Apply.Kube.MergePatch(ctx, t.object, map[string]any{
			"metadata": map[string]any{
				"resourceVersion": u.GetResourceVersion(),
				"annotations": map[string]any{
					v1beta1.AnnotationCanaryAsked: proof.AskedAt(now).UTC().Format(time.RFC3339),
				},
			},
			"spec": map[string]any{"restartNonce": seen.RestartNonce + 1},
		})
		return err
	}
	return nil
}

// isCanary reports whether a resource is one that has a part in the proof.
func isCanary(t target, u *unstructured.Unstructured) bool {
	return t.kind.Canary && u.GetDeletionTimestamp() == nil && v1beta1.IsOnlyCanary(u)
}
