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

// Pods looks for the JobManager pods of one cluster.
type Pods func(ctx context.Context, namespace, name string) plan.Observed[[]corev1.Pod]

// podsOf lists the JobManager pods of one cluster.
func (g *Gatherer) podsOf(ctx context.Context, namespace, name string) plan.Observed[[]corev1.Pod] {
	return g.podsBy(ctx, namespace, render.JobManagerSelector(name))
}

// podsBy lists the pods with these labels.
func (g *Gatherer) podsBy(ctx context.Context, namespace, labels string) plan.Observed[[]corev1.Pod] {
	var pods []corev1.Pod
	query := kube.Query{Resource: kube.Pods, Namespace: namespace, Labels: labels}
	return observedPods(&pods, pages(ctx, g.Kube, query, addPod(func(pod corev1.Pod) { pods = append(pods, pod) })))
}

// PodsOf answers for each of the clusters from lists of all their pods, made when the first of them is asked for. Safe for concurrent use.
func (g *Gatherer) PodsOf(of Clusters) Pods {
	var once sync.Once
	var failure error
	found := map[types.NamespacedName][]corev1.Pod{}
	return func(ctx context.Context, namespace, name string) plan.Observed[[]corev1.Pod] {
		once.Do(func() {
			failure = of.each(ctx, g.Kube, kube.Pods, addPod(func(pod corev1.Pod) {
				key := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Labels[render.LabelApp]}
				found[key] = append(found[key], pod)
			}))
		})
		pods := found[types.NamespacedName{Namespace: namespace, Name: name}]
		return observedPods(&pods, failure)
	}
}

func addPod(add func(corev1.Pod)) func(*unstructured.Unstructured) error {
	return func(u *unstructured.Unstructured) error {
		pod, err := typed[corev1.Pod](u)
		if err == nil {
			add(*pod)
		}
		return err
	}
}

func observedPods(pods *[]corev1.Pod, err error) plan.Observed[[]corev1.Pod] {
	if err != nil {
		return plan.Unknown[[]corev1.Pod](oneLine(err))
	}
	return plan.Present(*pods)
}
