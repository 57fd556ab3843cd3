package pass

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
)

// ownWrite reports whether the last change of a resource is a write of our own, by managedFields. The pass that wrote
// it knew what it wrote and went on, and the clock looks at whatever is in transition every two seconds; so the event
// of that write asks for nothing. managedFields count in seconds: where somebody else may have been the last, it is no
// write of our own.
//
//	last write                                        own
//	ours, a second or more after everybody else's     yes
//	ours, in the second in which it was created       yes, if its generation was observed
//	ours, before or at its mark for deletion          no: the mark has no entry of its own
//	nobody's, or somebody else's                      no
//	any, and its annotation asks for an attempt       no
func ownWrite(u *unstructured.Unstructured, manager string) bool {
	created := u.GetCreationTimestamp().Time
	var ours, others time.Time
	// as sent: GetManagedFields decodes which fields they are, too, which may be most of the resource
	entries, _, _ := unstructured.NestedFieldNoCopy(u.Object, "metadata", "managedFields")
	list, _ := entries.([]any)
	for _, item := range list {
		entry, _ := item.(map[string]any)
		text, _ := entry["time"].(string)
		at, err := time.Parse(time.RFC3339, text)
		switch {
		case err != nil:
			return false
		case entry["manager"] == manager:
			ours = later(ours, at)
		case !at.Equal(created):
			others = later(others, at)
		}
	}
	if mark := u.GetDeletionTimestamp(); mark != nil {
		others = later(others, mark.Time)
	}
	if k, known := kinds.Of(u.GetKind()); known && k.Counted {
		asked := v1beta1.ReconcileRequested(u.GetAnnotations())
		answered, _, _ := unstructured.NestedString(u.Object, "status", "reconcileRequested")
		if asked != "" && asked != answered {
			return false
		}
	}
	observed, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	return manager != "" && ours.After(others) && observed == u.GetGeneration()
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
