package flinkconf_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

func TestFlatten(t *testing.T) {
	for name, tc := range map[string]struct {
		text   string
		want   flinkconf.Config
		reason string
	}{
		"absent": {``, flinkconf.Config{}, "nothing is an empty configuration"},
		"null":   {`null`, flinkconf.Config{}, "so is null"},
		"flat":   {`{"a.b": "1", "c": "x"}`, flinkconf.Config{"a.b": "1", "c": "x"}, "dotted keys stay"},
		"nested": {
			`{"a": {"b": {"c": "x"}, "d": "y"}}`,
			flinkconf.Config{"a.b.c": "x", "a.d": "y"},
			"names are joined with dots",
		},
		"mixed": {
			`{"a": {"b.c": "x"}, "a.b.d": "y"}`,
			flinkconf.Config{"a.b.c": "x", "a.b.d": "y"},
			"both forms together",
		},
		"last wins": {
			`{"a.b": "1", "a": {"b": "2"}}`,
			flinkconf.Config{"a.b": "2"},
			"the last in the order of the document",
		},
		"last wins back": {`{"a": {"b": "2"}, "a.b": "1"}`, flinkconf.Config{"a.b": "1"}, "whichever form it has"},
		"numbers": {
			`{"i": 2, "f": 0.10, "e": 1e6, "big": 12345678901234567890, "neg": -0, "tiny": 1.5e-7}`,
			flinkconf.Config{
				"i":    "2",
				"f":    "0.1",
				"e":    "1000000.0",
				"big":  "12345678901234567890",
				"neg":  "0",
				"tiny": "1.5E-7",
			},
			"whole numbers keep their text, others are printed as Java prints them",
		},
		"booleans":   {`{"t": true, "f": false}`, flinkconf.Config{"t": "true", "f": "false"}, "as text"},
		"null value": {`{"a": null}`, flinkconf.Config{"a": "null"}, "the text null, as Jackson gives it"},
		"list": {
			`{"a": ["x", 1, true, null]}`,
			flinkconf.Config{"a": "x;1;true;null"},
			"texts of the items, joined with ';'",
		},
		"list unquoted": {`{"a": ["x;y"]}`, flinkconf.Config{"a": "x;y"}, "nothing is quoted"},
		"nested in list": {
			`{"a": [{"b": [1]}, [2], "x"], "c": "y"}`,
			flinkconf.Config{"a": ";;x", "c": "y"},
			"objects and lists in a list have no text",
		},
		"empty list": {`{"a": [], "b": {}, "c": "x"}`, flinkconf.Config{"c": "x"}, "empty ones are no entry"},
		"empty name": {`{"": {"a": "x"}}`, flinkconf.Config{"a": "x"}, "an empty name adds no dot"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := flinkconf.Flatten(v1beta1.FlinkConfiguration(tc.text))
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("Flatten(%s): %v: %s\n%s", tc.text, err, tc.reason, diff)
			}
		})
	}
}

func TestFlattenErrors(t *testing.T) {
	for text, says := range map[string]string{
		`{"a"`:     "flinkConfiguration",
		`["a"]`:    "write an object",
		`"a: b"`:   "write an object",
		`{"a": [1`: "flinkConfiguration: unexpected end of JSON input",
		`nul`:      "JSON",
		`[`:        "write an object",
		"\x01":     "is not JSON",
	} {
		if _, err := flinkconf.Flatten(v1beta1.FlinkConfiguration(text)); err == nil ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("Flatten(%s) error = %v, want it to say %q", text, err, says)
		}
	}
}

// TestNestingDoesNotMatter: a configuration means the same however its keys are nested.
func TestNestingDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flat := rapid.MapOf(rapid.StringMatching(`[a-c](\.[a-c]){0,3}`), rapid.StringMatching(`[xyz]{0,3}`)).Draw(t, "flat")
		nested := map[string]any{}
		for k, v := range flat {
			for other := range flat {
				if strings.HasPrefix(other, k+".") {
					delete(flat, k) // a value and a branch cannot have one name
				}
			}
			if _, kept := flat[k]; kept {
				nest(nested, strings.Split(k, "."), v)
			}
		}
		text, err := json.Marshal(nested)
		if err != nil {
			t.Fatal(err)
		}
		got, err := flinkconf.Flatten(text)
		if diff := cmp.Diff(flinkconf.Config(flat), got); err != nil || diff != "" {
			t.Fatalf("%s: %v\n%s", text, err, diff)
		}
	})
}

func nest(into map[string]any, path []string, value string) {
	if len(path) == 1 {
		into[path[0]] = value
		return
	}
	child, ok := into[path[0]].(map[string]any)
	if !ok {
		child = map[string]any{}
		into[path[0]] = child
	}
	nest(child, path[1:], value)
}
