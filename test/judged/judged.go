package judged

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// One is a resource whose status a pass left in a story.
type One struct {
	// File is the one that has it: judged.yaml, or stored.yaml with what earlier releases left.
	File string
	// Shows is its kind, its situation and what its conditions say, in words.
	Shows string
	// Resource has its status, and no spec.
	Resource *unstructured.Unstructured
}

// Read reads all of them, in the order of the files; root is the path to the root of the repository.
func Read(t testing.TB, root string) (all []One) {
	t.Helper()
	for _, file := range []string{"judged.yaml", "stored.yaml"} {
		content, err := os.ReadFile(filepath.Join(root, "test/scenario/testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		for document := range strings.SplitSeq(strings.TrimPrefix(string(content), "---\n"), "\n---\n") {
			var one struct {
				Kind     string          `json:"kind"`
				Resource json.RawMessage `json:"resource"`
			}
			if err := yaml.Unmarshal([]byte(document), &one); err != nil {
				t.Fatal(err)
			}
			u := &unstructured.Unstructured{}
			if err := u.UnmarshalJSON(one.Resource); err != nil {
				t.Fatalf("%s: %v", one.Kind, err)
			}
			all = append(all, One{file, one.Kind, u})
		}
	}
	return all
}
