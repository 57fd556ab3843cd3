package kubesim

import (
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
	if err := deletePrecondition(r, old, options); err != nil {
		return nil, false, err
	}
	next := old.DeepCopy()
	graceful := r.GVR == Pods && !s.mayGoAtOnce(next, options)
	next.SetFinalizers(gcFinalizers(next.GetFinalizers(), options.Propagation))
	if r.GVR == Namespaces {
		next.SetFinalizers([]string{"kubernetes"})
		next.Object["status"] = map[string]any{"phase": "Terminating"}
	}
	if !graceful && len(next.GetFinalizers()) == 0 {
		return s.commit(k, old, nil), true, nil
	}
	if old.GetDeletionTimestamp() == nil {
		s.mark(next, graceful, options)
	} else if !graceful && r.GVR == Pods {
		next.SetDeletionGracePeriodSeconds(new(int64))
	}
	return s.store(k, old, next)
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

// mayGoAtOnce says whether a pod needs no kubelet to end: it was never bound to a node, it has ended, or nobody waits.
func (s *Server) mayGoAtOnce(pod *unstructured.Unstructured, options DeleteOptions) bool {
	node, _, _ := unstructured.NestedString(pod.Object, "spec", "nodeName")
	phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase")
	return node == "" || phase == "Succeeded" || phase == "Failed" || options.GraceSeconds != nil &&
		*options.GraceSeconds == 0
}

func (s *Server) mark(u *unstructured.Unstructured, graceful bool, options DeleteOptions) {
	grace := int64(0)
	if graceful {
		grace = graceOf(u, options)
	}
	at := metav1.NewTime(s.Clock.Now().Add(time.Duration(grace) * time.Second))
	u.SetDeletionTimestamp(&at)
	u.SetDeletionGracePeriodSeconds(&grace)
	if u.GetGeneration() > 0 {
		u.SetGeneration(u.GetGeneration() + 1)
	}
}

func graceOf(pod *unstructured.Unstructured, options DeleteOptions) int64 {
	if options.GraceSeconds != nil {
		return *options.GraceSeconds
	}
	if own, ok, _ := unstructured.NestedInt64(pod.Object, "spec", "terminationGracePeriodSeconds"); ok {
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
