package gather

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// replicaSets lists those of a cluster's Deployments: they carry the labels of the pods. One that is being deleted
// makes no more pods.
func (g *Gatherer) replicaSets(
	ctx context.Context, namespace, name string,
) plan.Observed[[]cluster.ReplicaSet] {
	found := []cluster.ReplicaSet{}
	err := pages(ctx, g.Kube, kube.Query{
		Resource: kube.ReplicaSets, Namespace: namespace,
		Labels: render.PodSelector(name, render.ComponentJobManager, render.ComponentTaskManager),
	}, func(u *unstructured.Unstructured) error {
		set, err := typed[appsv1.ReplicaSet](u)
		owner := metav1.GetControllerOf(u)
		if err != nil || owner == nil || u.GetDeletionTimestamp() != nil {
			return err
		}
		one := cluster.ReplicaSet{
			Name: set.Name, UID: set.UID, Deployment: owner.UID, Replicas: 1,
			Seen: set.Status.ObservedGeneration >= set.Generation,
		}
		if set.Spec.Replicas != nil {
			one.Replicas = *set.Spec.Replicas
		}
		found = append(found, one)
		return nil
	})
	if err != nil {
		return plan.Unknown[[]cluster.ReplicaSet](oneLine(err))
	}
	return plan.Present(found)
}
