package confyaml

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for name, tc := range map[string]struct {
		text   string
		want   map[string]string
		reason string
	}{
		"nested": {"a:\n  b:\n    c: x\n", map[string]string{"a.b.c": "x"}, "names are joined with dots"},
		"mixed": {
			"a.b: 1\na:\n  c: 2\n",
			map[string]string{"a.b": "1", "a.c": "2"},
			"dotted and nested may stand side by side",
		},
		"number text": {
			"a: 1.0\nb: 010\nc: 1_000\n",
			map[string]string{"a": "1.0", "b": "010", "c": "1_000"},
			"numbers keep their text",
		},
		"other bases": {
			"a: 0x1F\nb: 0o17\nc: '0x1F'\n",
			map[string]string{"a": "31", "b": "15", "c": "0x1F"},
			"options read decimal numbers only",
		},
		"words": {
			"a: yes\nb: true\nc: on\n",
			map[string]string{"a": "yes", "b": "true", "c": "on"},
			"YAML 1.2 knows true and false only",
		},
		"list": {"a: [x, 1, true]\n", map[string]string{"a": "x;1;true"}, "Flink's own form of a list"},
		"list quoting": {
			"a: ['x;y', '']\n",
			map[string]string{"a": "'x;y';''"},
			"items that hold the delimiter, or nothing, are quoted",
		},
		"list of maps": {
			"t:\n- key: k\n  operator: Exists\n- {value: 'a,b'}\n",
			map[string]string{"t": "key:k,operator:Exists;'''value:a,b'''"},
			"tolerations and the like: the quotes of a pair nest in those of an item",
		},
		"empty list": {
			"a: []\nb: {}\n",
			map[string]string{"a": ""},
			"an empty list is an empty text, an empty mapping nothing",
		},
		"alias": {
			"a: &x {b: 1}\nc: *x\n",
			map[string]string{"a.b": "1", "c.b": "1"},
			"an alias stands for its anchor",
		},
		"empty text": {"a: ''\n", map[string]string{"a": ""}, "quoted nothing is a text"},
		"empty file": {"# nothing\n", map[string]string{}, "a file of comments has no entries"},
		"null file":  {"~\n", map[string]string{}, "nor has one that says so"},
		"hash inside": {
			"a: x#y\n",
			map[string]string{"a": "x#y"},
			"unlike in flink-conf.yaml, # needs a blank before it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(tc.text)
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("Parse(%q): %v: %s\n%s", tc.text, err, tc.reason, diff)
			}
		})
	}
}

// A hundred levels below the first may stand, in an item of a list one less: the list is a level by itself.
func TestParseDepth(t *testing.T) {
	nested := func(levels int) string { return strings.Repeat("{a: ", levels) + "x" + strings.Repeat("}", levels) }
	for name, row := range map[string]struct {
		text  string
		legal bool
	}{
		"a mapping":         {nested(maxDepth + 1), true},
		"a mapping, deeper": {nested(maxDepth + 2), false},
		"in a list":         {"a: [" + nested(maxDepth) + "]", true},
		"in a list, deeper": {"a: [" + nested(maxDepth+1) + "]", false},
	} {
		if _, err := Parse(row.text); (err == nil) != row.legal {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for name, tc := range map[string]struct{ text, says, reason string }{
		"no yaml":  {"a: [", "cannot be read", "what is no YAML is no configuration"},
		"a list":   {"- a\n", "single value or list", "there have to be keys"},
		"no value": {"x: 1\na:\n  b:\n", `line 3: "a.b" has no value`, "a forgotten value is not an empty one"},
		"twice":    {"a: 1\na: 2\n", `line 2: "a" appears twice`, "which of the two counts?"},
		"twice dotted": {
			"a.b: 1\na:\n  b: 2\n",
			`line 3: "a.b" appears twice`,
			"nested and dotted are the same key",
		},
		"nested list": {"a: [x, [1]]\n", "item 2 is a list: no option takes a list of lists", "no option takes one"},
		"endless":     {"a: &x\n  b: *x\n", "levels deep", "an alias inside its own anchor ends"},
		"nested null": {"a: [{b: ~}]\n", "has no value", "also inside a list"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(tc.text)
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("Parse(%q) error = %v, want it to say %q: %s", tc.text, err, tc.says, tc.reason)
			}
		})
	}
}
