package subject

import (
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// RenderIngress makes the Ingress of a spec; nil when it asks for none. managed is kubernetes.operator.ingress.manage:
// without it we leave Ingresses alone.
func (v *Subject) RenderIngress(
	spec v1beta1.FlinkDeploymentSpec,
) (wanted *networkingv1.Ingress, managed bool, err error) {
	r, config := v.Seen.Resource, v.Compose(&spec)
	if !options.Read(config.Bool, key.IngressManage, true) {
		return nil, false, nil
	}
	wanted, err = render.MakeIngress(render.IngressInput{
		Namespace: r.Namespace, Name: r.Name, UID: r.UID, Spec: spec.Ingress,
		RestPort: int32(options.Read(config.Int, key.RestPort, 8081)),
	})
	return wanted, true, err
}
