package gather

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// JobManager reads the Deployment of one cluster.
func (g *Gatherer) JobManager(ctx context.Context, namespace, name string) plan.Observed[*appsv1.Deployment] {
	u, found, err := g.Kube.Get(ctx, kube.Object{Resource: kube.Deployments, Namespace: namespace, Name: name})
	return observe(u, found, err, typed[appsv1.Deployment])
}

// JobManagers lists the Deployments of clusters by their labels, and answers for each. A Deployment without those
// labels is not found this way; where one decides, as before a first start, the pass reads it by name.
func (g *Gatherer) JobManagers(
	ctx context.Context, of Clusters,
) func(namespace, name string) plan.Observed[*appsv1.Deployment] {
	found := map[types.NamespacedName]plan.Observed[*appsv1.Deployment]{}
	into := func() kube.BinaryList { return &appsv1.DeploymentList{} }
	err := of.each(ctx, g.Kube, kube.Deployments, into, func(list kube.BinaryList) {
		items := list.(*appsv1.DeploymentList).Items
		for i := range items {
			d := &items[i]
			found[types.NamespacedName{Namespace: d.Namespace, Name: d.Name}] = plan.Present(d)
		}
	})
	return func(namespace, name string) plan.Observed[*appsv1.Deployment] {
		if err != nil {
			return plan.Unknown[*appsv1.Deployment](oneLine(err))
		}
		if d, ok := found[types.NamespacedName{Namespace: namespace, Name: name}]; ok {
			return d
		}
		return plan.Absent[*appsv1.Deployment]()
	}
}
