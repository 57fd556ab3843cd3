package look

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/view"
)

// Seen reads what belongs to a resource.
func (r *Reader) Seen(ctx context.Context, object *unstructured.Unstructured, now view.Clock) view.Seen {
	of := view.FamilyOf(object)
	seen := view.Seen{Resource: object, Now: now()}
	for _, kind := range of.Kinds {
		k, _ := kinds.Of(kind)
		seen.Related = append(seen.Related, r.Optional(ctx, kube.Query{
			Resource: k.Resource, Namespace: object.GetNamespace(),
		}, of.Has)...)
	}
	if of.Cluster != "" {
		seen.Pods = Listed[corev1.Pod](ctx, r, kube.Query{
			Resource: kube.Pods, Namespace: object.GetNamespace(), Labels: "app=" + of.Cluster,
		}, func(*unstructured.Unstructured) bool { return true })
	}
	seen.Events = Listed[corev1.Event](ctx, r, kube.Query{Resource: kube.Events, Namespace: object.GetNamespace()},
		func(e *unstructured.Unstructured) bool { return of.Speaks(e, seen.Related) })
	seen.Unreadable = r.Unreadable()
	return seen
}

// Listed are the wanted objects of a list as their type. What cannot be read is noted.
func Listed[T any](
	ctx context.Context, r *Reader, q kube.Query, wanted func(*unstructured.Unstructured) bool,
) (all []T) {
	for _, u := range r.Optional(ctx, q, wanted) {
		var one T
		if err := kube.Typed(u, &one); err != nil {
			r.Cannot("list", q, err)
			continue
		}
		all = append(all, one)
	}
	return all
}
