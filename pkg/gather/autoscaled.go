package gather

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment"
)

// autoscaled reads what the Java operator's autoscaler stored for a resource. A ConfigMap of that name that belongs
// to another one, such as a FlinkSessionJob of the same name, is none.
func (g *Gatherer) autoscaled(
	ctx context.Context, resource *v1beta1.FlinkDeployment,
) plan.Observed[deployment.Autoscaled] {
	list, err := g.Kube.List(ctx, kube.Query{
		Resource: kube.ConfigMaps, Namespace: resource.Namespace, Labels: deployment.AutoscaledSelector + resource.Name,
	})
	if err != nil {
		return plan.Unknown[deployment.Autoscaled](oneLine(err))
	}
	for i := range list.Items {
		u := &list.Items[i]
		if u.GetName() != deployment.AutoscaledPrefix+resource.Name || !ownedBy(u, string(resource.UID)) {
			continue
		}
		data, _, _ := unstructured.NestedStringMap(u.Object, "data")
		return plan.Present(deployment.ReadAutoscaled(data))
	}
	return plan.Absent[deployment.Autoscaled]()
}
