package kube

import "k8s.io/apimachinery/pkg/runtime/schema"

// The resources besides our own four kinds. The mapping is fixed, so that a cold start asks the API server for no discovery.
var (
	Deployments     = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	Pods            = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	Nodes           = schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
	Services        = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	ConfigMaps      = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	Secrets         = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	Events          = schema.GroupVersionResource{Version: "v1", Resource: "events"}
	ServiceAccounts = schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
	Ingresses       = schema.GroupVersionResource{Group: "networking.k8s.io", Version: "v1", Resource: "ingresses"}
	PingSources     = schema.GroupVersionResource{Group: "sources.knative.dev", Version: "v1", Resource: "pingsources"}
)

// Companion is the resource of a kind that a cluster's Deployment owns: Service, ConfigMap or Secret.
func Companion(kind string) schema.GroupVersionResource {
	switch kind {
	case "Service":
		return Services
	case "Secret":
		return Secrets
	default:
		return ConfigMaps
	}
}
