package view_test

import (
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/view"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

func TestVersions(t *testing.T) {
	ours, err := os.ReadFile("../../config/crds/flink.apache.org_flinkdeployments.yaml")
	if err != nil {
		t.Fatal(err)
	}
	service := func(version string) []*unstructured.Unstructured {
		return []*unstructured.Unstructured{kubesim.Parse(t, "kind: Service\nmetadata: {name: reconcile, labels: {"+
			view.VersionLabel+": "+version+"}}")}
	}
	for name, row := range map[string]struct {
		of   view.Versions
		says []string
	}{
		"ours": {
			view.VersionsOf("v0.4.1", service("v0.4.0"), kubesim.Parse(t, string(ours))),
			[]string{"Plugin     v0.4.1", "reconcile v0.4.0", "Kinds      of kn-flink"},
		},
		"the Java operator's": {
			view.VersionsOf(
				"v0.4.1", nil, kubesim.Parse(t, "kind: CustomResourceDefinition\nspec: {versions: [{name: v1beta1}]}"),
			),
			[]string{"of the Java operator"},
		},
		"another minor version": {
			view.VersionsOf("v0.4.1", service("v0.3.0"), nil), []string{"Notes", "the functions are of v0.3.0"},
		},
		"the plugin alone": {view.VersionsOf("v0.4.1", nil, nil), []string{"Plugin     v0.4.1\n"}},
	} {
		for _, want := range row.says {
			if got := row.of.Text(); !strings.Contains(got, want) {
				t.Errorf("%s: %q is missing in\n%s", name, want, got)
			}
		}
		if notes := row.of.Notes; (len(notes) > 0) != (name == "another minor version") {
			t.Errorf("%s: %q", name, notes)
		}
	}
}
