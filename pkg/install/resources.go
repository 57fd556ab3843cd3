package install

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Resource is what objects of one kind are read and written as.
type Resource struct {
	// GVR is the group, version and plural.
	GVR schema.GroupVersionResource
	// Kind is the kind as manifests write it.
	Kind string
	// Cluster is whether its objects are in no namespace.
	Cluster bool
}

func of(group, version, plural, kind string) Resource {
	return Resource{GVR: schema.GroupVersionResource{Group: group, Version: version, Resource: plural}, Kind: kind}
}

func wide(group, version, plural, kind string) Resource {
	r := of(group, version, plural, kind)
	r.Cluster = true
	return r
}

// The groups of what an installation has.
const (
	rbac      = "rbac.authorization.k8s.io"
	admission = "admissionregistration.k8s.io"
	eventing  = "eventing.knative.dev"
	sources   = "sources.knative.dev"
	serving   = "serving.knative.dev"
)

// Resources belong to all manifests, so that no discovery is needed.
var Resources = []Resource{
	wide("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition"),
	wide("", "v1", "namespaces", "Namespace"),
	of("", "v1", "serviceaccounts", "ServiceAccount"),
	of("", "v1", "configmaps", "ConfigMap"),
	of("", "v1", "services", "Service"),
	wide(rbac, "v1", "clusterroles", "ClusterRole"),
	wide(rbac, "v1", "clusterrolebindings", "ClusterRoleBinding"),
	of(rbac, "v1", "roles", "Role"),
	of(rbac, "v1", "rolebindings", "RoleBinding"),
	wide(admission, "v1", "validatingadmissionpolicies", "ValidatingAdmissionPolicy"),
	wide(admission, "v1", "validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding"),
	wide(admission, "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration"),
	wide(admission, "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration"),
	of("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy"),
	of("batch", "v1", "jobs", "Job"),
	of("batch", "v1", "cronjobs", "CronJob"),
	of(eventing, "v1", "brokers", "Broker"),
	of(eventing, "v1", "triggers", "Trigger"),
	of(eventing, "v1beta3", "eventtypes", "EventType"),
	of(eventing, "v1alpha1", "eventpolicies", "EventPolicy"),
	of(eventing, "v1alpha1", "rabbitmqbrokerconfigs", "RabbitmqBrokerConfig"),
	of(sources, "v1", "apiserversources", "ApiServerSource"),
	of(sources, "v1", "pingsources", "PingSource"),
	of(serving, "v1", "services", "Service"),
	of(serving, "v1beta1", "domainmappings", "DomainMapping"),
	wide("networking.internal.knative.dev", "v1alpha1", "clusterdomainclaims", "ClusterDomainClaim"),
}

// ResourceOf is the resource of an object; an error where no manifest of a release has its kind.
func ResourceOf(u *unstructured.Unstructured) (Resource, error) {
	for _, r := range Resources {
		if r.GVR.GroupVersion().String() == u.GetAPIVersion() && r.Kind == u.GetKind() {
			return r, nil
		}
	}
	return Resource{}, fmt.Errorf("%s %s %s: no manifest of a release has this kind", u.GetAPIVersion(), u.GetKind(),
		u.GetName())
}
