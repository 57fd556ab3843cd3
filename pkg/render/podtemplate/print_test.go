package podtemplate

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"
)

// TestPrintAsTheReference compares with texts that the Java operator's Kubernetes client (fabric8 7.8.0) printed.
func TestPrintAsTheReference(t *testing.T) {
	files, err := filepath.Glob("testdata/reference/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("found %d cases: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			input, want := read(t, file), read(t, strings.TrimSuffix(file, ".json")+".yaml")
			if diff := cmp.Diff(string(want), Print(tree(t, string(input)))); diff != "" {
				t.Errorf("other text than the reference's (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPrintEdges(t *testing.T) {
	tests := map[string]struct {
		tree   Tree
		want   string
		reason string
	}{
		"nil":   {want: "", reason: "no template, no text"},
		"empty": {tree: Tree{}, want: "--- {}\n", reason: "an empty template is an empty mapping"},
		"awkward keys": {
			tree:   Tree{"spec": map[string]any{"x y": "a", "it's": "b", "null": "c", "-": "d", "a\x01": "e"}},
			want:   "---\nspec:\n  '-': \"d\"\n  \"a\\x01\": \"e\"\n  'it''s': \"b\"\n  'null': \"c\"\n  'x y': \"a\"\n",
			reason: "no key changes its meaning without quotes",
		},
		"lists in lists": {
			tree:   Tree{"spec": map[string]any{"a": []any{[]any{"x"}, []any{}, map[string]any{}, true, nil, 1.5}}},
			want:   "---\nspec:\n  a:\n  -\n    - \"x\"\n  - []\n  - {}\n  - true\n  - null\n  - 1.5\n",
			reason: "what the schema never has still reads back",
		},
		"blank lines and blanks at line ends": {
			tree:   Tree{"spec": map[string]any{"a": "x \ny", "b": "\n", "c": " x\n\ny\n\n"}},
			want:   "---\nspec:\n  a: \"x \\ny\"\n  b: \"\\n\"\n  c: |2+\n     x\n\n    y\n\n",
			reason: "a literal block is only used where it keeps every character",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Print(test.tree)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}

// snakeyaml prints a character itself or escaped; these are the last and the first of each kind.
func TestPrintCharacters(t *testing.T) {
	for char, want := range map[rune]string{
		' ': " ", '~': "~", 0x1f: `\x1f`, 0x7f: `\x7f`, 0x9f: `\x9f`, 0xa0: `\_`, 0xa1: "\u00a1", 0xff: "\u00ff",
		0x2027: "\u2027", 0x2028: `\L`, 0x2029: `\P`, 0x202a: "\u202a", 0xd7ff: string(rune(0xd7ff)), 0xe000: "\ue000",
		0xfeff: `\ufeff`, 0xfffd: "\ufffd", 0xfffe: `\ufffe`, 0xffff: `\uffff`, 0x10000: "\U00010000",
	} {
		text := "---\nspec:\n  a: \"x" + want + "y\"\n"
		if got := Print(Tree{"spec": map[string]any{"a": "x" + string(char) + "y"}}); got != text {
			t.Errorf("%U: %q, want %q", char, got, text)
		}
	}
}

func TestPrintReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := genTree().Draw(t, "template")
		text := Print(want)
		if again := Print(want.Copy()); again != text {
			t.Fatalf("two texts of one template:\n%s\n%s", text, again)
		}
		asJSON, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		got, err := Parse(asJSON)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(withoutEmptyLists(map[string]any(want)), map[string]any(got)); diff != "" {
			t.Fatalf("the text says something else (-want +got):\n%s\n%s", diff, text)
		}
	})
}

func TestMergeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genTree().Draw(t, "base"), genTree().Draw(t, "override")
		lists := rapid.SampledFrom([]ListMerge{ByPosition, ByName, "other"}).Draw(t, "lists")
		if diff := cmp.Diff(a, Merge(a, Tree{}, lists)); diff != "" {
			t.Fatalf("an empty override changed the base:\n%s", diff)
		}
		if diff := cmp.Diff(a, Merge(a, a, ByPosition)); diff != "" {
			t.Fatalf("a template laid over itself changed:\n%s", diff)
		}
		once := Merge(a, b, lists)
		if diff := cmp.Diff(once, Merge(a, b, lists)); diff != "" {
			t.Fatalf("two results of one merge:\n%s", diff)
		}
		if diff := cmp.Diff(
			Make(Layers{Component: once, StartupProbe: true}),
			Make(Layers{Common: a, Component: b, Lists: lists, StartupProbe: true}),
		); diff != "" {
			t.Fatalf("the probe depends on more than the merged template:\n%s", diff)
		}
	})
}

// oldBoolean are keys that the reader of this test takes for booleans, by an older YAML. The reference does not quote
// them, because the reader in Flink takes every key for text; testdata/reference/fields.yaml has one.
var oldBoolean = map[string]bool{"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true}

// genTree draws templates with the shapes that matter: names, lists of all kinds, texts that need care.
func genTree() *rapid.Generator[Tree] {
	text := rapid.OneOf(
		rapid.SampledFrom([]string{
			"", "a", "yes", "1", "null", " x", "x ", "a\nb\n", "a\n\n", "\n", "\tx", "é", "- a: 'b'", "#",
		}),
		rapid.String(),
		rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat(
				rapid.SampledFrom([]string{"ab ", "abc", "a\\ "}).Draw(t, "part"), rapid.IntRange(20, 60).Draw(t, "times"),
			)
		}),
	)
	scalar := rapid.OneOf(rapid.Map(text, func(s string) any { return s }), rapid.Just[any](true),
		rapid.Map(rapid.Int32(), func(n int32) any { return json.Number(fmt.Sprint(n)) }))
	element := rapid.Custom(func(t *rapid.T) any {
		item := map[string]any{}
		if rapid.Bool().Draw(t, "named") {
			item["name"] = rapid.SampledFrom([]string{"a", "b", MainContainer}).Draw(t, "name")
		}
		if rapid.Bool().Draw(t, "more") {
			item["value"] = scalar.Draw(t, "value")
		}
		return item
	})
	return rapid.Custom(func(t *rapid.T) Tree {
		spec := map[string]any{}
		for _, field := range []string{"containers", "volumes", "tolerations"} {
			if rapid.Bool().Draw(t, field) {
				spec[field] = rapid.SliceOfN(element, 0, 4).Draw(t, "elements")
			}
		}
		if rapid.Bool().Draw(t, "scalars") {
			spec["args"] = rapid.SliceOfN(scalar, 0, 3).Draw(t, "args")
			spec["field"] = scalar.Draw(t, "field")
		}
		made := Tree{"spec": spec}
		if rapid.Bool().Draw(t, "metadata") {
			keys := rapid.OneOf(rapid.SampledFrom([]string{"team", "a.b/c", "1", "null"}),
				rapid.StringMatching(`[a-z~!@:# '"\\-]{1,9}`).Filter(func(key string) bool {
					return !oldBoolean[key]
				}))
			labels := map[string]any{}
			for key, value := range rapid.MapOfN(keys, text, 0, 4).Draw(t, "labels") {
				labels[key] = value
			}
			made["metadata"] = map[string]any{"labels": labels}
		}
		return made
	})
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
