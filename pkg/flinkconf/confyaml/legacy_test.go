package confyaml

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseLegacy(t *testing.T) {
	for name, tc := range map[string]struct {
		text    string
		want    map[string]string
		skipped []int // lines
		reason  string
	}{
		"entries":      {"a: 1\nb.c: x y\n", map[string]string{"a": "1", "b.c": "x y"}, nil, "one entry a line"},
		"no line feed": {"a: 1", map[string]string{"a": "1"}, nil, "the last line may end with the file"},
		"windows": {
			"a: 1\r\nb: 2\rc: 3",
			map[string]string{"a": "1", "b": "2", "c": "3"},
			nil,
			"Java knows three line ends",
		},
		"comments": {
			"# a: 1\nb: 2 # two\n",
			map[string]string{"b": "2"},
			nil,
			"everything from # on is a comment",
		},
		"hash in a value": {"url: http://h/#x\n", map[string]string{"url": "http://h/"}, nil, "even inside a value"},
		"second colon":    {"a: b: c\n", map[string]string{"a": "b: c"}, nil, "only the first one separates"},
		"no blank": {
			"a:1\nb: 2\n",
			map[string]string{"b": "2"},
			[]int{1},
			"a colon without a blank does not separate",
		},
		"no value": {"a: \nb: 2\n", map[string]string{"b": "2"}, []int{1}, "an empty value is no entry"},
		"no key":   {"\n: 1\n", map[string]string{}, []int{2}, "an empty key is none either"},
		"again":    {"a: 1\na: 2\n", map[string]string{"a": "2"}, nil, "the last one counts"},
		"nested yaml": {
			"a:\n  b: 1\n",
			map[string]string{"b": "1"},
			[]int{1},
			"it is not YAML: nesting is not seen",
		},
		"trimmed": {"  a:   1\t\n", map[string]string{"a": "1"}, nil, "keys and values are trimmed"},
	} {
		t.Run(name, func(t *testing.T) {
			got, skipped := ParseLegacy(tc.text)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("ParseLegacy(%q): %s\n%s", tc.text, tc.reason, diff)
			}
			var lines []int
			for _, s := range skipped {
				lines = append(lines, s.Line)
			}
			if diff := cmp.Diff(tc.skipped, lines); diff != "" {
				t.Errorf("skipped lines of %q: %s\n%s", tc.text, tc.reason, diff)
			}
		})
	}
}

func TestPrintLegacy(t *testing.T) {
	got := PrintLegacy(map[string]string{"b": "", "a": "x # y", "c": "one\n  two\n", "d": "k:v,'a,b'"})
	want := "a: x # y\nb: \nc: one two\nd: k:v,'a,b'\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("nothing is quoted, and no value makes a line of its own (-want +got):\n%s", diff)
	}
}

// TestLegacyReadsBack: every entry that a flat line can hold reads back.
func TestLegacyReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.SampledFrom([]rune("ab1.-:;,'\" é{")), 1, 8, -1)
		flat, want := map[string]string{}, map[string]string{}
		for k, v := range rapid.MapOfN(rapid.StringMatching(`[a-z][a-z.\-]{0,6}`), word, 0, 6).Draw(t, "flat") {
			flat[k] = v
			if kept := strings.Trim(v, " "); kept != "" {
				want[k] = kept
			}
		}
		got, _ := ParseLegacy(PrintLegacy(flat))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q printed as %q:\n%s", flat, PrintLegacy(flat), diff)
		}
	})
}

func FuzzParseLegacy(f *testing.F) {
	for _, seed := range []string{"a: 1\n# x\nb : 2", "a: b: c#d", ": ", "\r\n", "k: v\x85"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		flat, _ := ParseLegacy(text)
		again, skipped := ParseLegacy(PrintLegacy(flat))
		if diff := cmp.Diff(flat, again); diff != "" || len(skipped) > 0 {
			t.Fatalf("%q read, printed and read again skips %v:\n%s", text, skipped, diff)
		}
	})
}
