package yamltext_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/yamltext"
)

func TestPrint(t *testing.T) {
	for name, row := range map[string]struct {
		tree   any
		want   string
		reason string
	}{
		"mapping":  {map[string]any{"b": "x", "a": true}, "a: true\nb: \"x\"\n", "sorted"},
		"key":      {map[string]any{"1": "1"}, "\"1\": \"1\"\n", "a name that looks like a number stays a text"},
		"old key":  {map[string]any{"yes": "", "1:20": ""}, "\"1:20\": \"\"\n\"yes\": \"\"\n", "of YAML 1.1"},
		"list":     {map[string]any{"a": []any{"1", json.Number("1")}}, "a:\n- \"1\"\n- 1\n", "texts are quoted"},
		"plain":    {map[string]any{"a": yamltext.Plain("true")}, "a: true\n", "the caller knows"},
		"empty":    {map[string]any{"a": []string{}, "b": map[string]any{}}, "a: []\nb: {}\n", "they stay"},
		"nothing":  {map[string]any{"a": nil}, "a: null\n", "there is no other word for it"},
		"long":     {strings.Repeat("ab ", 99), `"` + strings.Repeat("ab ", 99) + "\"\n", "no line is folded"},
		"lines":    {"a\n b\t", `"a\n b\t"` + "\n", "no white space is left to a reader"},
		"not text": {"a\xffb", "\"a\ufffdb\"\n", "as JSON has it"},
	} {
		if got, err := yamltext.Print(row.tree); err != nil || got != row.want {
			t.Errorf("%s: %q, %v, want %q: %s", name, got, err, row.want, row.reason)
		}
	}
}

// Each string reads back, as a value and as a key.
func TestStringsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "strings")
		tree := map[string]any{}
		for key, value := range want {
			tree[key] = value
		}
		text, err := yamltext.Print(tree)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		if err := yaml.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("the text says something else (-want +got):\n%s\n%s", diff, text)
		}
	})
}
