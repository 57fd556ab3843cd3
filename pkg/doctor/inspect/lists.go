package inspect

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/doctor"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

// list is what one source is read by.
type list struct {
	kube.Query
	// system is whether it is in the namespace of the installation.
	system bool
	// wanted says which objects are kept; nil means all.
	wanted func(*unstructured.Unstructured) bool
}

func resource(group, version, plural string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: version, Resource: plural}
}

// The groups whose kinds are read.
const (
	admission = "admissionregistration.k8s.io"
	rbac      = "rbac.authorization.k8s.io"
	eventing  = "eventing.knative.dev"
	sources   = "sources.knative.dev"
	serving   = "serving.knative.dev"
)

var definitions = resource("apiextensions.k8s.io", "v1", "customresourcedefinitions")

// labelled selects what an installation has.
const labelled = "app.kubernetes.io/part-of=kn-flink"

// all belong to the cluster, own those of any installation, and in those in the namespace of the installation.
func all(r schema.GroupVersionResource) list { return list{Query: kube.Query{Resource: r}} }

func own(r schema.GroupVersionResource) list {
	return list{Query: kube.Query{Resource: r, Labels: labelled}}
}

func in(r schema.GroupVersionResource, labels string) list {
	return list{Query: kube.Query{Resource: r, Labels: labels}, system: true}
}

// lists are the sources that are lists.
var lists = map[doctor.Source][]list{
	doctor.Exposed:             {all(kube.Services)},
	doctor.Operators:           {{Query: kube.Query{Resource: kube.Deployments}, wanted: doctor.IsJavaOperator}},
	doctor.Policies:            {own(resource(admission, "v1", "validatingadmissionpolicies"))},
	doctor.Bindings:            {own(resource(admission, "v1", "validatingadmissionpolicybindings"))},
	doctor.Namespaces:          {all(kube.Namespaces)},
	doctor.Functions:           {in(resource(serving, "v1", "services"), labelled)},
	doctor.Brokers:             {in(resource(eventing, "v1", "brokers"), labelled)},
	doctor.Triggers:            {in(resource(eventing, "v1", "triggers"), labelled)},
	doctor.Sources:             {in(resource(sources, "v1", "apiserversources"), labelled)},
	doctor.Clocks:              {in(kube.PingSources, labelled)},
	doctor.Addresses:           {in(resource(serving, "v1beta1", "domainmappings"), labelled)},
	doctor.Renewals:            {in(resource("batch", "v1", "cronjobs"), labelled)},
	doctor.Pods:                {in(kube.Pods, "")},
	doctor.Roles:               {in(resource(rbac, "v1", "roles"), labelled)},
	doctor.Accounts:            {all(kube.ServiceAccounts)},
	doctor.RoleBindings:        {own(resource(rbac, "v1", "rolebindings"))},
	doctor.ClusterRoles:        {own(resource(rbac, "v1", "clusterroles"))},
	doctor.ClusterRoleBindings: {own(resource(rbac, "v1", "clusterrolebindings"))},
	doctor.Webhooks: {
		own(resource(admission, "v1", "mutatingwebhookconfigurations")),
		own(resource(admission, "v1", "validatingwebhookconfigurations")),
	},
	doctor.Told: {{
		Query: kube.Query{Resource: kube.Events, Fields: "involvedObject.name=" + doctor.SettingsName}, system: true,
	}},
}
