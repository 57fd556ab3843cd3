package confyaml

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/yamltext"
)

// TestFlinkVectors: each entry reads back as the YAML library inside Flink 1.20.5 printed it, and as we print it.
func TestFlinkVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/flink-1.20.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct{ Key, Text, YAML string }
	if err := json.Unmarshal(text, &vectors); err != nil || len(vectors) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	for _, v := range vectors {
		ours, err := Print(map[string]any{v.Key: v.Text})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{v.Key: v.Text}
		back, err := Parse(ours)
		if diff := cmp.Diff(want, back); err != nil || diff != "" {
			t.Errorf("%q does not read back: %v\n%s", ours, err, diff)
		}
		// Flink cuts the file into lines and loses empty ones at its end.
		want[v.Key] = strings.TrimRight(v.Text, "\n")
		theirs, err := Parse(v.YAML)
		for key := range theirs {
			theirs[key] = strings.TrimRight(theirs[key], "\n")
		}
		if diff := cmp.Diff(want, theirs); err != nil || diff != "" {
			t.Errorf("Flink's %q is misread: %v\n%s", v.YAML, err, diff)
		}
	}
}

func TestPrintTree(t *testing.T) {
	got, err := Print(map[string]any{
		"rest.port":                          "8081",
		"rest.bind-port":                     "8081-8090",
		"a":                                  "first\nsecond\n",
		"env.log.max":                        yamltext.Plain("10"),
		"$internal.application.program-args": []string{"--a", "b: c", "", "x\ny"},
		"list.empty":                         []string(nil),
		"z.1.true":                           "",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `$internal:
  application:
    program-args:
    - "--a"
    - "b: c"
    - ""
    - "x\ny"
a: "first\nsecond\n"
env:
  log:
    max: 10
list:
  empty: []
rest:
  bind-port: "8081-8090"
  port: "8081"
z:
  "1":
    "true": ""
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestPrintNothing(t *testing.T) {
	got, err := Print(nil)
	if err != nil || got != "{}\n" {
		t.Errorf("Print(nil) = %q, %v, want an empty mapping: an empty file is no mapping to Flink", got, err)
	}
}

func TestPrintOverlap(t *testing.T) {
	for name, tc := range map[string]struct {
		keys   []string
		pair   string // "" for no overlap
		reason string
	}{
		"value and branch": {[]string{"k", "kv", "k.v"}, "k -> k.v", "k cannot be a text and a mapping"},
		"deep":             {[]string{"a.b", "a.b.c.d"}, "a.b -> a.b.c.d", "any depth"},
		"same start":       {[]string{"k", "kv"}, "", "kv is not below k"},
		"siblings":         {[]string{"a.b", "a.c"}, "", "siblings share their branch"},
		"dot at the end":   {[]string{"a", "a."}, "a -> a.", "an empty name is a name"},
	} {
		t.Run(name, func(t *testing.T) {
			entries := map[string]any{}
			for _, k := range tc.keys {
				entries[k] = "x"
			}
			_, err := Print(entries)
			if tc.pair == "" && err != nil {
				t.Errorf("Print(%q): %v: %s", tc.keys, err, tc.reason)
			}
			if tc.pair != "" && (err == nil || !strings.Contains(err.Error(), "("+tc.pair+")")) {
				t.Errorf("Print(%q) error = %v, want it to name %q: %s", tc.keys, err, tc.pair, tc.reason)
			}
		})
	}
}

// keyChars and textChars lean towards what YAML takes for signs of its own.
var (
	keyChars  = rapid.StringOfN(rapid.SampledFrom([]rune("ab1-.:# $'\"é{")), 1, 8, -1)
	textChars = rapid.StringOfN(
		rapid.SampledFrom([]rune("ab1-:# \n\t\r'\"{}[]|>&*!%@`~,?é\u0085\u2028\ufeff\x00😀")), 0, 9, -1,
	)
)

// entries draws a configuration without overlapping keys.
func entries(t *rapid.T) map[string]string {
	flat := map[string]string{}
	for k, v := range rapid.MapOfN(keyChars, textChars, 0, 6).Draw(t, "flat") {
		flat[k] = v
	}
	for k := range flat {
		for other := range flat {
			if strings.HasPrefix(other, k+".") {
				delete(flat, k)
			}
		}
	}
	return flat
}

func TestPrintedReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flat := entries(t)
		values := map[string]any{}
		for k, v := range flat {
			values[k] = v
		}
		text, err := Print(values)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse(text)
		if diff := cmp.Diff(flat, back); err != nil || diff != "" {
			t.Fatalf("printed:\n%s\nread: %v\n%s", text, err, diff)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"a: 1\nb:\n  c: [x, 'y;z']\n", "a: &x {b: 1}\nc: *x\n", "- 1", "a: |\n  x\n", "a:\n- b: 1\n  c: 2\n", "? a\n: b",
		"a: ~", "a: 0x1F", "",
		"a: 1\na: 2\n", "a.b: 1\na: {b: 2}\n", "a: &a\n  b: *a\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		flat, err := Parse(text)
		if err != nil {
			return
		}
		values := map[string]any{}
		for k, v := range flat {
			values[k] = v
		}
		printed, err := Print(values)
		if err != nil {
			return // keys with dots may overlap
		}
		again, err := Parse(printed)
		if diff := cmp.Diff(flat, again); err != nil || diff != "" {
			t.Fatalf("%q read, printed as\n%s\nand read again: %v\n%s", text, printed, err, diff)
		}
	})
}
