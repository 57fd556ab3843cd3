package kubesim

import (
	"encoding/json"
	"fmt"
	"net/http"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/test/kubesim/owners"
)

// patch carries out a PATCH. Called with the lock. created says that an apply made the object.
func (s *Server) patch(
	w write, kind types.PatchType, text []byte, force bool,
) (u *unstructured.Unstructured, changed, created bool, err error) {
	switch kind {
	case types.MergePatchType:
		var object map[string]any
		if err := decodePatch(text, &object); err != nil {
			return nil, false, false, err
		}
		u, changed, err = s.update(w, mergeWith(text))
	case types.JSONPatchType:
		var operations jsonpatch.Patch
		if err := decodePatch(text, &operations); err != nil {
			return nil, false, false, err
		}
		u, changed, err = s.update(w, patchWith(operations.Apply))
	case types.ApplyPatchType:
		if w.resource.Unowned {
			return nil, false, false, unsupported(kind)
		}
		return s.apply(w, text, force)
	default:
		err = &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusUnsupportedMediaType, Reason: metav1.StatusReasonUnsupportedMediaType,
			Message: "the body of the request was in an unknown format - accepted media types include: " +
				"application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
		}}
	}
	return u, changed, false, err
}

func decodePatch(text []byte, patch any) error {
	if err := json.Unmarshal(text, patch); err != nil {
		return apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
	}
	return nil
}

// patchWith rewrites an object through its JSON text. A failed test operation is a 422, as in the API server.
func patchWith(rewrite func([]byte) ([]byte, error)) func(*unstructured.Unstructured) error {
	return func(u *unstructured.Unstructured) error {
		before, err := json.Marshal(u.Object)
		if err != nil {
			return err
		}
		after, err := rewrite(before)
		if err != nil {
			return apierrors.NewGenericServerResponse(
				http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false,
			)
		}
		content := map[string]any{}
		if err := kjson.Unmarshal(after, &content); err != nil {
			return apierrors.NewBadRequest(err.Error())
		}
		u.Object = content
		return nil
	}
}

func (s *Server) apply(w write, text []byte, force bool) (*unstructured.Unstructured, bool, bool, error) {
	wanted, err := parseApply(w, text)
	if err != nil {
		return nil, false, false, err
	}
	k := key{w.resource.GVR, w.namespace, w.name}
	live, exists := s.objects[k]
	if !exists {
		u, err := s.applyNew(w, wanted)
		made := err == nil && !w.dry
		return u, made, made, err
	}
	merged, err := s.managers.Merge(s.writer(w), live.DeepCopy(), wanted, force)
	if err != nil {
		return nil, false, false, err
	}
	if err := precondition(w, live, merged); err != nil {
		return nil, false, false, err
	}
	prepare(w, live, merged)
	if err := metadataErrors(w.resource, live, merged); err != nil {
		return nil, false, false, err
	}
	if err := s.check(w, merged, live); err != nil {
		return nil, false, false, err
	}
	if w.dry {
		return merged, false, false, nil
	}
	if err := s.fits(w, merged); err != nil {
		return nil, false, false, err
	}
	u, changed, err := s.store(k, live, merged)
	return u, changed, false, err
}

// applyNew makes the object that an apply did not find. A uid in it asked for an existing one.
func (s *Server) applyNew(w write, wanted *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if w.status {
		return nil, apierrors.NewNotFound(w.resource.groupResource(), w.name)
	}
	if wanted.GetUID() != "" {
		return nil, apierrors.NewConflict(w.resource.groupResource(), w.name, fmt.Errorf(
			"uid mismatch: the provided object specified uid %s, and no existing object was found", wanted.GetUID()))
	}
	wanted.SetResourceVersion("")
	owned, err := s.managers.Merge(s.writer(w), owners.Empty(w.resource.gvk()), wanted, true)
	if err != nil {
		return nil, err
	}
	fields := owned.GetManagedFields()
	made, _, err := s.createAs(w, wanted)
	if err != nil {
		return nil, err
	}
	made = made.DeepCopy()
	made.SetManagedFields(fields)
	if w.dry {
		return made, nil
	}
	s.objects[key{w.resource.GVR, made.GetNamespace(), made.GetName()}] = made
	return made, nil
}

func parseApply(w write, text []byte) (*unstructured.Unstructured, error) {
	if w.manager == "" {
		return nil, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "PatchOptions"}, "",
			field.ErrorList{field.Required(field.NewPath("fieldManager"), "is required for apply patch")})
	}
	wanted := &unstructured.Unstructured{}
	document, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding YAML: %v", err))
	}
	if err := kjson.Unmarshal(document, &wanted.Object); err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding YAML: %v", err))
	}
	if wanted.GroupVersionKind() != w.resource.gvk() {
		return nil, apierrors.NewBadRequest(fmt.Sprintf(
			"the object provided is a %s, not a %s", wanted.GroupVersionKind(), w.resource.gvk(),
		))
	}
	if wanted.GetManagedFields() != nil {
		return nil, apierrors.NewBadRequest("metadata.managedFields must be nil")
	}
	if name := wanted.GetName(); name != "" && name != w.name {
		return nil, apierrors.NewBadRequest(fmt.Sprintf(
			"the name of the object (%s) does not match the name on the URL (%s)", name, w.name,
		))
	}
	switch {
	case w.status:
		delete(wanted.Object, "spec")
	case w.resource.Status:
		delete(wanted.Object, "status")
	}
	wanted.SetName(w.name)
	wanted.SetNamespace(w.namespace)
	return wanted, nil
}

func unsupported(kind types.PatchType) error {
	return apierrors.NewGenericServerResponse(http.StatusUnsupportedMediaType, "patch", schema.GroupResource{}, "",
		fmt.Sprintf("kubesim does not model the patch type %q", kind), 0, false)
}
