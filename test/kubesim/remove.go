package kubesim

import (
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// DeleteOptions are the parts of metav1.DeleteOptions that the model knows.
type DeleteOptions struct {
	// UID, when not empty, must be that of the object.
	UID string
	// ResourceVersion, when not empty, must be that of the object.
	ResourceVersion string
	// Propagation is Foreground, Background or Orphan. Empty means Background, which is the default of every kind here.
	Propagation metav1.DeletionPropagation
	// GraceSeconds is for pods. Nil means the pod's own terminationGracePeriodSeconds, or 30. 0 removes the pod at once,
	// whatever its processes do.
	GraceSeconds *int64
	// Dry leaves the object as it is.
	Dry bool
}

// remove deletes an object or marks it as being deleted. Called with the lock. The returned bool says that something
// changed; the object is its last state.
//
//	pod on a node, grace > 0   marked, the kubelet removes it
//	finalizers left            marked; Foreground and Orphan bring a finalizer of their own, which GC takes away
//	otherwise                  gone
func (s *Server) remove(
	r Resource, namespace, name string, options DeleteOptions,
) (*unstructured.Unstructured, bool, error) {
	k := key{r.GVR, namespace, name}
	old, ok := s.objects[k]
	if !ok {
		return nil, false, apierrors.NewNotFound(r.groupResource(), name)
	}
	if err := deletePrecondition(r, old, options); err != nil || options.Dry {
		return old, false, err
	}
	grace := graceOf(r, old, options)
	if was := old.GetDeletionGracePeriodSeconds(); was != nil && *was > 0 && grace >= *was {
		return old, false, nil
	}
	next := old.DeepCopy()
	next.SetFinalizers(gcFinalizers(next.GetFinalizers(), options.Propagation))
	if r.GVR == Namespaces {
		next.Object["status"] = map[string]any{"phase": "Terminating"}
	}
	if grace == 0 && !isHeld(r.GVR, next) {
		return s.commit(k, old, nil), true, nil
	}
	s.mark(next, grace)
	return s.store(k, old, next)
}

// isHeld says whether an object being deleted stays. A namespace has a finalizer in its spec, too.
func isHeld(gvr schema.GroupVersionResource, u *unstructured.Unstructured) bool {
	own, _, _ := unstructured.NestedSlice(u.Object, "spec", "finalizers")
	return len(u.GetFinalizers()) > 0 || gvr == Namespaces && len(own) > 0
}

func deletePrecondition(r Resource, old *unstructured.Unstructured, options DeleteOptions) error {
	kind := r.groupResource()
	kind.Resource = r.Kind
	if options.UID != "" && options.UID != string(old.GetUID()) {
		return apierrors.NewConflict(kind, old.GetName(), fmt.Errorf(
			"the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted "+
				"and then recreated",
			options.UID, old.GetUID()))
	}
	if options.ResourceVersion != "" && options.ResourceVersion != old.GetResourceVersion() {
		return apierrors.NewConflict(kind, old.GetName(), fmt.Errorf(
			"the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object "+
				"might have been modified",
			options.ResourceVersion, old.GetResourceVersion()))
	}
	return nil
}

// mark says when an object is gone; once that was said, it can only be sooner.
func (s *Server) mark(u *unstructured.Unstructured, grace int64) {
	ends := s.Clock.Now()
	if was := u.GetDeletionTimestamp(); was != nil {
		if *u.GetDeletionGracePeriodSeconds() == 0 {
			return
		}
		if sooner := was.Add(time.Duration(grace-*u.GetDeletionGracePeriodSeconds()) * time.Second); sooner.After(ends) {
			ends = sooner
		} else if grace > 0 {
			grace = 1
		}
	} else {
		ends = ends.Add(time.Duration(grace) * time.Second)
		if u.GetGeneration() > 0 {
			u.SetGeneration(u.GetGeneration() + 1)
		}
	}
	at := metav1.NewTime(ends)
	u.SetDeletionTimestamp(&at)
	u.SetDeletionGracePeriodSeconds(&grace)
}

// graceOf is how many seconds the kubelet has to end a pod. One that needs no kubelet to end when it is first deleted
// has none: it was never bound to a node, or it has ended. Nothing but pods has any.
func graceOf(r Resource, u *unstructured.Unstructured, options DeleteOptions) int64 {
	node, _, _ := unstructured.NestedString(u.Object, "spec", "nodeName")
	phase, _, _ := unstructured.NestedString(u.Object, "status", "phase")
	was := u.GetDeletionGracePeriodSeconds()
	switch {
	case r.GVR != Pods, was == nil && (node == "" || phase == "Succeeded" || phase == "Failed"):
		return 0
	case options.GraceSeconds != nil:
		return *options.GraceSeconds
	case was != nil:
		return *was
	}
	if own, ok, _ := unstructured.NestedInt64(u.Object, "spec", "terminationGracePeriodSeconds"); ok {
		return own
	}
	return 30
}

// gcFinalizers sets the finalizer of the propagation policy and takes away that of another one. Without a policy a
// finalizer that is there decides.
func gcFinalizers(finalizers []string, policy metav1.DeletionPropagation) []string {
	if policy == "" {
		return finalizers
	}
	kept := slices.DeleteFunc(slices.Clone(finalizers), func(f string) bool {
		return f == metav1.FinalizerOrphanDependents || f == metav1.FinalizerDeleteDependents
	})
	switch policy {
	case metav1.DeletePropagationForeground:
		kept = append(kept, metav1.FinalizerDeleteDependents)
	case metav1.DeletePropagationOrphan:
		kept = append(kept, metav1.FinalizerOrphanDependents)
	}
	return kept
}
