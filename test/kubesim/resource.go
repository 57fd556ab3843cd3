package kubesim

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Resource describes one resource that the server knows.
type Resource struct {
	// GVR is the group, version and plural.
	GVR schema.GroupVersionResource
	// Kind is the kind of its objects.
	Kind string
	// Cluster says that it has no namespace.
	Cluster bool
	// Status says that it has a status subresource: main writes ignore status, status writes ignore everything else.
	Status bool
	// Generation says that metadata.generation counts changes outside metadata and status.
	Generation bool
	// Conditional says that a PUT must name a resourceVersion, as for all custom resources and some others.
	Conditional bool
	// Unowned says that no managedFields are kept: nobody but the world itself writes these, and an apply of one is
	// refused.
	Unowned bool
	// Fields are the selectable fields besides metadata.name and metadata.namespace.
	Fields []string
}

// fill gives a resource of Flink that has no status the one that config/crds fills in. Nobody owns it.
func fill(gvr schema.GroupVersionResource, u *unstructured.Unstructured) {
	if _, there := u.Object["status"]; !there && gvr.GroupVersion() == FlinkDeployments.GroupVersion() {
		u.Object["status"] = map[string]any{"observedGeneration": int64(-1)}
	}
}

func (r Resource) gvk() schema.GroupVersionKind { return r.GVR.GroupVersion().WithKind(r.Kind) }

func (r Resource) groupResource() schema.GroupResource { return r.GVR.GroupResource() }

// The resources that tests name most often.
var (
	FlinkDeployments          = flink("flinkdeployments")
	FlinkSessionJobs          = flink("flinksessionjobs")
	FlinkStateSnapshots       = flink("flinkstatesnapshots")
	FlinkBlueGreenDeployments = flink("flinkbluegreendeployments")
	Deployments               = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	ReplicaSets               = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "replicasets"}
	Pods                      = core("pods")
	Nodes                     = core("nodes")
	NodeMetrics               = schema.GroupVersionResource{Group: "metrics.k8s.io", Version: "v1beta1", Resource: "nodes"}
	PodMetrics                = schema.GroupVersionResource{Group: "metrics.k8s.io", Version: "v1beta1", Resource: "pods"}
	Namespaces                = core("namespaces")
	Services                  = core("services")
	ConfigMaps                = core("configmaps")
	Secrets                   = core("secrets")
	Events                    = core("events")
	ServiceAccounts           = core("serviceaccounts")
	Ingresses                 = schema.GroupVersionResource{
		Group: "networking.k8s.io", Version: "v1", Resource: "ingresses",
	}
	Revisions   = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "controllerrevisions"}
	Leases      = schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}
	PingSources = schema.GroupVersionResource{Group: "sources.knative.dev", Version: "v1", Resource: "pingsources"}
)

func flink(plural string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "flink.apache.org", Version: "v1beta1", Resource: plural}
}

func core(plural string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Version: "v1", Resource: plural}
}

var involvedFields = []string{
	"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
	"involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath",
	"reason", "reportingComponent", "source", "type",
}

var paceFields = []string{"status.pace", "status.lifecycleState"}

// resources is every resource that the server knows, with the traits that kube-apiserver and our CRDs give it.
var resources = []Resource{
	{
		GVR: FlinkDeployments, Kind: "FlinkDeployment", Status: true, Generation: true, Conditional: true,
		Fields: paceFields,
	},
	{
		GVR: FlinkSessionJobs, Kind: "FlinkSessionJob", Status: true, Generation: true, Conditional: true,
		Fields: paceFields,
	},
	{
		GVR: FlinkStateSnapshots, Kind: "FlinkStateSnapshot", Status: true, Generation: true, Conditional: true,
		Fields: paceFields[:1],
	},
	{
		GVR: FlinkBlueGreenDeployments, Kind: "FlinkBlueGreenDeployment", Status: true, Generation: true, Conditional: true,
		Fields: paceFields[:1],
	},
	{GVR: Deployments, Kind: "Deployment", Status: true, Generation: true},
	{GVR: ReplicaSets, Kind: "ReplicaSet", Status: true, Generation: true, Unowned: true},
	{
		GVR: Pods, Kind: "Pod", Status: true, Generation: true, Unowned: true,
		Fields: []string{"spec.nodeName", "spec.restartPolicy", "spec.serviceAccountName", "status.phase", "status.podIP"},
	},
	{GVR: Nodes, Kind: "Node", Cluster: true, Status: true, Unowned: true, Fields: []string{"spec.unschedulable"}},
	{GVR: NodeMetrics, Kind: "NodeMetrics", Cluster: true, Unowned: true},
	{GVR: PodMetrics, Kind: "PodMetrics", Unowned: true},
	{GVR: Namespaces, Kind: "Namespace", Cluster: true, Status: true, Unowned: true, Fields: []string{"status.phase"}},
	{GVR: Revisions, Kind: "ControllerRevision"},
	{GVR: Services, Kind: "Service", Status: true},
	{GVR: ConfigMaps, Kind: "ConfigMap"},
	{GVR: Secrets, Kind: "Secret", Fields: []string{"type"}},
	{GVR: Events, Kind: "Event", Unowned: true, Fields: involvedFields},
	{GVR: ServiceAccounts, Kind: "ServiceAccount"},
	{GVR: Ingresses, Kind: "Ingress", Status: true, Generation: true},
	{GVR: Leases, Kind: "Lease", Conditional: true, Unowned: true},
	{GVR: PingSources, Kind: "PingSource", Status: true, Generation: true, Conditional: true},
}

// Resources are all that the server knows.
func Resources() []Resource { return slices.Clone(resources) }

// Path is that of a resource below the API server's root, or of an object in it. An empty namespace is left out.
func Path(gvr schema.GroupVersionResource, namespace, name string) string {
	path := "/apis/" + gvr.GroupVersion().String()
	if gvr.Group == "" {
		path = "/api/" + gvr.Version
	}
	if namespace != "" {
		path += "/namespaces/" + namespace
	}
	return strings.TrimSuffix(path+"/"+gvr.Resource+"/"+name, "/")
}

func (s *Server) resourceOf(gvr schema.GroupVersionResource) (Resource, bool) {
	for _, all := range [][]Resource{resources, s.Also} {
		if i := slices.IndexFunc(all, func(r Resource) bool { return r.GVR == gvr }); i >= 0 {
			return all[i], true
		}
	}
	return Resource{}, false
}

func (s *Server) mustResource(gvr schema.GroupVersionResource) Resource {
	r, ok := s.resourceOf(gvr)
	if !ok {
		panic("kubesim does not model " + gvr.String())
	}
	return r
}
