package gather

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment"
)

// autoscaled reads what the Java operator's autoscaler stored for a resource. A ConfigMap of that name that belongs
// to another one, such as a FlinkSessionJob beside a FlinkDeployment of the same name, is none.
func (g *Gatherer) autoscaled(
	ctx context.Context, resource metav1.Object,
) plan.Observed[deployment.Autoscaled] {
	list, err := g.Kube.List(ctx, kube.Query{
		Resource: kube.ConfigMaps, Namespace: resource.GetNamespace(),
		Labels: deployment.AutoscaledSelector + resource.GetName(),
	})
	if err != nil {
		return plan.Unknown[deployment.Autoscaled](oneLine(err))
	}
	for i := range list.Items {
		u := &list.Items[i]
		if u.GetName() != deployment.AutoscaledPrefix+resource.GetName() || !ownedBy(u, string(resource.GetUID())) {
			continue
		}
		data, _, _ := unstructured.NestedStringMap(u.Object, "data")
		return plan.Present(deployment.ReadAutoscaled(data))
	}
	return plan.Absent[deployment.Autoscaled]()
}
