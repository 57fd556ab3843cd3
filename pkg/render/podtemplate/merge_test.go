package podtemplate

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func tree(t *testing.T, text string) Tree {
	t.Helper()
	parsed, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("parse %s: %v", text, err)
	}
	return parsed
}

func TestMerge(t *testing.T) {
	tests := map[string]struct {
		base, override, want string
		lists                ListMerge
		reason               string
	}{
		"no template": {
			reason: "two absent layers stay absent: an empty template would make Flink mount one",
		},
		"base only": {
			base: `{"spec":{"dnsPolicy":"None"}}`, want: `{"spec":{"dnsPolicy":"None"}}`,
			reason: "an absent layer changes nothing",
		},
		"override only": {
			override: `{"spec":{"dnsPolicy":"None"}}`, want: `{"spec":{"dnsPolicy":"None"}}`,
			reason: "the component's template counts without a common one",
		},
		"containers only in the override": {
			base: `{"metadata":{"labels":{"a":"1"}}}`, override: `{"spec":{"containers":[{"name":"c1"},{"name":"c2"}]}}`,
			want:   `{"metadata":{"labels":{"a":"1"}},"spec":{"containers":[{"name":"c1"},{"name":"c2"}]}}`,
			reason: "a field that only one side has is taken over whole",
		},
		"by name": {
			base: `{"spec":{"containers":[{"name":"c1"},{"name":"c2"}],
				"volumes":[{"name":"v1","ephemeral":{}}]}}`,
			override: `{"spec":{"containers":[{"name":"c1"},{"name":"c3"}],
				"volumes":[{"name":"v1","emptyDir":{}},{"name":"v2"},{"name":"v3"}]}}`,
			want: `{"spec":{"containers":[{"name":"c1"},{"name":"c2"},{"name":"c3"}],
				"volumes":[{"name":"v1","ephemeral":{},"emptyDir":{}},{"name":"v2"},{"name":"v3"}]}}`,
			lists:  ByName,
			reason: "equal names merge, new names follow in their order",
		},
		"by position, the override is shorter": {
			base:     `{"spec":{"tolerations":[{"key":"a"},{"key":"b"},{"key":"c"}]}}`,
			override: `{"spec":{"tolerations":[{"key":"x"}]}}`,
			want:     `{"spec":{"tolerations":[{"key":"x"},{"key":"b"},{"key":"c"}]}}`,
			reason:   "the elements beyond stay",
		},
		"by name, a name twice": {
			base:     `{"spec":{"containers":[{"name":"c1","image":"i"},{"name":"c1","image":"j"},{"name":"c2"}]}}`,
			override: `{"spec":{"containers":[{"name":"c1","command":["x"]}]}}`,
			want:     `{"spec":{"containers":[{"name":"c1","image":"j","command":["x"]},{"name":"c2"}]}}`,
			lists:    ByName,
			reason:   "the last of a name counts, and what follows it stays",
		},
		"by name, a name twice in the override": {
			base:     `{"spec":{"containers":[{"name":"c1"}]}}`,
			override: `{"spec":{"containers":[{"name":"c1","image":"i"},{"name":"c1","image":"j"},{"name":"c2"}]}}`,
			want:     `{"spec":{"containers":[{"name":"c1","image":"j"},{"name":"c2"}]}}`,
			lists:    ByName,
			reason:   "the last of a name counts, and what follows it stays",
		},
		"by name with an unnamed element": {
			base:     `{"spec":{"tolerations":[{"key":"a","effect":"NoSchedule"}],"containers":[{"name":"c1","image":"i"}]}}`,
			override: `{"spec":{"tolerations":[{"key":"b"}],"containers":[{"image":"j"}]}}`,
			want:     `{"spec":{"tolerations":[{"key":"b","effect":"NoSchedule"}],"containers":[{"name":"c1","image":"j"}]}}`,
			lists:    ByName,
			reason:   "one element without a name makes that list merge by position",
		},
		"by name with an empty list": {
			base:     `{"spec":{"containers":[]}}`,
			override: `{"spec":{"containers":[{"name":"c1"}]}}`,
			want:     `{"spec":{"containers":[{"name":"c1"}]}}`,
			lists:    ByName,
			reason:   "an empty list has no element without a name",
		},
		"by name, the same name twice": {
			base: `{"spec":{"volumes":[{"name":"v","a":"1"},{"name":"v","a":"2"}]}}`,
			override: `{"spec":{"volumes":[{"name":"w","b":"1"},{"name":"v","b":"2"},
				{"name":"w","b":"3"}]}}`,
			want:   `{"spec":{"volumes":[{"name":"v","a":"2","b":"2"},{"name":"w","b":"3"}]}}`,
			lists:  ByName,
			reason: "a repeated name counts once, with its last value",
		},
		"by position": {
			base: `{"spec":{"containers":[{"name":"c1","image":"i"},{"name":"c2"}]}}`,
			override: `{"spec":{"containers":[{"name":"x"},{"image":"j"},
				{"name":"c3"}]}}`,
			want: `{"spec":{"containers":[{"name":"x","image":"i"},{"name":"c2","image":"j"},
				{"name":"c3"}]}}`,
			reason: "elements merge pairwise and the surplus is appended",
		},
		"scalars in a list": {
			base: `{"spec":{"args":["a"]}}`, override: `{"spec":{"args":["b","c"]}}`,
			want:   `{"spec":{"args":["a","c"]}}`,
			reason: "a scalar of the base is never replaced by position",
		},
		"scalar members": {
			base: `{"spec":{"dnsPolicy":"None","priority":1}}`, override: `{"spec":{"priority":2}}`,
			want:   `{"spec":{"dnsPolicy":"None","priority":2}}`,
			reason: "a scalar member of the override wins",
		},
		"list over scalar, scalar over list": {
			base: `{"spec":{"a":"x","b":["y"]}}`, override: `{"spec":{"a":["z"],"b":"w"}}`,
			want:   `{"spec":{"a":["z"],"b":"w"}}`,
			reason: "the override replaces what has another shape",
		},
		"scalar and list over object": {
			base: `{"spec":{"a":{"k":"v"},"b":{"k":"v"}}}`, override: `{"spec":{"a":"x","b":["y"]}}`,
			want:   `{"spec":{"a":{"k":"v"},"b":{"k":"v"}}}`,
			reason: "nothing but an object changes an object",
		},
		"object over list and scalar": {
			base: `{"spec":{"a":["x"],"b":"y"}}`, override: `{"spec":{"a":{"k":"v"},"b":{"k":"v"}}}`,
			want:   `{"spec":{"a":{"k":"v"},"b":{"k":"v"}}}`,
			reason: "an object replaces what is none",
		},
		"nulls": {
			base: `{"spec":{"a":"x"}}`, override: `{"spec":{"a":null,"b":null},"metadata":null}`,
			want:   `{"spec":{"a":"x"}}`,
			reason: "a null says nothing",
		},
		"lists in lists": {
			base: `{"spec":{"a":[["x"],{"k":"v"}]}}`, override: `{"spec":{"a":[["y","z"],"s"]}}`,
			want:   `{"spec":{"a":[["x","z"],{"k":"v"}]}}`,
			reason: "the rules hold at every depth",
		},
		"list over an object in a list": {
			base: `{"spec":{"a":[{"k":"v"}]}}`, override: `{"spec":{"a":[["y"]]}}`,
			want:   `{"spec":{"a":[{"k":"v"}]}}`,
			reason: "as for members: only an object changes an object",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := Merge(tree(t, test.base), tree(t, test.override), test.lists)
			if diff := cmp.Diff(tree(t, test.want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}

func TestMergeSharesNothing(t *testing.T) {
	base := tree(t, `{"spec":{"containers":[{"name":"c"}],"volumes":[{"name":"v"}]}}`)
	override := tree(t, `{"spec":{"containers":[{"image":"i"}],"hostAliases":[{"ip":"1"}]}}`)
	before, beforeOverride := base.Copy(), override.Copy()
	merged := Merge(base, override, ByPosition)
	spec := merged["spec"].(map[string]any)
	for _, field := range []string{"containers", "volumes", "hostAliases"} {
		spec[field].([]any)[0].(map[string]any)["changed"] = "yes"
	}
	if diff := cmp.Diff(before, base); diff != "" {
		t.Errorf("a change of the result reached the base (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(beforeOverride, override); diff != "" {
		t.Errorf("a change of the result reached the override (-want +got):\n%s", diff)
	}
}

// A null in a tree that was not parsed says nothing either, on both sides.
func TestMergeOfNulls(t *testing.T) {
	base := Tree{"spec": map[string]any{"a": nil, "b": "1", "c": "1", "d": "1", "e": "1", "f": "1"}}
	override := Tree{"spec": map[string]any{"a": "2", "b": nil, "c": "2", "d": "2", "e": "2", "f": "2"}}
	want := Tree{"spec": map[string]any{"a": "2", "b": "1", "c": "2", "d": "2", "e": "2", "f": "2"}}
	for range 20 { // entries of an object come in any order
		if diff := cmp.Diff(want, Merge(base, override, ByPosition)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

func TestParse(t *testing.T) {
	tests := map[string]struct {
		text   string
		want   Tree
		fails  bool
		reason string
	}{
		"empty text": {text: " \n", reason: "no text is no template"},
		"null":       {text: "null", reason: "a null is no template"},
		"empty":      {text: "{}", want: Tree{}, reason: "an empty template is one"},
		"a list":     {text: "[]", fails: true, reason: "a template is an object"},
		"broken":     {text: "{", fails: true, reason: "what is not JSON is an error, not an empty template"},
		"a whole pod": {
			text: `{"apiVersion":"v1","kind":"Pod","status":{},"spec":{"a":1}}`,
			want: Tree{"spec": map[string]any{"a": json.Number("1")}}, reason: "what a template has not is dropped",
		},
		"nulls": {
			text:   `{"spec":{"a":null,"b":[null,{"c":null}]}}`,
			want:   Tree{"spec": map[string]any{"b": []any{map[string]any{}}}},
			reason: "nulls are dropped at every depth",
		},
		"a part that is null": {
			text: `{"metadata":null,"spec":{}}`, want: Tree{"spec": map[string]any{}}, reason: "a null is no part",
		},
		"large numbers": {
			text:   `{"spec":{"a":9223372036854775807}}`,
			want:   Tree{"spec": map[string]any{"a": json.Number("9223372036854775807")}},
			reason: "a number keeps its digits",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Parse([]byte(test.text))
			if (err != nil) != test.fails {
				t.Fatalf("%s: error %v", test.reason, err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}
