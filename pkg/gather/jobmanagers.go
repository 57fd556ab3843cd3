package gather

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// JobManager reads the Deployment of one cluster.
func (g *Gatherer) JobManager(ctx context.Context, namespace, name string) plan.Observed[*appsv1.Deployment] {
	u, found, err := g.Kube.Get(ctx, kube.Object{Resource: kube.Deployments, Namespace: namespace, Name: name})
	return observe(u, found, err, typed[appsv1.Deployment])
}

// listed is how many Deployments one request brings.
const listed = 500

// JobManagers lists the Deployments of all clusters by their labels, and answers for each resource. A Deployment without those labels
// is not found this way; where one decides, as before a first start, the pass reads it by name.
func (g *Gatherer) JobManagers(ctx context.Context, selector string, namespaces []string) func(*unstructured.Unstructured) plan.Observed[*appsv1.Deployment] {
	found := map[types.NamespacedName]plan.Observed[*appsv1.Deployment]{}
	for _, namespace := range namespaces {
		query := kube.Query{Resource: kube.Deployments, Namespace: namespace, Labels: selector, Limit: listed}
		for {
			list, err := g.Kube.List(ctx, query)
			if err != nil {
				unknown := plan.Unknown[*appsv1.Deployment](oneLine(err))
				return func(*unstructured.Unstructured) plan.Observed[*appsv1.Deployment] { return unknown }
			}
			for i := range list.Items {
				u := &list.Items[i]
				found[types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}] = observe(u, true, nil, typed[appsv1.Deployment])
			}
			if query.Continue = list.GetContinue(); query.Continue == "" {
				break
			}
		}
	}
	return func(u *unstructured.Unstructured) plan.Observed[*appsv1.Deployment] {
		if d, ok := found[types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}]; ok {
			return d
		}
		return plan.Absent[*appsv1.Deployment]()
	}
}
