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

// Ingress is the Ingress of the cluster: what the spec asks for, and what status says of it.
type Ingress Cluster

// Render makes the Ingress of a spec; nil when it asks for none. managed is kubernetes.operator.ingress.manage: without
// it we leave Ingresses alone.
func (v Ingress) Render(
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

// tellUnmanaged says at a start why there will be no Ingress.
func (v Ingress) tellUnmanaged(target v1beta1.FlinkDeploymentSpec) {
	if _, managed, _ := v.Render(target); target.Ingress != nil && !managed {
		v.Tell(plan.Event{Warning: true, Reason: plan.ReasonIngressManagement, Component: plan.ComponentOperator,
			Once:    true,
			Message: "spec.ingress is set, but kubernetes.operator.ingress.manage is false: no Ingress is made"})
	}
}

// Shown reports whether status has a condition of the Ingress.
func (v Ingress) Shown() bool { return v.Stored() != nil }

// Stored is the condition IngressReady as status has it; nil when it has none.
func (v Ingress) Stored() *metav1.Condition {
	for i := range v.Want.Conditions {
		if c := v.Want.Conditions[i]; c.Type == summary.IngressReady {
			return &c
		}
	}
	return nil
}
