package kubesim

import (
	"errors"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kn-flink/kn-flink/test/kubesim/owners"
)

// write says which object is written, how, and by whom.
type write struct {
	resource  Resource
	namespace string
	name      string
	manager   string
	status    bool // through the status subresource
	replace   bool // a PUT: a foreign uid is a conflict, a missing resourceVersion means "whatever is there"
	client    bool // passes admission
	dry       bool // a create or a patch that is judged and not stored
}

func (s *Server) writer(w write) owners.Writer {
	return owners.Writer{Manager: w.manager, Kind: w.resource.gvk(), Status: w.status, Now: s.Clock.Now()}
}

// track writes into next who owns what of it.
func (s *Server) track(w write, old, next *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if w.resource.Unowned {
		return next, nil
	}
	return s.managers.Track(s.writer(w), old, next)
}

const staleMessage = "the object has been modified; please apply your changes to the latest version and try again"

// create stores a new object. Called with the lock. The returned bool says that something changed.
func (s *Server) create(
	r Resource, namespace string, u *unstructured.Unstructured, manager string,
) (*unstructured.Unstructured, bool, error) {
	return s.createAs(write{resource: r, namespace: namespace, manager: manager}, u)
}

func (s *Server) createAs(w write, u *unstructured.Unstructured) (*unstructured.Unstructured, bool, error) {
	r := w.resource
	u, err := normal(u)
	if err != nil {
		return nil, false, apierrors.NewBadRequest(err.Error())
	}
	if err := s.placeNew(w, u); err != nil {
		return nil, false, err
	}
	k := key{r.GVR, u.GetNamespace(), u.GetName()}
	w.name = k.name
	if err := s.judge(w, "create"); err != nil {
		return nil, false, err
	}
	_, exists := s.objects[k]
	if exists && !w.dry {
		return nil, false, apierrors.NewAlreadyExists(r.groupResource(), k.name)
	}
	if u.GetResourceVersion() != "" {
		return nil, false, &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusInternalServerError,
			Message: "resourceVersion should not be set on objects to be created",
		}}
	}
	if r.Status {
		delete(u.Object, "status")
	}
	if r.GVR == Namespaces {
		u.Object["spec"] = map[string]any{"finalizers": []any{"kubernetes"}}
	}
	if u.SetUID("dry-run"); !w.dry {
		u.SetUID(types.UID(s.nextUID()))
	}
	u.SetCreationTimestamp(metav1.NewTime(s.Clock.Now()))
	u.SetDeletionTimestamp(nil)
	u.SetDeletionGracePeriodSeconds(nil)
	u.SetManagedFields(nil)
	u.SetGeneration(0)
	if r.Generation {
		u.SetGeneration(1)
	}
	if err := s.check(w, u, nil); err != nil {
		return nil, false, err
	}
	tracked, err := s.track(w, owners.Empty(r.gvk()), u)
	if err != nil {
		return nil, false, err
	}
	switch {
	case w.dry && exists: // a dry run finds that last of all, and never asks etcd for its limit
		return nil, false, apierrors.NewAlreadyExists(r.groupResource(), k.name)
	case w.dry:
		fill(k.gvr, tracked)
		return tracked, false, nil
	}
	if err := s.fits(w, tracked); err != nil {
		return nil, false, err
	}
	return s.commit(k, nil, tracked), true, nil
}

// placeNew settles name and namespace of an object to be created.
func (s *Server) placeNew(w write, u *unstructured.Unstructured) error {
	r := w.resource
	if got, want := u.GroupVersionKind(), r.gvk(); got.GroupVersion() != want.GroupVersion() {
		return apierrors.NewBadRequest(fmt.Sprintf(
			"the API version in the data (%s) does not match the expected API version (%s)",
			got.GroupVersion(), want.GroupVersion(),
		))
	} else if got != want {
		return apierrors.NewBadRequest(fmt.Sprintf("the object provided is a %s, not a %s", got, want))
	}
	if u.GetName() == "" && u.GetGenerateName() != "" {
		s.names++
		u.SetName(fmt.Sprintf("%s%05x", u.GetGenerateName(), s.names))
	}
	if r.Cluster {
		u.SetNamespace("")
	} else if err := s.settleNamespace(w, u); err != nil {
		return err
	}
	check := validation.NameIsDNSSubdomain
	if r.GVR == Events {
		check = path.ValidatePathSegmentName // an Event's name may be anything that fits into a path
	}
	return invalid(r, u.GetName(), validation.ValidateObjectMetaAccessor(
		u, !r.Cluster, check, field.NewPath("metadata"),
	)...)
}

func (s *Server) settleNamespace(w write, u *unstructured.Unstructured) error {
	if u.GetNamespace() == "" {
		u.SetNamespace(w.namespace)
	}
	if u.GetNamespace() != w.namespace || w.namespace == "" {
		return apierrors.NewBadRequest(
			"the namespace of the provided object does not match the namespace sent on the request",
		)
	}
	return s.checkNamespace(w.resource, u)
}

