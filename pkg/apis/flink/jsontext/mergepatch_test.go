package jsontext

import (
	"testing"

	"pgregory.net/rapid"
)

func TestAMergePatchHasOnlyWhatChanges(t *testing.T) {
	rows := map[string]struct{ from, to, patch, reason string }{
		"nothing":           {`{"a":1}`, `{"a":1}`, `{}`, "equal texts differ in nothing"},
		"a value":           {`{"a":1,"b":2}`, `{"a":1,"b":3}`, `{"b":3}`, "the rest stays"},
		"deeper":            {`{"a":{"b":1,"c":2}}`, `{"a":{"b":1,"c":3}}`, `{"a":{"c":3}}`, "objects are looked into"},
		"a new field":       {`{}`, `{"a":{"b":1}}`, `{"a":{"b":1}}`, "as it is"},
		"a removed field":   {`{"a":1,"b":2}`, `{"a":1}`, `{"b":null}`, "null removes"},
		"a list":            {`{"a":[1,2]}`, `{"a":[1,3]}`, `{"a":[1,3]}`, "lists are replaced"},
		"another type":      {`{"a":{"b":1}}`, `{"a":"x"}`, `{"a":"x"}`, "replaced"},
		"a null":            {`{"a":1,"b":null}`, `{"a":1}`, `{}`, "null counts as absent"},
		"a null in a list":  {`{"a":[]}`, `{"a":[null]}`, `{"a":[null]}`, "there it is a value"},
		"a number":          {`{"a":1}`, `{"a":1.0}`, `{"a":1.0}`, "text is what counts"},
		"a long number":     {`{}`, `{"a":12345678901234567890}`, `{"a":12345678901234567890}`, "no digit is lost"},
		"an emptied object": {`{"a":{"b":1}}`, `{"a":{}}`, `{"a":{"b":null}}`, "the object stays"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			patch, err := MergePatch(row.from, row.to)
			if err != nil || patch != row.patch {
				t.Errorf("%s, %v, want %s: %s", patch, err, row.patch, row.reason)
			}
		})
	}
}

func TestAMergePatchOfWhatIsNotJSON(t *testing.T) {
	if _, err := MergePatch(`{`, `{}`); err == nil {
		t.Error("the first text is broken")
	}
	if _, err := MergePatch(`{}`, ``); err == nil {
		t.Error("the second text is empty")
	}
	if _, err := ApplyMergePatch(`{`, `{}`); err == nil {
		t.Error("the text is broken")
	}
	if _, err := ApplyMergePatch(`{}`, `{`); err == nil {
		t.Error("the patch is broken")
	}
}

// TestAMergePatchLeadsThere: applied to the one text, it makes the other.
func TestAMergePatchLeadsThere(t *testing.T) {
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		leaf := rapid.Map(rapid.StringMatching(`[a-c]{0,2}`), func(s string) any { return s })
		if depth == 0 {
			return leaf
		}
		list := rapid.Map(rapid.SliceOfN(value(depth-1), 0, 3), func(l []any) any { return l })
		fields := rapid.MapOfN(rapid.StringMatching(`[a-d]`), value(depth-1), 0, 4)
		object := rapid.Map(fields, func(m map[string]any) any { return m })
		return rapid.OneOf(leaf, rapid.Just[any](true), list, object)
	}
	object := rapid.MapOfN(rapid.StringMatching(`[a-d]`), value(3), 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		from, err := Print(object.Draw(t, "from"))
		if err != nil {
			t.Fatal(err)
		}
		to, err := Print(object.Draw(t, "to"))
		if err != nil {
			t.Fatal(err)
		}
		patch, err := MergePatch(from, to)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ApplyMergePatch(from, patch); err != nil || got != to {
			t.Fatalf("%s with %s is %s, %v, want %s", from, patch, got, err, to)
		}
	})
}
