package v1beta1

import (
	"bytes"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// PodTemplate is a pod template, typed for those who read it and with the JSON
// the user wrote kept beside it: apiVersion, kind, status and anything newer
// than our Kubernetes types is dropped on use, but not from
// lastReconciledSpec, where losing it would look like a change of the spec.
type PodTemplate struct {
	// PodTemplateSpec is what pods are made from. Setting it directly is fine:
	// the kept text is used only while it still means the same.
	corev1.PodTemplateSpec `json:",inline"`

	written json.RawMessage
}

// UnmarshalJSON reads the template and keeps its text.
func (t *PodTemplate) UnmarshalJSON(text []byte) error {
	decoded := corev1.PodTemplateSpec{}
	if err := json.Unmarshal(text, &decoded); err != nil {
		return err
	}
	t.PodTemplateSpec = decoded
	t.written = append(json.RawMessage(nil), bytes.TrimSpace(text)...)
	return nil
}

// MarshalJSON prints the text as written while it means what the typed
// template says, else the typed template.
func (t PodTemplate) MarshalJSON() ([]byte, error) {
	if len(t.written) > 0 {
		decoded := corev1.PodTemplateSpec{}
		if json.Unmarshal(t.written, &decoded) == nil && equality.Semantic.DeepEqual(decoded, t.PodTemplateSpec) {
			return t.written, nil
		}
	}
	return json.Marshal(t.PodTemplateSpec)
}

// Template returns the typed template, nil for nil.
func (t *PodTemplate) Template() *corev1.PodTemplateSpec {
	if t == nil {
		return nil
	}
	return &t.PodTemplateSpec
}

// Equal tells whether both templates make the same pods; quantities and times
// are compared by value, the kept text is not looked at.
func (t PodTemplate) Equal(other PodTemplate) bool {
	return equality.Semantic.DeepEqual(t.PodTemplateSpec, other.PodTemplateSpec)
}
