package bluegreen

import (
	"maps"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
	"github.com/kn-flink/kn-flink/pkg/plan/running"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// managesIngress is kubernetes.operator.ingress.manage of the installation.
func (v *view) managesIngress() bool {
	return options.Bool(v.Operator.Default(v.Resource.Namespace, ""), key.IngressManage)
}

// ingressOf is the Ingress that leads to a side; nil when the spec asks for none. The error says what of the spec is
// not allowed, or cannot be read.
func (v *view) ingressOf(colour v1beta1.BlueGreenType) (*networkingv1.Ingress, error) {
	r := v.Resource
	if r.Spec.Ingress == nil {
		return nil, nil
	}
	if host, _, err := render.ParseIngressTemplate(r.Spec.Ingress.Template, r.Namespace, r.Name); err == nil {
		if field, value := v.Operator.IngressRules().Refused(r.Spec.Ingress, host, r.Namespace, r.Name); field != "" {
			return nil, &render.SpecError{
				Where: "spec.ingress." + field, Value: value, Problem: "is not allowed: " + render.IngressRemedy,
			}
		}
	}
	port := 0
	if d := v.ours(colour); d != nil {
		port = options.Int(running.Of(v.Operator, d).Config, key.RestPort)
	}
	return render.MakeIngress(render.IngressInput{
		Namespace: r.Namespace, Name: r.Name, UID: r.UID, Kind: v1beta1.KindFlinkBlueGreenDeployment,
		ClusterID: v.name(colour), Spec: r.Spec.Ingress, RestPort: int32(port),
	})
}

// moveIngress has the Ingress lead to a side: made, changed or deleted, only where it differs from what is there.
func (v *view) moveIngress(colour v1beta1.BlueGreenType, d *Decision) {
	if !v.managesIngress() || v.Ingress.IsUnknown() {
		return
	}
	wanted, err := v.ingressOf(colour)
	there, present := v.Ingress.Get()
	own := present && v.owned(there)
	switch {
	case err != nil: // the condition says so, and what is there stays
	case wanted == nil && own && there.DeletionTimestamp == nil:
		d.Actions = append(d.Actions, plan.DeleteIngress{Namespace: there.Namespace, Name: there.Name, UID: there.UID})
	case wanted != nil && (!present || own && !render.SameIngress(there, wanted)):
		d.Actions = append(d.Actions, plan.ApplyIngress{Ingress: wanted})
	}
}

// owned reports whether an Ingress is this resource's.
func (v *view) owned(i *networkingv1.Ingress) bool {
	return slices.ContainsFunc(i.OwnerReferences, func(o metav1.OwnerReference) bool { return o.UID == v.Resource.UID })
}

// ingressFailed is the stored condition that the Ingress could not be made, changed or removed; nil when it could.
func (v *view) ingressFailed() *metav1.Condition {
	if c := v.condition(summary.IngressReady); c != nil && c.Reason == string(plan.ReasonIngressFailed) {
		return c
	}
	return nil
}

// maintain keeps what belongs to the side that serves: the Ingress, and the labels of both sides.
func (v *view) maintain(d *v1beta1.FlinkDeployment, out *Decision) {
	colour := v1beta1.Blue
	if d.Name == v.name(v1beta1.Green) {
		colour = v1beta1.Green
	}
	v.moveIngress(colour, out)
	for _, c := range []v1beta1.BlueGreenType{v1beta1.Blue, v1beta1.Green} {
		side := v.ours(c)
		if side == nil || side.DeletionTimestamp != nil {
			continue
		}
		out.Actions = append(out.Actions, v.labelling(c, "", side)...)
		if j := v.sessionJob(c); j != nil {
			out.Actions = append(out.Actions, v.labelling(c, v1beta1.KindFlinkSessionJob, j)...)
		}
	}
}

// labelling gives a resource of a side the labels that it lacks.
func (v *view) labelling(colour v1beta1.BlueGreenType, kind string, of metav1.Object) []plan.Action {
	if render.Holds(of.GetLabels(), v.labels(colour)) {
		return nil
	}
	changed := maps.Clone(v.labels(colour))
	maps.DeleteFunc(changed, func(name, value string) bool { return of.GetLabels()[name] == value })
	return []plan.Action{plan.LabelSide{
		Kind: kind, Namespace: of.GetNamespace(), Name: of.GetName(), UID: of.GetUID(), Labels: changed,
	}}
}
