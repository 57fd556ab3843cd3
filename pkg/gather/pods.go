package gather

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// Pods looks for the pods of one component of one cluster.
type Pods func(ctx context.Context, namespace, name, component string) plan.Observed[[]corev1.Pod]

// pods looks for the JobManager's pods and, when asked to, for the TaskManagers'. Without a look of its own it lists
// both at once.
func (g *Gatherer) pods(
	ctx context.Context, look Pods, namespace, name string, both bool,
) (jobManagers, taskManagers plan.Observed[[]corev1.Pod]) {
	if look == nil {
		components := []string{render.ComponentJobManager}
		if both {
			components = append(components, render.ComponentTaskManager)
		}
		look = g.list(namespace, render.PodSelector(name, components...))
	}
	jobManagers = look(ctx, namespace, name, render.ComponentJobManager)
	if both {
		taskManagers = look(ctx, namespace, name, render.ComponentTaskManager)
	}
	return jobManagers, taskManagers
}

// list answers from one list of one cluster's pods.
func (g *Gatherer) list(namespace, labels string) Pods {
	return once(func(ctx context.Context, see func(*corev1.Pod)) error {
		return pages(
			ctx, g.Kube, kube.Query{Resource: kube.Pods, Namespace: namespace, Labels: labels},
			func(u *unstructured.Unstructured) error {
				pod, err := typed[corev1.Pod](u)
				if err == nil {
					see(pod)
				}
				return err
			},
		)
	})
}

// PodsOf answers for each of the clusters from lists of all their pods. Those of a component are listed when the first
// of them is asked for, in the time that there is for all. Safe for concurrent use.
func (g *Gatherer) PodsOf(ctx context.Context, of Clusters) Pods {
	looks := map[string]Pods{}
	into := func() kube.BinaryList { return &corev1.PodList{} }
	for _, component := range []string{render.ComponentJobManager, render.ComponentTaskManager} {
		of := of
		of.Selector = render.LabelComponent + "=" + component
		looks[component] = once(func(ctx context.Context, see func(*corev1.Pod)) error {
			return of.each(ctx, g.Kube, kube.Pods, into, func(list kube.BinaryList) {
				items := list.(*corev1.PodList).Items
				for i := range items {
					see(&items[i])
				}
			})
		})
	}
	return func(_ context.Context, namespace, name, component string) plan.Observed[[]corev1.Pod] {
		return looks[component](ctx, namespace, name, component)
	}
}

// once answers from what a walk over pods sees. It walks when the first pods are asked for.
func once(walk func(ctx context.Context, see func(*corev1.Pod)) error) Pods {
	type key struct {
		cluster   types.NamespacedName
		component string
	}
	var once sync.Once
	var failure error
	found := map[key][]corev1.Pod{}
	return func(ctx context.Context, namespace, name, component string) plan.Observed[[]corev1.Pod] {
		once.Do(func() {
			failure = walk(ctx, func(pod *corev1.Pod) {
				k := key{
					types.NamespacedName{Namespace: pod.Namespace, Name: pod.Labels[render.LabelApp]},
					pod.Labels[render.LabelComponent],
				}
				found[k] = append(found[k], *pod)
			})
		})
		if failure != nil {
			return plan.Unknown[[]corev1.Pod](oneLine(failure))
		}
		return plan.Present(found[key{types.NamespacedName{Namespace: namespace, Name: name}, component}])
	}
}
