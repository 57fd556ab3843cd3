package render

import (
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// IngressInput is what an Ingress is made from.
type IngressInput struct {
	// Namespace of the resource and the Ingress.
	Namespace string
	// Name of the resource; the Ingress has the same.
	Name string
	// Kind of the resource that owns the Ingress: FlinkDeployment or FlinkBlueGreenDeployment. Empty means
	// FlinkDeployment.
	Kind string
	// UID of the resource that owns the Ingress.
	UID types.UID
	// ClusterID is the cluster that the Ingress leads to: the active child of a FlinkBlueGreenDeployment. Empty means
	// Name.
	ClusterID string
	// Spec is spec.ingress; nil means that there is no Ingress.
	Spec *v1beta1.IngressSpec
	// RestPort is the option rest.port of that cluster; 0 means 8081.
	RestPort int32
}

// IngressRemedy says what to do about an Ingress that is not allowed here.
const IngressRemedy = "the administrator allows others: kubernetes.operator.ingress.allowed-hosts and " +
	".allowed-annotations in ConfigMap flink-operator-config"

// MakeIngress makes the Ingress of a cluster; nil when spec.ingress is nil. The error is that of ParseIngressTemplate,
// or says that the template is missing.
func MakeIngress(in IngressInput) (*networkingv1.Ingress, error) {
	if in.Spec == nil {
		return nil, nil
	}
	if in.Spec.Template == "" {
		return nil, &SpecError{Where: "spec.ingress.template", Problem: "is required: write host, /path or host/path"}
	}
	host, path, err := ParseIngressTemplate(in.Spec.Template, in.Namespace, in.Name)
	if err != nil {
		return nil, err
	}
	return &networkingv1.Ingress{
		TypeMeta: metav1.TypeMeta{APIVersion: networkingv1.SchemeGroupVersion.String(), Kind: "Ingress"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       in.Namespace,
			Name:            IngressName(in.Name),
			Labels:          overlay(in.Spec.Labels, map[string]string{LabelComponent: ComponentIngress}),
			Annotations:     overlay(in.Spec.Annotations),
			OwnerReferences: []metav1.OwnerReference{in.owner()},
		},
		Spec: networkingv1.IngressSpec{
			IngressClassName: optional(in.Spec.ClassName),
			TLS:              makeIngressTLS(in.Spec.TLS),
			Rules:            []networkingv1.IngressRule{in.rule(host, path)},
		},
	}, nil
}

// SameIngress reports whether an Ingress is as wanted. The class may be the cluster's default, and others may add
// labels and annotations.
func SameIngress(seen, wanted *networkingv1.Ingress) bool {
	there := *seen.Spec.DeepCopy()
	if wanted.Spec.IngressClassName == nil {
		there.IngressClassName = nil
	}
	return equality.Semantic.DeepEqual(there, wanted.Spec) && Holds(seen.Labels, wanted.Labels) &&
		Holds(seen.Annotations, wanted.Annotations)
}

// Holds reports whether labels or annotations have all that is wanted.
func Holds(there, wanted map[string]string) bool {
	for name, value := range wanted {
		if got, ok := there[name]; !ok || got != value {
			return false
		}
	}
	return true
}

func (in IngressInput) owner() metav1.OwnerReference {
	kind := in.Kind
	if kind == "" {
		kind = v1beta1.KindFlinkDeployment
	}
	yes := true
	return metav1.OwnerReference{
		APIVersion: v1beta1.APIVersion, Kind: kind, Name: in.Name, UID: in.UID,
		Controller: &yes, BlockOwnerDeletion: &yes,
	}
}

func (in IngressInput) rule(host, path string) networkingv1.IngressRule {
	cluster, port := in.ClusterID, in.RestPort
	if cluster == "" {
		cluster = in.Name
	}
	if port == 0 {
		port = defaultRestPort
	}
	pathType := networkingv1.PathTypeImplementationSpecific
	return networkingv1.IngressRule{
		Host: host,
		IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{
			Paths: []networkingv1.HTTPIngressPath{{
				Path:     path,
				PathType: &pathType,
				Backend: networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{
					Name: RestServiceName(cluster),
					Port: networkingv1.ServiceBackendPort{Number: port},
				}},
			}},
		}},
	}
}

func makeIngressTLS(entries []v1beta1.IngressTLS) []networkingv1.IngressTLS {
	var copied []networkingv1.IngressTLS
	for _, entry := range entries {
		copied = append(copied, networkingv1.IngressTLS{Hosts: slices.Clone(entry.Hosts), SecretName: entry.SecretName})
	}
	return copied
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
