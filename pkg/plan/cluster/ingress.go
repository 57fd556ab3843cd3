package cluster

import (
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// RenderIngress makes the Ingress of a spec; nil when it asks for none. managed is kubernetes.operator.ingress.manage:
// without it we leave Ingresses alone.
func (v *Cluster) RenderIngress(
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

// tellUnmanagedIngress says at a start why there will be no Ingress.
func (v *Cluster) tellUnmanagedIngress(target v1beta1.FlinkDeploymentSpec) {
	if _, managed, _ := v.RenderIngress(target); target.Ingress != nil && !managed {
		v.Tell(plan.Event{Warning: true, Reason: plan.ReasonIngressManagement, Component: plan.ComponentOperator,
			Once:    true,
			Message: "spec.ingress is set, but kubernetes.operator.ingress.manage is false: no Ingress is made"})
	}
}

// IngressShown reports whether status has a condition of the Ingress.
func (v *Cluster) IngressShown() bool { return v.StoredIngress() != nil }

// StoredIngress is the condition IngressReady as status has it; nil when it has none.
func (v *Cluster) StoredIngress() *metav1.Condition {
	for i := range v.Want.Conditions {
		if c := v.Want.Conditions[i]; c.Type == summary.IngressReady {
			return &c
		}
	}
	return nil
}
