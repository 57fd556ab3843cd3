package owners

import (
	"fmt"
	"maps"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
)

// Managers holds one field manager per kind and subresource. Not safe for concurrent use.
type Managers map[string]*managedfields.FieldManager

// Writer says who writes what.
type Writer struct {
	// Manager is the field manager's name.
	Manager string
	// Kind is the kind of the object.
	Kind schema.GroupVersionKind
	// Status says that it writes through the status subresource.
	Status bool
	// Now stamps what it comes to own.
	Now time.Time
}

func (m Managers) of(w Writer) (*managedfields.FieldManager, error) {
	subresource := ""
	if w.Status {
		subresource = "status"
	}
	id := w.Kind.String() + "/" + subresource
	if manager, ok := m[id]; ok {
		return manager, nil
	}
	manager, err := managedfields.NewDefaultCRDFieldManager(
		managedfields.NewDeducedTypeConverter(), sameVersion{}, noDefaults{}, maker{}, w.Kind, w.Kind.GroupVersion(),
		subresource, nil)
	if err != nil {
		return nil, fmt.Errorf("make a field manager for %s: %w", id, err)
	}
	m[id] = manager
	return manager, nil
}

// Track writes the owner of what differs between live and next into next. For a create, live is Empty. It fails only
// for a kind that the API machinery cannot handle.
func (m Managers) Track(w Writer, live, next *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	manager, err := m.of(w)
	if err != nil {
		return nil, err
	}
	tracked := manager.UpdateNoErrors(live, next, w.Manager).(*unstructured.Unstructured)
	stamp(live, tracked, w.Now)
	return tracked, nil
}

// Merge is server-side apply: the wanted fields on top of the live object, minus what this manager no longer wants. A
// field of another manager with another value is a 409 with its causes, unless forced.
func (m Managers) Merge(
	w Writer, live, wanted *unstructured.Unstructured, force bool,
) (*unstructured.Unstructured, error) {
	manager, err := m.of(w)
	if err != nil {
		return nil, err
	}
	merged, err := manager.Apply(live, wanted, w.Manager, force)
	if err != nil {
		return nil, err
	}
	u := merged.(*unstructured.Unstructured)
	stamp(live, u, w.Now)
	return u, nil
}

// Empty is the object that a create is compared with.
func Empty(kind schema.GroupVersionKind) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(kind)
	return u
}

// stamp replaces the real clock's times in managedFields by simulated ones, and keeps the time of an entry that did
// not change, as the API server does. It reads entries as they are stored: to decode the fields would cost the most.
func stamp(old, new *unstructured.Unstructured, now time.Time) {
	before := map[string]map[string]any{}
	for _, e := range entriesOf(old) {
		before[entryID(e)] = e
	}
	var stamped []any
	for _, e := range entriesOf(new) {
		e = maps.Clone(e)
		e["time"] = now.UTC().Format(time.RFC3339)
		if o, ok := before[entryID(e)]; ok && o["time"] != nil && reflect.DeepEqual(o["fieldsV1"], e["fieldsV1"]) {
			e["time"] = o["time"]
		}
		stamped = append(stamped, e)
	}
	if len(stamped) > 0 {
		new.Object["metadata"].(map[string]any)["managedFields"] = stamped
	}
}

func entriesOf(u *unstructured.Unstructured) []map[string]any {
	list, _, _ := unstructured.NestedFieldNoCopy(u.Object, "metadata", "managedFields")
	items, _ := list.([]any)
	entries := make([]map[string]any, len(items))
	for i, item := range items {
		entries[i] = item.(map[string]any)
	}
	return entries
}

func entryID(e map[string]any) string {
	return fmt.Sprint(e["manager"], "/", e["operation"], "/", e["subresource"])
}

// sameVersion converts nothing: every resource has one version.
type sameVersion struct{}

func (sameVersion) Convert(in, out, context any) error {
	return fmt.Errorf("kubesim converts no %T into %T", in, out)
}

func (sameVersion) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}

func (sameVersion) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

// maker makes the empty object that the field manager asks for.
type maker struct{}

func (maker) New(kind schema.GroupVersionKind) (runtime.Object, error) { return Empty(kind), nil }

type noDefaults struct{}

func (noDefaults) Default(runtime.Object) {}
