package apply

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// keepAutoscaled writes why the autoscaler decided so, and then the decision. In this order none is without its
// reasons; what another pass has decided meanwhile may have two.
func (c *Executor) keepAutoscaled(ctx context.Context, r *round, a plan.KeepAutoscaled) error {
	data, binary := map[string]any{}, map[string]any{}
	for _, key := range a.Keys {
		data[key] = nil
	}
	for key, text := range a.Data {
		data[key] = text
	}
	for _, key := range a.Binary {
		binary[key] = nil
	}
	patch := map[string]any{
		"metadata": map[string]any{"uid": string(a.Store.UID), "resourceVersion": a.Store.ResourceVersion}, "data": data,
	}
	if len(binary) > 0 {
		patch["binaryData"] = binary
	}
	if a.Explained != "" {
		c.explain(ctx, r, a)
	}
	_, err := c.Kube.MergePatch(ctx, kube.Object{
		Resource: kube.ConfigMaps, Namespace: a.Namespace, Name: a.Store.Name,
	}, patch)
	return err
}

// decisions is the name of the ConfigMap with why the autoscaler decided as it did, after the name of its store.
const decisions = "-decisions"

// explain keeps why a decision was made beside those before it, each under its time.
func (c *Executor) explain(ctx context.Context, r *round, a plan.KeepAutoscaled) {
	object := kube.Object{Resource: kube.ConfigMaps, Namespace: a.Namespace, Name: a.Store.Name + decisions}
	key, data := a.At.UTC().Format("2006-01-02T15.04.05Z"), map[string]any{}
	there, found, err := c.Kube.Get(ctx, object)
	switch {
	case err != nil:
	case found:
		kept, _, _ := unstructured.NestedStringMap(there.Object, "data")
		times := slices.Sorted(maps.Keys(kept))
		for len(times) >= a.Most && kept[key] == "" {
			data[times[0]], times = nil, times[1:]
		}
		data[key] = a.Explained
		_, err = c.Kube.MergePatch(ctx, object, map[string]any{"data": data})
	default:
		_, err = c.Kube.Create(ctx, object, &corev1.ConfigMap{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: kube.KindConfigMap},
			ObjectMeta: metav1.ObjectMeta{
				Name: object.Name, Namespace: object.Namespace, OwnerReferences: []metav1.OwnerReference{controller(r.resource)},
				Labels: map[string]string{"component": "autoscaler-decisions"},
			},
			Data: map[string]string{key: a.Explained},
		})
	}
	if err != nil && c.Log != nil {
		telemetry.Traced(ctx, c.Log).Infow(
			"a decision of the autoscaler could not be explained, skipped", telemetry.Key, object.String(), telemetry.Error,
			fail.Message(err),
		)
	}
}

// controller is the resource as the owner of an object: that goes with it.
func controller(u *unstructured.Unstructured) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: u.GetAPIVersion(), Kind: u.GetKind(), Name: u.GetName(), UID: u.GetUID()}
}
