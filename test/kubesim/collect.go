package kubesim

import (
	"slices"
	"sort"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// GC runs the garbage collector and the namespace controller once over all objects and says whether anything changed.
// Every decision of a call is made on what was there before it, so that one call is one level of a cascade: a test can
// look, and write, between owner and dependents.
func (s *Server) GC() bool { return s.GCBehind(nil) }

// GCBehind is GC of a collector that has not heard yet that some owners are gone.
func (s *Server) GCBehind(known func(types.UID) bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	version := s.version
	if version == s.collected {
		return false // the last call looked at the very same objects and found nothing to do
	}
	var work []func()
	for _, k := range s.allKeys() {
		if u := s.objects[k]; u.GetDeletionTimestamp() != nil {
			work = append(work, s.finish(k, u)...)
		} else {
			work = append(work, s.collect(k, u, known)...)
		}
	}
	for _, step := range work {
		step()
	}
	if len(work) == 0 && known == nil {
		s.collected = version
	}
	return s.version != version
}

// allKeys returns every key of this moment, ordered by resource, namespace and name.
func (s *Server) allKeys() []key {
	keys := make([]key, 0, len(s.objects))
	for k := range s.objects {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if a, b := keys[i].gvr, keys[j].gvr; a != b {
			return a.Resource < b.Resource // no two resources of the model have one plural
		}
		return before(keys[i], keys[j])
	})
	return keys
}

// finish carries out the finalizers that are the collector's own.
func (s *Server) finish(k key, u *unstructured.Unstructured) []func() {
	var work []func()
	switch {
	case slices.Contains(u.GetFinalizers(), metav1.FinalizerOrphanDependents):
		for _, dependent := range s.dependents(u) {
			work = append(work, func() { s.dropOwner(dependent, u.GetUID()) })
		}
		return append(work, func() { s.dropFinalizer(k, metav1.FinalizerOrphanDependents) })
	case slices.Contains(u.GetFinalizers(), metav1.FinalizerDeleteDependents):
		if !slices.ContainsFunc(s.dependents(u), func(d key) bool { return s.blocks(d, u.GetUID()) }) {
			return []func(){func() { s.dropFinalizer(k, metav1.FinalizerDeleteDependents) }}
		}
	case k.gvr == Namespaces:
		return s.emptyNamespace(k)
	}
	return nil
}

func (s *Server) emptyNamespace(k key) []func() {
	var work []func()
	for _, inside := range s.allKeys() {
		if inside.namespace == k.name {
			work = append(work, func() {
				s.mustRemove(inside, DeleteOptions{Propagation: metav1.DeletePropagationBackground})
			})
		}
	}
	if work == nil {
		done := func(u *unstructured.Unstructured) { unstructured.RemoveNestedField(u.Object, "spec", "finalizers") }
		return []func(){func() { s.mustUpdate(k, done) }}
	}
	return work
}

// collect looks at the owners of one object.
//
//	an owner is there             references to owners that are gone or wait for this object are taken away
//	none, one waits for this      deleted; Foreground when others depend on it
//	none, all are gone            deleted in the background
func (s *Server) collect(k key, u *unstructured.Unstructured, known func(types.UID) bool) []func() {
	solid, waiting, gone := s.owners(u)
	if known != nil && slices.ContainsFunc(gone, known) {
		return nil
	}
	options := DeleteOptions{UID: string(u.GetUID())}
	switch {
	case len(waiting)+len(gone) == 0:
		return nil
	case solid > 0:
		var work []func()
		for _, uid := range append(waiting, gone...) {
			work = append(work, func() { s.dropOwner(k, uid) })
		}
		return work
	case len(waiting) > 0 && len(s.dependents(u)) > 0:
		options.Propagation = metav1.DeletePropagationForeground
	}
	return []func(){func() { s.mustRemove(k, options) }}
}

func (s *Server) owners(u *unstructured.Unstructured) (solid int, waiting, gone []types.UID) {
	for _, ref := range u.GetOwnerReferences() {
		owner := s.owner(u.GetNamespace(), ref)
		switch {
		case owner == nil:
			gone = append(gone, ref.UID)
		case owner.GetDeletionTimestamp() != nil &&
			slices.Contains(owner.GetFinalizers(), metav1.FinalizerDeleteDependents):
			waiting = append(waiting, ref.UID)
		default:
			solid++
		}
	}
	return solid, waiting, gone
}

// owner finds the object that a reference names: same kind, name and uid, in the dependent's namespace or none.
func (s *Server) owner(namespace string, ref metav1.OwnerReference) *unstructured.Unstructured {
	for _, r := range resources {
		if r.Kind != ref.Kind || r.GVR.GroupVersion().String() != ref.APIVersion {
			continue
		}
		if r.Cluster {
			namespace = ""
		}
		if u, ok := s.objects[key{r.GVR, namespace, ref.Name}]; ok && u.GetUID() == ref.UID {
			return u
		}
	}
	return nil
}

func (s *Server) dependents(owner *unstructured.Unstructured) []key {
	var found []key
	for _, k := range s.allKeys() {
		if owner.GetNamespace() != "" && k.namespace != owner.GetNamespace() {
			continue
		}
		if slices.ContainsFunc(s.objects[k].GetOwnerReferences(), func(ref metav1.OwnerReference) bool {
			return ref.UID == owner.GetUID()
		}) {
			found = append(found, k)
		}
	}
	return found
}

// blocks says whether a dependent holds up the Foreground deletion of its owner.
func (s *Server) blocks(dependent key, owner types.UID) bool {
	return slices.ContainsFunc(s.objects[dependent].GetOwnerReferences(), func(ref metav1.OwnerReference) bool {
		return ref.UID == owner && ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion
	})
}

func (s *Server) dropOwner(k key, uid types.UID) {
	s.mustUpdate(k, func(u *unstructured.Unstructured) {
		u.SetOwnerReferences(slices.DeleteFunc(u.GetOwnerReferences(), func(ref metav1.OwnerReference) bool {
			return ref.UID == uid
		}))
	})
}

func (s *Server) dropFinalizer(k key, finalizer string) {
	s.mustUpdate(k, func(u *unstructured.Unstructured) {
		u.SetFinalizers(slices.DeleteFunc(u.GetFinalizers(), func(f string) bool { return f == finalizer }))
	})
}

func (s *Server) mustUpdate(k key, change func(*unstructured.Unstructured)) {
	if s.objects[k] == nil {
		return
	}
	w := write{resource: s.mustResource(k.gvr), namespace: k.namespace, name: k.name, manager: "kube-controller-manager"}
	_, _, err := s.update(w, func(u *unstructured.Unstructured) error {
		change(u)
		return nil
	})
	if err != nil {
		s.t.Errorf("kubesim: garbage collector: update %s %s/%s: %v", k.gvr.Resource, k.namespace, k.name, err)
	}
}

func (s *Server) mustRemove(k key, options DeleteOptions) {
	if s.objects[k] == nil {
		return
	}
	if _, _, err := s.remove(s.mustResource(k.gvr), k.namespace, k.name, options); err != nil {
		s.t.Errorf("kubesim: garbage collector: delete %s %s/%s: %v", k.gvr.Resource, k.namespace, k.name, err)
	}
}
