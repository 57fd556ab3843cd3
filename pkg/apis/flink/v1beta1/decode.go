package v1beta1

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DecodeDeployment reads a FlinkDeployment from the content of an unstructured
// object. err means that its metadata or status cannot be read: nothing can be
// done with it. specErr means that only its spec cannot be read: the spec is
// then zero, but the resource can still be reported on and deleted. Both name
// the field.
func DecodeDeployment(content map[string]any) (deployment FlinkDeployment, specErr, err error) {
	return decodeResource(content, func(h head, spec FlinkDeploymentSpec, status FlinkDeploymentStatus) FlinkDeployment {
		return FlinkDeployment{TypeMeta: h.TypeMeta, ObjectMeta: h.ObjectMeta, Spec: spec, Status: status}
	})
}

// DecodeSessionJob reads a FlinkSessionJob as DecodeDeployment does.
func DecodeSessionJob(content map[string]any) (job FlinkSessionJob, specErr, err error) {
	return decodeResource(content, func(h head, spec FlinkSessionJobSpec, status FlinkSessionJobStatus) FlinkSessionJob {
		return FlinkSessionJob{TypeMeta: h.TypeMeta, ObjectMeta: h.ObjectMeta, Spec: spec, Status: status}
	})
}

// DecodeStateSnapshot reads a FlinkStateSnapshot as DecodeDeployment does.
func DecodeStateSnapshot(content map[string]any) (snapshot FlinkStateSnapshot, specErr, err error) {
	return decodeResource(content,
		func(h head, spec FlinkStateSnapshotSpec, status FlinkStateSnapshotStatus) FlinkStateSnapshot {
			return FlinkStateSnapshot{TypeMeta: h.TypeMeta, ObjectMeta: h.ObjectMeta, Spec: spec, Status: status}
		})
}

// DecodeBlueGreen reads a FlinkBlueGreenDeployment as DecodeDeployment does.
func DecodeBlueGreen(content map[string]any) (deployment FlinkBlueGreenDeployment, specErr, err error) {
	return decodeResource(content,
		func(h head, spec FlinkBlueGreenDeploymentSpec, status FlinkBlueGreenDeploymentStatus) FlinkBlueGreenDeployment {
			return FlinkBlueGreenDeployment{TypeMeta: h.TypeMeta, ObjectMeta: h.ObjectMeta, Spec: spec, Status: status}
		})
}

// head is what every kind has beside spec and status.
type head struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
}

func decodeResource[Spec, Status, Resource any](
	content map[string]any, assemble func(head, Spec, Status) Resource,
) (resource Resource, specErr, err error) {
	var h head
	var status Status
	about := map[string]any{"apiVersion": content["apiVersion"], "kind": content["kind"], "metadata": content["metadata"]}
	if err := decodeJSON(about, "", &h); err != nil {
		return resource, nil, err
	}
	if err := decodeJSON(content["status"], "status", &status); err != nil {
		return resource, nil, err
	}
	var spec Spec
	if specErr = decodeJSON(content["spec"], "spec", &spec); specErr != nil {
		var none Spec
		spec = none
	}
	return assemble(h, spec, status), specErr, nil
}

// decodeJSON decodes unstructured content into a typed value; nil content
// leaves the value as it is. Characters stay as written: no HTML escapes.
func decodeJSON(content any, path string, into any) error {
	if content == nil {
		return nil
	}
	text := bytes.Buffer{}
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(content); err != nil {
		return fmt.Errorf("%s is not JSON: %w", orRoot(path), err)
	}
	err := json.Unmarshal(text.Bytes(), into)
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		return fmt.Errorf("%s: a value of type %s where %s is expected; correct the field",
			joinPath(path, mismatch.Field), mismatch.Value, mismatch.Type)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", orRoot(path), err)
	}
	return nil
}

func joinPath(path, field string) string {
	switch {
	case path == "":
		return orRoot(field)
	case field == "":
		return path
	default:
		return path + "." + field
	}
}

func orRoot(path string) string {
	if path == "" {
		return "the resource"
	}
	return path
}
