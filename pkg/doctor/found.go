package doctor

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Source names facts that are read together.
type Source string

// The sources.
const (
	// Server is the version of the API server.
	Server Source = "version"
	// Definitions belong to our kinds and of Knative's, by name.
	Definitions Source = "customresourcedefinitions"
	// Exposed are the Services of all namespaces.
	Exposed Source = "services"
	// Network are the ConfigMaps that say which ingress Knative has.
	Network Source = "configmaps in knative-serving"
	// Operators are the Deployments of the Java operator.
	Operators Source = "deployments"
	// Settings are the ConfigMaps flink-operator-config of this installation and of Java operators.
	Settings Source = "configmaps"
	// Policies and Bindings are the admission policies of all installations.
	Policies Source = "validatingadmissionpolicies"
	Bindings Source = "validatingadmissionpolicybindings"
	// Namespaces are all of them.
	Namespaces Source = "namespaces"
	// Webhooks are the webhook configurations of all installations and of Java operators.
	Webhooks Source = "webhook configurations"
	// Jobs are the resources of our kinds.
	Jobs Source = "flink resources"
	// Rights belong to the user.
	Rights Source = "selfsubjectaccessreviews"
	// Functions and what follows them are in the namespace of the installation.
	Functions Source = "services.serving.knative.dev"
	Brokers   Source = "brokers"
	Triggers  Source = "triggers"
	Sources   Source = "apiserversources"
	Clocks    Source = "pingsources"
	Addresses Source = "domainmappings"
	Renewals  Source = "cronjobs"
	Pods      Source = "pods"
	Told      Source = "events"
	Roles     Source = "roles"
	// Accounts are the service accounts of all namespaces.
	Accounts Source = "serviceaccounts"
	// RoleBindings belong to all namespaces with the label of an installation, ClusterRoles and ClusterRoleBindings
	// those of the cluster.
	RoleBindings        Source = "rolebindings"
	ClusterRoles        Source = "clusterroles"
	ClusterRoleBindings Source = "clusterrolebindings"
	// Webhook is the answer of the admission webhook to a dry run.
	Webhook Source = "dry run of a session job"
)

// statusPolicy is the policy by which an installation keeps the status of what it has in its scope.
const statusPolicy = "kn-flink-status"

// Asked is the installation that is judged.
type Asked struct {
	// System is its namespace.
	System string
	// Version is that of whoever judges; empty for one that is not known.
	Version string
	// Overlay is the shape that is to be installed; empty for the plain one.
	Overlay string
	// Scope is the label selector of the namespaces that it is to watch; empty for all.
	Scope string
	// NoWebhook is whether it is to have no webhook.
	NoWebhook bool
	// GatewayNamespace is where the gateway of Knative's ingress is, if there is more than one.
	GatewayNamespace string
	// GoOn is whether resources that would not be run in full stop no installation.
	GoOn bool
}

// Job is what is judged of one resource of our kinds.
type Job struct {
	// Kind, Namespace and Name are whose.
	Kind, Namespace, Name string
	// Account is the service account that its spec names; empty where it names none.
	Account string
	// Jar is the scheme of the address of its jar; empty where there is none.
	Jar string
	// Autoscaled is whether its own options turn the autoscaler on, Sized whether an autoscaler has set its size, and
	// Fixed whether its spec sets it.
	Autoscaled, Sized, Fixed bool
	// Unseen is since when no function has observed its newest spec; zero where one has.
	Unseen time.Time
	// Stalled is the reason for which it waits for a user; empty where it does not.
	Stalled string
	// Step belongs to the operation that is open; empty for none.
	Step string
	// Options are the keys of its own options.
	Options []string
	// Canary is whether it proves that changes arrive, and is never deployed.
	Canary bool
}

// Found are the facts.
type Found struct {
	// Now is when they were read.
	Now time.Time
	// Minor is N of Kubernetes 1.N.
	Minor int
	// Objects are what was read of each source.
	Objects map[Source][]*unstructured.Unstructured
	// Jobs are the resources of our kinds.
	Jobs []Job
	// Denied are the resources that the user may not patch.
	Denied []string
	// TrustedUntil is when the newest authority of the webhook ends; zero where it has none.
	TrustedUntil time.Time
	// Answered is how long the webhook took to answer a dry run; zero where it did not answer.
	Answered time.Duration
	// Unread says of a source why it could not be read.
	Unread map[Source]string
}

// all are the objects of a source that are wanted.
func (f Found) all(s Source, wanted func(*unstructured.Unstructured) bool) (found []*unstructured.Unstructured) {
	for _, u := range f.Objects[s] {
		if wanted(u) {
			found = append(found, u)
		}
	}
	return found
}

// one is the object of a source with a name; empty for a namespace means any. Nil where there is none.
func (f Found) one(s Source, namespace, name string) *unstructured.Unstructured {
	i := slices.IndexFunc(f.Objects[s], func(u *unstructured.Unstructured) bool {
		return u.GetName() == name && (namespace == "" || u.GetNamespace() == namespace)
	})
	if i < 0 {
		return nil
	}
	return f.Objects[s][i]
}

// objectOf is the content of an object; nil where there is none.
func objectOf(u *unstructured.Unstructured) map[string]any {
	if u == nil {
		return nil
	}
	return u.Object
}

// text is a field of an object; empty where there is none.
func text(u *unstructured.Unstructured, fields ...string) string {
	if u == nil {
		return ""
	}
	value, _, _ := unstructured.NestedString(u.Object, fields...)
	return value
}

// maps are the maps in a list of an object.
func maps(u *unstructured.Unstructured, fields ...string) (found []map[string]any) {
	if u == nil {
		return nil
	}
	list, _, _ := unstructured.NestedSlice(u.Object, fields...)
	for _, entry := range list {
		if m, is := entry.(map[string]any); is {
			found = append(found, m)
		}
	}
	return found
}

// condition is the status, reason and message of a condition; empty where there is none.
func condition(u *unstructured.Unstructured, kind string) (status, reason, message string) {
	for _, c := range maps(u, "status", "conditions") {
		if c["type"] == kind {
			status, _ = c["status"].(string)
			reason, _ = c["reason"].(string)
			message, _ = c["message"].(string)
		}
	}
	return status, reason, message
}
