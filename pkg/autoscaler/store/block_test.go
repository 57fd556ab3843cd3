package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/kn-flink/kn-flink/pkg/bounded"
)

// byLibrary reads YAML by the library alone.
func byLibrary(text string) (node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return node{}, err
	}
	if len(doc.Content) == 0 {
		return node{}, nil
	}
	left := bounded.Store.Values
	return convert(doc.Content[0], maxDepth, &left)
}

// blockTexts are texts of Java's form, and texts that are nearly so.
var blockTexts = map[string]bool{
	"--- {}\n":                      true,
	"---\na: 1\n":                   true,
	"---\na: {}\nb: []\n":           true,
	"---\n\"a b\":\n  c: \"d e\"\n": true,
	"---\na:\n- x: 1\n  y: 2\n- x: 3\nb:\n- \"1\"\n- z\n": true,
	"---\na:\n  b:\n    c: -Infinity\n  d: 1.0E-4\n":      true,
	"---\na: ~\n":          false,
	"---\na: 'x'\n":        false,
	"---\na: \"x\\n\"\n":   false,
	"---\na: b # c\n":      false,
	"---\na: &x 1\n":       false,
	"---\na: {b: 1}\n":     false,
	"---\na:\n":            false,
	"---\na:\nb: 1\n":      false,
	"---\na: 1\n  b: 2\n":  false,
	"---\n- a\n":           false,
	"---\na: 1":            false,
	"---\na: |\n  text\n":  false,
	"---\n? a\n: b\n":      false,
	"---\na: \"x\" y\n":    false,
	"---\na: 1\n---\n":     false,
	"---\n\ta: 1\n":        false,
	"---\na:  1\n":         false,
	"---\na: -\n":          false,
	"---\na:\n  - x\n":     false,
	"---\na: 1\n\nb: 2\n":  false,
	"---\n  a: 1\n b: 2\n": false,
}

func TestBlocksAreReadAsTheLibraryReadsThem(t *testing.T) {
	for text, ours := range blockTexts {
		got, ok := parseBlock(text)
		if ok != ours {
			t.Errorf("%q: read %t, want %t", text, ok, ours)
		}
		if want, err := byLibrary(text); ok && (err != nil || !cmp.Equal(want, got, cmp.AllowUnexported(node{}))) {
			t.Errorf("%q: %v\n%s", text, err, cmp.Diff(want, got, cmp.AllowUnexported(node{})))
		}
	}
}

// Whatever the scanner reads, it reads as the library does.
func FuzzBlock(f *testing.F) {
	for text := range blockTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := parseBlock(text)
		if !ok {
			return
		}
		want, err := byLibrary(text)
		if err != nil || !cmp.Equal(want, got, cmp.AllowUnexported(node{})) {
			t.Fatalf("%q: %v\n%s", text, err, cmp.Diff(want, got, cmp.AllowUnexported(node{})))
		}
	})
}

// Reading never panics, and what is written is read again.
func FuzzRead(f *testing.F) {
	f.Add("", "", "", "")
	f.Add("---\n{}\n", "scalingRecords: {}", "a:1", "delayedVertices: {}")
	f.Fuzz(func(t *testing.T, samples, restarts, parallelism, delayed string) {
		state, _, err := Read(map[string]string{
			SamplesKey: samples, HistoryKey: samples, RestartsKey: restarts, ParallelismKey: parallelism, DelayedKey: delayed,
			ConfigKey: delayed,
		})
		if err != nil {
			return
		}
		if again, discarded, err := Read(Write(state)); err != nil || len(discarded) > 0 {
			t.Fatalf("%v %v: %v", state, discarded, err)
		} else if len(again.Samples) != len(state.Samples) || len(again.Restarts) != len(state.Restarts) {
			t.Fatalf("%v became %v", state, again)
		}
	})
}
