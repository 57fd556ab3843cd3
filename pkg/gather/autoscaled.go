package gather

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/samples"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// Stores looks for what the autoscaler keeps of one resource.
type Stores func(ctx context.Context, resource metav1.Object) plan.Observed[autoscaled.Store]

// Autoscaled looks for it with a list of its own.
func (g *Gatherer) Autoscaled(ctx context.Context, resource metav1.Object) plan.Observed[autoscaled.Store] {
	list, err := g.Kube.List(ctx, kube.Query{
		Resource: kube.ConfigMaps, Namespace: resource.GetNamespace(),
		Labels: autoscaled.StoreSelector + resource.GetName(),
	})
	if err != nil {
		return plan.Unknown[autoscaled.Store](oneLine(err))
	}
	for i := range list.Items {
		if list.Items[i].GetName() != autoscaled.StorePrefix+resource.GetName() {
			continue
		}
		object, err := typed[corev1.ConfigMap](&list.Items[i])
		if err != nil {
			return plan.Unknown[autoscaled.Store](oneLine(err))
		}
		return storeOf(object, resource)
	}
	return plan.Absent[autoscaled.Store]()
}

// storeOf reads a ConfigMap. One that belongs to another resource, such as a FlinkSessionJob beside a FlinkDeployment
// of the same name, is not to be touched.
func storeOf(object *corev1.ConfigMap, of metav1.Object) plan.Observed[autoscaled.Store] {
	for _, o := range object.OwnerReferences {
		if o.UID == of.GetUID() {
			return plan.Present(autoscaled.Store{
				Version: plan.ObjectVersion{
					Name: object.Name, UID: object.UID, ResourceVersion: object.ResourceVersion,
				},
				Data: object.Data, Samples: object.BinaryData[samples.Key],
			})
		}
	}
	owner := "no resource"
	if len(object.OwnerReferences) > 0 {
		owner = object.OwnerReferences[0].Kind + " " + object.OwnerReferences[0].Name
	}
	return plan.Unknown[autoscaled.Store](fmt.Sprintf(
		"ConfigMap %s belongs to %s: rename one of the two", object.Name, owner,
	))
}

// StoresOf answers for each resource of a page from lists of all their stores, which are listed when the first of them
// is asked for, in the time that there is for all. Safe for concurrent use.
func (g *Gatherer) StoresOf(ctx context.Context, of Clusters) Stores {
	of.Selector = render.LabelComponent + "=" + render.ComponentAutoscaler
	into := func() kube.BinaryList { return &corev1.ConfigMapList{} }
	var once sync.Once
	var failure error
	found := map[types.NamespacedName]*corev1.ConfigMap{}
	return func(_ context.Context, resource metav1.Object) plan.Observed[autoscaled.Store] {
		once.Do(func() {
			failure = of.each(ctx, g.Kube, kube.ConfigMaps, into, func(list kube.BinaryList) {
				items := list.(*corev1.ConfigMapList).Items
				for i := range items {
					found[types.NamespacedName{Namespace: items[i].Namespace, Name: items[i].Name}] = &items[i]
				}
			})
		})
		if failure != nil {
			return plan.Unknown[autoscaled.Store](oneLine(failure))
		}
		object, there := found[types.NamespacedName{
			Namespace: resource.GetNamespace(), Name: autoscaled.StorePrefix + resource.GetName(),
		}]
		if !there {
			return plan.Absent[autoscaled.Store]()
		}
		return storeOf(object, resource)
	}
}

// KeptSamples is a store as a write of its samples left it.
func KeptSamples(
	before plan.Observed[autoscaled.Store], kept []byte, written *unstructured.Unstructured,
) plan.Observed[autoscaled.Store] {
	store, _ := before.Get()
	store.Samples, store.Version = kept, version(written)
	return plan.Present(store)
}
