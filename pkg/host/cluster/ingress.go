package cluster

import (
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// RenderIngress makes the Ingress of a spec; nil when it asks for none. managed is kubernetes.operator.ingress.manage:
// without it we leave Ingresses alone.
func RenderIngress(v *Cluster,
	spec v1beta1.FlinkDeploymentSpec,
) (wanted *networkingv1.Ingress, managed bool, err error) {
	r, config := v.Seen.Resource, v.Look.Compose(&spec)
	if !options.Read(config.Bool, key.IngressManage, true) {
		return nil, false, nil
	}
	if err := ingressAllowed(v, spec.Ingress); err != nil {
		return nil, true, err
	}
	wanted, err = render.MakeIngress(render.IngressInput{
		Namespace: r.Namespace, Name: r.Name, UID: r.UID, Spec: spec.Ingress,
		RestPort: int32(options.Read(v.Look.Config().Int, key.RestPort, 8081)), // that of what runs
	})
	return wanted, true, err
}

// ingressAllowed says what of an Ingress the administrator does not allow. What was accepted before is judged again:
// the rules may be newer than the spec.
func ingressAllowed(v *Cluster, spec *v1beta1.IngressSpec) error {
	r := v.Seen.Resource
	if spec == nil || spec.Template == "" {
		return nil
	}
	host, _, err := render.ParseIngressTemplate(spec.Template, r.Namespace, r.Name)
	if err != nil {
		return nil // the spec cannot be rendered, which says so itself
	}
	if field, value := v.Seen.Operator.IngressRules().Refused(spec, host, r.Namespace, r.Name); field != "" {
		return &render.SpecError{
			Where: "spec.ingress." + field, Value: value, Problem: "is not allowed: " + render.IngressRemedy,
		}
	}
	return nil
}

// IngressShown reports whether status has a condition of the Ingress.
func IngressShown(v *Cluster) bool { return StoredIngress(v) != nil }

// StoredIngress is the condition IngressReady as status has it; nil when it has none.
func StoredIngress(v *Cluster) *metav1.Condition {
	for i := range v.Look.Want.Conditions {
		if c := v.Look.Want.Conditions[i]; c.Type == summary.IngressReady {
			return &c
		}
	}
	return nil
}