func (s *Server) checkNamespace(r Resource, u *unstructured.Unstructured) error {
	home, ok := s.objects[key{Namespaces, "", u.GetNamespace()}]
	if !ok {
		return apierrors.NewNotFound(Namespaces.GroupResource(), u.GetNamespace())
	}
	if home.GetDeletionTimestamp() == nil {
		return nil
	}
	err := apierrors.NewForbidden(r.groupResource(), u.GetName(),
		fmt.Errorf("unable to create new content in namespace %s because it is being terminated", u.GetNamespace()))
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{
		Type: corev1.NamespaceTerminatingCause, Field: "metadata.namespace",
		Message: "namespace " + u.GetNamespace() + " is being terminated",
	})
	return err
}

// update changes a stored object. Called with the lock. The returned bool says that something changed.
func (s *Server) update(
	w write, change func(*unstructured.Unstructured) error,
) (*unstructured.Unstructured, bool, error) {
	r := w.resource
	k := key{r.GVR, w.namespace, w.name}
	old, ok := s.objects[k]
	if !ok {
		return nil, false, apierrors.NewNotFound(r.groupResource(), w.name)
	}
	next := old.DeepCopy()
	if err := change(next); err != nil {
		return nil, false, err
	}
	next, err := normal(next)
	if err != nil {
		return nil, false, apierrors.NewBadRequest(err.Error())
	}
	if err := precondition(w, old, next); err != nil {
		return nil, false, err
	}
	prepare(w, old, next)
	if err := metadataErrors(r, old, next); err != nil {
		return nil, false, err
	}
	if err := s.check(w, next, old); err != nil {
		return nil, false, err
	}
	if equality.Semantic.DeepEqual(old.Object, next.Object) {
		return s.store(k, old, next) // nobody comes to own anything
	}
	tracked, err := s.track(w, old, next)
	if err != nil {
		return nil, false, err
	}
	if w.dry {
		return tracked, false, nil
	} else if err := s.fits(w, tracked); err != nil {
		return nil, false, err
	}
	return s.store(k, old, tracked)
}

// store commits an update, unless nothing changed; the update that takes the last finalizer of a deleted object deletes
// it.
func (s *Server) store(k key, old, next *unstructured.Unstructured) (*unstructured.Unstructured, bool, error) {
	grace := old.GetDeletionGracePeriodSeconds()
	if old.GetDeletionTimestamp() != nil && !isHeld(k.gvr, next) && (grace == nil || *grace == 0) {
		return s.commit(k, next, nil), true, nil
	}
	if equality.Semantic.DeepEqual(old.Object, next.Object) {
		return old, false, nil
	}
	return s.commit(k, old, next), true, nil
}

// precondition compares uid and resourceVersion as named by the caller with the stored ones.
//
//	            missing                      differs
//	uid         taken over                   PUT: 409; PATCH: 422, see metadataErrors
//	version     PATCH: taken over            409
//	            PUT: taken over, custom resource: 422
func precondition(w write, old, next *unstructured.Unstructured) error {
	if name := next.GetName(); name != w.name {
		return apierrors.NewBadRequest(fmt.Sprintf(
			"the name of the object (%s) does not match the name on the URL (%s)", name, w.name,
		))
	}
	if uid := next.GetUID(); w.replace && uid != "" && uid != old.GetUID() {
		return apierrors.NewConflict(w.resource.groupResource(), w.name, fmt.Errorf(
			"StorageError: invalid object, Code: 4, Key: /registry/%s/%s/%s/%s, ResourceVersion: 0, AdditionalErrorMsg: "+
				"Precondition failed: UID in precondition: %v, UID in object meta: %v",
			w.resource.GVR.Group, w.resource.GVR.Resource, w.namespace, w.name, uid, old.GetUID()))
	}
	switch version := next.GetResourceVersion(); {
	case (version == "" || version == "0") && w.replace && w.resource.Conditional:
		plural := schema.GroupKind{Group: w.resource.GVR.Group, Kind: w.resource.GVR.Resource}
		return apierrors.NewInvalid(plural, w.name, field.ErrorList{
			field.Invalid(field.NewPath("metadata", "resourceVersion"), 0, "must be specified for an update"),
		})
	case version == "" || version == "0":
		next.SetResourceVersion(old.GetResourceVersion())
	case version != old.GetResourceVersion():
		return apierrors.NewConflict(w.resource.groupResource(), w.name, errors.New(staleMessage))
	}
	return nil
}

