package kubesim

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Event is what an ApiServerSource would send for one change. It carries no more than the source's Reference mode does.
type Event struct {
	// Type is add, update or delete.
	Type string
	// APIVersion is that of the object.
	APIVersion string
	// Kind is that of the object.
	Kind string
	// Namespace is that of the object, empty for cluster-scoped ones.
	Namespace string
	// Name is that of the object.
	Name string
	// Resource is the plural, for the event's subject.
	Resource string
}

// Subject is the CloudEvent subject that the ApiServerSource sets: the object's API path.
func (e Event) Subject() string {
	group := "/apis/" + e.APIVersion
	if e.APIVersion == "v1" {
		group = "/api/v1"
	}
	return group + "/namespaces/" + e.Namespace + "/" + e.Resource + "/" + e.Name
}

// CloudEventType is the type that the ApiServerSource sets in its Reference mode.
func (e Event) CloudEventType() string { return "dev.knative.apiserver.ref." + e.Type }

// String is one line for a test's log.
func (e Event) String() string { return e.Type + " " + e.Kind + " " + e.Namespace + "/" + e.Name }

// Feed holds the events that were not taken yet, oldest first. Deliver them once, twice, late, in another order or
// never: they are plain values. Safe for concurrent use.
type Feed struct {
	mu      sync.Mutex
	watches func(*unstructured.Unstructured) bool
	events  []Event
}

func newFeed() *Feed { return &Feed{watches: isWatched} }

// isWatched is what the installed ApiServerSources watch: the four kinds, and Flink's Deployments by label.
func isWatched(u *unstructured.Unstructured) bool {
	if u.GroupVersionKind().Group == FlinkDeployments.Group {
		return true
	}
	kind := u.GetLabels()["type"]
	return u.GetKind() == "Deployment" && (kind == "flink-native-kubernetes" || kind == "flink-standalone-kubernetes")
}

// Watch replaces which objects are watched.
func (f *Feed) Watch(watches func(*unstructured.Unstructured) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watches = watches
}

// Pending returns the events without taking them.
func (f *Feed) Pending() []Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Event(nil), f.events...)
}

// Take returns the events and forgets them.
func (f *Feed) Take() []Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	events := f.events
	f.events = nil
	return events
}

// changed feeds one change. As in the API server, an object that no longer matches the watch is a delete, and one that
// matches from now on is an add.
func (f *Feed) changed(gvr schema.GroupVersionResource, old, new *unstructured.Unstructured) {
	f.mu.Lock()
	defer f.mu.Unlock()
	was, is := old != nil && f.watches(old), new != nil && f.watches(new)
	switch {
	case was && is:
		f.add("update", gvr, new)
	case is:
		f.add("add", gvr, new)
	case was:
		f.add("delete", gvr, old)
	}
}

func (f *Feed) add(kind string, gvr schema.GroupVersionResource, u *unstructured.Unstructured) {
	f.events = append(f.events, Event{
		Type: kind, APIVersion: u.GetAPIVersion(), Kind: u.GetKind(),
		Namespace: u.GetNamespace(), Name: u.GetName(), Resource: gvr.Resource,
	})
}
