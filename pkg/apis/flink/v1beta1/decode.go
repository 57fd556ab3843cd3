package v1beta1

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/bounded"
)

// DecodeDeployment reads a FlinkDeployment from the content of an unstructured
// object. err means that its metadata or status cannot be read: nothing can be
// done with it. specErr means that only its spec cannot be read: the spec is
// then zero, but the resource can still be reported on and deleted. Both name
// the field. managedFields are left out.
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
	about := map[string]any{
		"apiVersion": content["apiVersion"], "kind": content["kind"], "metadata": withoutOwners(content["metadata"]),
	}
	if err := decodeContent(about, "", &h); err != nil {
		return resource, nil, err
	}
	if err := decodeContent(content["status"], "status", &status); err != nil {
		return resource, nil, err
	}
	var spec Spec
	if specErr = decodeContent(content["spec"], "spec", &spec); specErr != nil {
		var none Spec
		spec = none
	}
	return assemble(h, spec, status), specErr, nil
}

// withoutOwners is metadata without managedFields, which may be most of a
// resource. Those who ask for them have the unstructured object.
func withoutOwners(metadata any) any {
	object, is := metadata.(map[string]any)
	if !is || object["managedFields"] == nil {
		return metadata
	}
	rest := maps.Clone(object)
	delete(rest, "managedFields")
	return rest
}

// decodeContent decodes unstructured content into a zero value; nil content
// leaves the value as it is.
func decodeContent[T any](content any, path string, into *T) error {
	if content == nil {
		return nil
	}
	if why := bounded.Marked(content); why != "" {
		return fmt.Errorf("%s: see docs/reference/limits.md", why)
	}
	if known := decodedShapes[reflect.TypeFor[T]()]; known != nil && known.fill(reflect.ValueOf(into).Elem(), content) {
		return nil
	}
	var none T
	*into = none
	return decodeJSON(content, path, into)
}

// decodeJSON decodes the text of unstructured content. Its errors say what does
// not fit.
func decodeJSON(content any, path string, into any) error {
	text, err := contentText(content)
	if err != nil {
		return fmt.Errorf("%s is not JSON: %w", orRoot(path), err)
	}
	err = json.Unmarshal(text, into)
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

// contentText is the JSON text of unstructured content. Characters stay as
// written: no HTML escapes.
func contentText(content any) ([]byte, error) {
	text := bytes.Buffer{}
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(content)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
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
