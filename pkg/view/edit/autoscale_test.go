package edit

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The option is written where it is written already: beside it, Flink would take the other one.
func TestTheAutoscalerIsPausedWhereTheOptionIsWritten(t *testing.T) {
	for name, row := range map[string]struct{ configuration, patch string }{
		"not written": {`{}`, `{"job.autoscaler.scaling.enabled":"false"}`},
		"flat": {
			`{"job.autoscaler.scaling.enabled":"true"}`, `{"job.autoscaler.scaling.enabled":"false"}`,
		},
		"nested": {
			`{"job":{"autoscaler":{"enabled":true,"scaling":{"enabled":true}}}}`,
			`{"job":{"autoscaler":{"scaling":{"enabled":"false"}}}}`,
		},
		"mixed": {
			`{"job.autoscaler":{"scaling.enabled":true}}`, `{"job.autoscaler":{"scaling.enabled":"false"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{}
			text := `{"apiVersion":"flink.apache.org/v1beta1","kind":"FlinkDeployment","metadata":{"name":"a"},` +
				`"spec":{"flinkConfiguration":` + row.configuration + `,"job":{"upgradeMode":"stateless"}}}`
			if err := json.Unmarshal([]byte(text), &object.Object); err != nil {
				t.Fatal(err)
			}
			e, err := Autoscale(object, false)
			if err != nil || e.GivesUp != "" || e.Nothing {
				t.Fatalf("%+v, error %v", e, err)
			}
			got, err := json.Marshal(e.Patch)
			if want := `{"spec":{"flinkConfiguration":` + row.patch + `}}`; err != nil || string(got) != want {
				t.Errorf("%s, want %s, error %v", got, want, err)
			}
		})
	}
}
