package kube

import "k8s.io/apimachinery/pkg/runtime/schema"

// The resources besides our own four kinds. The mapping is fixed, so that a cold start asks the API server for no
// discovery.
var (
	Deployments     = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	ReplicaSets     = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "replicasets"}
	Pods            = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	Namespaces      = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	Nodes           = schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
	NodeMetrics     = schema.GroupVersionResource{Group: "metrics.k8s.io", Version: "v1beta1", Resource: "nodes"}
	PodMetrics      = schema.GroupVersionResource{Group: "metrics.k8s.io", Version: "v1beta1", Resource: "pods"}
	Leases          = schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}
	Revisions       = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "controllerrevisions"}
	Services        = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	ConfigMaps      = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	Secrets         = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	Events          = schema.GroupVersionResource{Version: "v1", Resource: "events"}
	ServiceAccounts = schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
	Ingresses       = schema.GroupVersionResource{Group: "networking.k8s.io", Version: "v1", Resource: "ingresses"}
	PingSources     = schema.GroupVersionResource{Group: "sources.knative.dev", Version: "v1", Resource: "pingsources"}
)

// Kinds of objects that a JobManager Deployment owns, itself or through its ReplicaSet.
const (
	KindDeployment = "Deployment"
	KindReplicaSet = "ReplicaSet"
	KindPod        = "Pod"
	KindService    = "Service"
	KindConfigMap  = "ConfigMap"
	KindSecret     = "Secret"
)

// Owned is the resource of one of those kinds; another kind has the zero value.
func Owned(kind string) schema.GroupVersionResource {
	switch kind {
	case KindDeployment:
		return Deployments
	case KindReplicaSet:
		return ReplicaSets
	case KindPod:
		return Pods
	case KindService:
		return Services
	case KindConfigMap:
		return ConfigMaps
	case KindSecret:
		return Secrets
	default:
		return schema.GroupVersionResource{}
	}
}
