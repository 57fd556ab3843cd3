package gitops

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/test/judged"
)

// recorded are the resources whose status a pass left in a story of test/scenario, by file and what they show.
func recorded(t *testing.T) map[string]*unstructured.Unstructured {
	t.Helper()
	all := map[string]*unstructured.Unstructured{}
	for _, one := range judged.Read(t, "../..") {
		all[one.File+": "+one.Shows] = asServed(t, one.Resource)
	}
	return all
}

// statusDefaults are the statuses that the API server serves for a resource without one, by kind.
var statusDefaults = map[string]any{}

// asServed is a resource with what the API server fills in: the models of test/scenario fill in nothing.
func asServed(t *testing.T, u *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	if status, _, _ := unstructured.NestedMap(u.Object, "status"); len(status) > 0 {
		return u
	}
	kind := u.GetKind()
	if statusDefaults[kind] == nil {
		content, err := os.ReadFile(fmt.Sprintf("../../config/crds/flink.apache.org_%ss.yaml", strings.ToLower(kind)))
		if err != nil {
			t.Fatal(err)
		}
		definition := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(content, definition); err != nil {
			t.Fatal(err)
		}
		versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
		value, _, _ := unstructured.NestedMap(
			versions[0].(map[string]any), "schema", "openAPIV3Schema", "properties", "status", "default",
		)
		statusDefaults[kind] = value
	}
	u.Object["status"] = statusDefaults[kind]
	return u.DeepCopy()
}
