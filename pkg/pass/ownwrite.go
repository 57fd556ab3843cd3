package pass

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
func ownWrite(u *unstructured.Unstructured, manager string) bool {
	created := u.GetCreationTimestamp().Time
	var ours, others time.Time
	for _, entry := range u.GetManagedFields() {
		switch {
		case entry.Time == nil:
			return false
		case entry.Manager == manager:
			ours = later(ours, entry.Time.Time)
		case !entry.Time.Time.Equal(created):
			others = later(others, entry.Time.Time)
		}
	}
	if mark := u.GetDeletionTimestamp(); mark != nil {
		others = later(others, mark.Time)
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
