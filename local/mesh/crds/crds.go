package crds

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// kind is one row of the table.
type kind struct {
	group, version, kind, plural string
	short                        []string
	cluster                      bool // not namespaced
	source                       bool // an event source, to `kn source list`
	columns                      []column
}

type column struct{ name, path string }

var (
	ready  = column{"Ready", `.status.conditions[?(@.type=="Ready")].status`}
	reason = column{"Reason", `.status.conditions[?(@.type=="Ready")].reason`}
	sink   = column{"Sink", ".status.sinkUri"}
)

// table has the kinds; columns and short names are Knative's.
var table = []kind{
	{group: "serving.knative.dev", version: "v1", kind: "Service", plural: "services",
		short: []string{"kservice", "ksvc"}, columns: []column{
			{"URL", ".status.url"}, {"LatestCreated", ".status.latestCreatedRevisionName"},
			{"LatestReady", ".status.latestReadyRevisionName"}, ready, reason,
		}},
	{
		group: "serving.knative.dev", version: "v1beta1", kind: "DomainMapping", plural: "domainmappings",
		short: []string{"dm"}, columns: []column{{"URL", ".status.url"}, ready, reason},
	},
	{
		group: "networking.internal.knative.dev", version: "v1alpha1", kind: "ClusterDomainClaim",
		plural: "clusterdomainclaims", short: []string{"cdc"}, cluster: true,
	},
	{
		group: "eventing.knative.dev", version: "v1", kind: "Broker", plural: "brokers",
		columns: []column{{"URL", ".status.address.url"}, ready, reason},
	},
	{group: "eventing.knative.dev", version: "v1", kind: "Trigger", plural: "triggers", columns: []column{
		{"Broker", ".spec.broker"}, {"Subscriber_URI", ".status.subscriberUri"}, ready, reason,
	}},
	{group: "eventing.knative.dev", version: "v1beta3", kind: "EventType", plural: "eventtypes", columns: []column{
		{"Type", ".spec.attributes[?(@.name==\"type\")].value"}, {"Reference Name", ".spec.reference.name"},
		{"Description", ".spec.description"},
	}},
	{
		group: "sources.knative.dev", version: "v1", kind: "ApiServerSource", plural: "apiserversources", source: true,
		columns: []column{sink, ready, reason},
	},
	{
		group: "sources.knative.dev", version: "v1", kind: "PingSource", plural: "pingsources", source: true,
		columns: []column{sink, {"Schedule", ".spec.schedule"}, ready, reason},
	},
}

// All are the definitions, in the order of the table.
func All() []*apiextensionsv1.CustomResourceDefinition {
	var out []*apiextensionsv1.CustomResourceDefinition
	for _, k := range table {
		out = append(out, k.definition())
	}
	return out
}

func (k kind) definition() *apiextensionsv1.CustomResourceDefinition {
	scope := apiextensionsv1.NamespaceScoped
	if k.cluster {
		scope = apiextensionsv1.ClusterScoped
	}
	labels := map[string]string{}
	if k.source {
		labels["duck.knative.dev/source"] = "true"
	}
	open := true
	anything := apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &open}
	version := apiextensionsv1.CustomResourceDefinitionVersion{
		Name: k.version, Served: true, Storage: true,
		Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
			Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": anything, "status": anything},
		}},
		Subresources: &apiextensionsv1.CustomResourceSubresources{
			Status: &apiextensionsv1.CustomResourceSubresourceStatus{},
		},
	}
	for _, c := range k.columns {
		version.AdditionalPrinterColumns = append(
			version.AdditionalPrinterColumns,
			apiextensionsv1.CustomResourceColumnDefinition{Name: c.name, Type: "string", JSONPath: c.path},
		)
	}
	return &apiextensionsv1.CustomResourceDefinition{
		TypeMeta: metav1.TypeMeta{
			APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition",
		},
		ObjectMeta: metav1.ObjectMeta{Name: k.plural + "." + k.group, Labels: labels},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: k.group, Scope: scope,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Kind: k.kind, Plural: k.plural, ShortNames: k.short, Categories: []string{"all", "knative"},
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{version},
		},
	}
}
