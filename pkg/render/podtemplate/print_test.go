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
			got := printed(t, tree(t, string(input)))
			// The reader in Flink 2 takes every name for a text, the one of this test does not.
			reference := strings.NewReplacer("0x1:", `"0x1":`, "yes:", `"yes":`).Replace(string(want))
			if diff := cmp.Diff(parsed(t, reference), parsed(t, got)); diff != "" {
				t.Errorf("it says something else than the reference (-want +got):\n%s\n%s", diff, got)
			}
		})
	}
}

func printed(t interface{ Fatal(...any) }, tree Tree) string {
	text, err := Print(tree)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func parsed(t *testing.T, text string) (value any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return value
}

func TestPrintEdges(t *testing.T) {
	tests := map[string]struct {
		tree   Tree
		want   string
		reason string
	}{
		"nil":   {want: "", reason: "no template, no text"},
		"empty": {tree: Tree{}, want: "---\n{}\n", reason: "an empty template is an empty mapping"},
		"awkward keys": {
			tree:   Tree{"spec": map[string]any{"x y": "a", "it's": "b", "null": "c", "-": "d", "a\x01": "e"}},
			want:   "---\nspec:\n  \"-\": \"d\"\n  \"a\\x01\": \"e\"\n  \"it's\": \"b\"\n  \"null\": \"c\"\n  \"x y\": \"a\"\n",
			reason: "no key changes its meaning without quotes",
		},
		"lists in lists": {
			tree:   Tree{"spec": map[string]any{"a": []any{[]any{"x"}, []any{}, map[string]any{}, true, nil, 1.5}}},
			want:   "---\nspec:\n  a:\n  - - \"x\"\n  - []\n  - {}\n  - true\n  - null\n  - 1.5\n",
			reason: "what the schema never has still reads back",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, printed(t, test.tree)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}

func TestPrintReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := genTree().Draw(t, "template")
		text := printed(t, want)
		if again := printed(t, want.Copy()); again != text {
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
				rapid.StringMatching(`[a-z~!@:# '"\\-]{1,9}`))
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
