package gather

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// PodsEnd signals that a pod of a cluster has ended or is gone, until the context is done. It is a hint to look again:
// what the pods are is read by that look. The channel is closed when it can signal no more.
func PodsEnd(ctx context.Context, k *kube.Client, namespace, name string) (<-chan struct{}, error) {
	pods, err := k.Watch(ctx, kube.Query{
		Resource: kube.Pods, Namespace: namespace,
		Labels: render.PodSelector(name, render.ComponentJobManager, render.ComponentTaskManager),
	})
	if err != nil {
		return nil, err
	}
	ended := make(chan struct{}, 1) // one is enough for any number of pods
	go func() {
		defer close(ended)
		defer pods.Stop()
		for e := range pods.ResultChan() {
			if !podEnded(e) {
				continue
			}
			select {
			case ended <- struct{}{}:
			default:
			}
		}
	}()
	return ended, nil
}

func podEnded(e watch.Event) bool {
	u, is := e.Object.(*unstructured.Unstructured)
	if !is {
		return false
	}
	phase, _, _ := unstructured.NestedString(u.Object, "status", "phase")
	final := phase == string(corev1.PodSucceeded) || phase == string(corev1.PodFailed)
	return e.Type == watch.Deleted || (final && e.Type == watch.Modified)
}
