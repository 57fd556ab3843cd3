package manifests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// What is dropped from the manifests is deleted only if its kind is in the lists of hack/prune.sh.
func TestEveryKindIsPruned(t *testing.T) {
	script, err := os.ReadFile("../../hack/prune.sh")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	between := func(r rune) bool { return strings.ContainsRune(" ()\n", r) }
	for _, word := range strings.FieldsFunc(string(script), between) {
		words[word] = true
	}
	folders, err := filepath.Glob("../../config/overlays/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	check := func(file string, u unstructured.Unstructured) {
		group, _, grouped := strings.Cut(u.GetAPIVersion(), "/")
		resource := strings.ToLower(u.GetKind()) + "s"
		if strings.HasSuffix(u.GetKind(), "y") {
			resource = strings.ToLower(strings.TrimSuffix(u.GetKind(), "y")) + "ies"
		}
		if grouped {
			resource += "." + group
		}
		seen[resource] = true
		switch u.GetKind() {
		case "Namespace", "Kustomization":
		default:
			if !words[resource] {
				t.Errorf("%s: hack/prune.sh does not look at %s", file, resource)
			}
		}
	}
	for file, objects := range files(t, installation) {
		for _, u := range objects {
			check(file, u)
		}
	}
	for _, folder := range folders {
		for file, objects := range files(t, filepath.Dir(folder)) {
			for _, u := range objects {
				check(file, u)
			}
		}
	}
	if len(seen) < 15 {
		t.Errorf("only %d kinds were seen", len(seen))
	}
}