// prepare undoes what this way of writing may not change, and counts the generation.
func prepare(w write, old, next *unstructured.Unstructured) {
	if w.status {
		status, present := next.Object["status"]
		fields, owned, _ := unstructured.NestedFieldNoCopy(next.Object, "metadata", "managedFields")
		next.Object = old.DeepCopy().Object
		unstructured.RemoveNestedField(next.Object, "metadata", "managedFields")
		if owned {
			next.Object["metadata"].(map[string]any)["managedFields"] = fields
		}
		delete(next.Object, "status")
		if present {
			next.Object["status"] = status
		}
		return
	}
	if w.resource.Status {
		delete(next.Object, "status")
		if status, present := old.Object["status"]; present {
			next.Object["status"] = status
		}
	}
	if next.GetUID() == "" {
		next.SetUID(old.GetUID())
	}
	next.SetCreationTimestamp(old.GetCreationTimestamp())
	if old.GetDeletionTimestamp() != nil {
		next.SetDeletionTimestamp(old.GetDeletionTimestamp())
		next.SetDeletionGracePeriodSeconds(old.GetDeletionGracePeriodSeconds())
	}
	next.SetGeneration(old.GetGeneration())
	annotated := w.resource.GVR == Deployments &&
		!equality.Semantic.DeepEqual(old.GetAnnotations(), next.GetAnnotations())
	if w.resource.Generation && (annotated || !equality.Semantic.DeepEqual(body(old), body(next))) {
		next.SetGeneration(old.GetGeneration() + 1)
	}
}

// body is everything besides metadata and status.
func body(u *unstructured.Unstructured) map[string]any {
	rest := map[string]any{}
	for name, value := range u.Object {
		if name != "metadata" && name != "status" {
			rest[name] = value
		}
	}
	return rest
}

func metadataErrors(r Resource, old, next *unstructured.Unstructured) error {
	meta, read := field.NewPath("metadata"), &accessor{Unstructured: next}
	errs := validation.ValidateObjectMetaAccessor(read, !r.Cluster, path.ValidatePathSegmentName, meta)
	for range 2 { // the API server asks twice: for every kind, and for this one
		errs = append(errs, validation.ValidateObjectMetaAccessorUpdate(read, old, meta)...)
	}
	if next.GroupVersionKind() != r.gvk() {
		errs = append(errs, field.Invalid(field.NewPath("kind"), next.GetKind(), "must be "+r.Kind))
	}
	return invalid(r, old.GetName(), errs...)
}

// accessor is the metadata of an object that decodes managedFields, which costs the most, once.
type accessor struct {
	*unstructured.Unstructured
	fields []metav1.ManagedFieldsEntry
}

// GetManagedFields answers as before.
func (a *accessor) GetManagedFields() []metav1.ManagedFieldsEntry {
	if a.fields == nil {
		a.fields = a.Unstructured.GetManagedFields()
	}
	return a.fields
}

// check runs the few kind-specific rules that matter here, and admission. old is nil for a create.
func (s *Server) check(w write, next, old *unstructured.Unstructured) error {
	if w.resource.GVR == Deployments && !w.status {
		if err := checkDeployment(w.resource, next, old); err != nil {
			return err
		}
	}
	if old != nil {
		if err := s.judge(w, "update"); err != nil {
			return err
		}
	}
	if s.Admit != nil && w.client && !w.status {
		return s.Admit(next.DeepCopy(), old)
	}
	return nil
}

func checkDeployment(r Resource, next, old *unstructured.Unstructured) error {
	selector, _, _ := unstructured.NestedStringMap(next.Object, "spec", "selector", "matchLabels")
	labels, _, _ := unstructured.NestedStringMap(next.Object, "spec", "template", "metadata", "labels")
	var errs field.ErrorList
	if len(selector) == 0 {
		errs = append(errs, field.Required(field.NewPath("spec", "selector"), ""))
	}
	for name, value := range selector {
		if labels[name] != value {
			errs = append(errs, field.Invalid(field.NewPath("spec", "template", "metadata", "labels"), labels,
				"`selector` does not match template `labels`"))
			break
		}
	}
	if old != nil {
		was, _, _ := unstructured.NestedMap(old.Object, "spec", "selector")
		is, _, _ := unstructured.NestedMap(next.Object, "spec", "selector")
		errs = append(errs, validation.ValidateImmutableField(is, was, field.NewPath("spec", "selector"))...)
	}
	return invalid(r, next.GetName(), errs...)
}

func invalid(r Resource, name string, errs ...*field.Error) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(r.gvk().GroupKind(), name, errs)
}

// commit stores next, or removes the object when next is nil, and tells the feed. It returns the last state, which must
// not be written to.
func (s *Server) commit(k key, old, next *unstructured.Unstructured) *unstructured.Unstructured {
	version := s.nextVersion()
	if next == nil {
		delete(s.objects, k)
		last := old.DeepCopy()
		last.SetResourceVersion(version)
		s.Feed.changed(k.gvr, last, nil)
		return last
	}
	next.SetResourceVersion(version)
	fill(k.gvr, next)
	s.objects[k] = next
	s.Feed.changed(k.gvr, old, next)
	return next
}
