package admission

import (
	"encoding/json"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// noPatch changes nothing.
var noPatch = []byte("[]")

// operation is one operation of a JSON patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// labelled is all that the one default needs of a session job.
type labelled struct {
	Metadata struct {
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		DeploymentName string `json:"deploymentName"`
	} `json:"spec"`
}

// Patch returns the defaults of an object as a JSON patch, `[]` when it needs none. There is one default: label
// target.session of a FlinkSessionJob names its session cluster.
//
//	kind             operation       deploymentName      label       patch
//	FlinkSessionJob  CREATE, UPDATE  set, a label value  equal       []
//	FlinkSessionJob  CREATE, UPDATE  set, a label value  other/none  set the label
//	FlinkSessionJob  CREATE, UPDATE  none, or no label   any         []   validation says what is wrong with it
//	FlinkSessionJob  other           any                 any         []
//	any other        any             any                 any         []
//
// It fails for a session job whose labels or deploymentName are no text; the schema will say so to the user.
func Patch(r *admissionv1.AdmissionRequest) ([]byte, error) {
	if r.Kind.Group != v1beta1.Group || r.Kind.Kind != v1beta1.KindFlinkSessionJob || len(r.Object.Raw) == 0 {
		return noPatch, nil
	}
	if r.Operation != admissionv1.Create && r.Operation != admissionv1.Update {
		return noPatch, nil
	}
	var job labelled
	if err := json.Unmarshal(r.Object.Raw, &job); err != nil {
		return nil, fmt.Errorf("read %s: %w", key(r), err)
	}
	name := job.Spec.DeploymentName
	if name == "" || job.Metadata.Labels[v1beta1.LabelTargetSession] == name ||
		len(validation.IsValidLabelValue(name)) > 0 {
		return noPatch, nil
	}
	set := operation{Op: "add", Path: "/metadata/labels/" + v1beta1.LabelTargetSession, Value: name}
	if job.Metadata.Labels == nil {
		set = operation{Op: "add", Path: "/metadata/labels", Value: map[string]string{v1beta1.LabelTargetSession: name}}
	}
	return json.Marshal([]operation{set})
}
