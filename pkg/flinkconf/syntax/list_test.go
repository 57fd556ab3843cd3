package syntax

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSplitList(t *testing.T) {
	for name, tc := range map[string]struct {
		text   string
		want   []string
		reason string
	}{
		"plain":           {"a;b", []string{"a", "b"}, "';' separates"},
		"trimmed":         {" a ; b ", []string{"a", "b"}, "unquoted items are trimmed"},
		"empty":           {"", []string{}, "nothing is no item"},
		"ends":            {";a;", []string{"a"}, "empty items at the ends vanish"},
		"between":         {"a;;b", []string{"a", "", "b"}, "two delimiters in a row are an empty item"},
		"blank between":   {"a; ;b", []string{"a", "", "b"}, "a blank item is as good as empty"},
		"quoted":          {"'a;b';c", []string{"a;b", "c"}, "a quoted item holds the delimiter"},
		"doubled quote":   {"'it''s'", []string{"it's"}, "a quote is doubled inside quotes"},
		"double quotes":   {`"a'b"`, []string{"a'b"}, "the other quote is plain inside quotes"},
		"quote in middle": {"a'b;c", []string{"a'b", "c"}, "a quote counts only at the start of an item"},
		"comma":           {"https,s3", []string{"https,s3"}, "a comma does not separate a list"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := SplitList(tc.text)
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("SplitList(%q): %v %s: %s", tc.text, err, diff, tc.reason)
			}
		})
	}
}

func TestSplitErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		split  func(string) error
		text   string
		says   string
		reason string
	}{
		"open quote":  {listError, "'a;b", "is not closed", "a quote that opens has to close"},
		"after quote": {listError, "'a'b", "follows a closing quote", "only a delimiter may follow a quote"},
		"no colon":    {mapError, "a,b:c", `"a" is not one pair`, "every item is a pair"},
		"two colons":  {mapError, "a:b:c", "is not one pair", "a value with ':' has to be quoted"},
		"twice":       {mapError, "a:1,a:2", `key "a" appears twice`, "a repeated key has no meaning"},
		"open pair":   {mapError, "a:'b", "is not closed", "quotes nest"},
		"quoted pair": {mapError, "'a:\"b'", "is not closed", "the inside of a quoted pair is read too"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := tc.split(tc.text); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%q: error = %v, want it to say %q: %s", tc.text, err, tc.says, tc.reason)
			}
		})
	}
}

func listError(text string) error { _, err := SplitList(text); return err }
func mapError(text string) error  { _, err := SplitMap(text); return err }

// texts are short strings over the characters that matter.
var texts = rapid.StringOfN(rapid.SampledFrom([]rune("ab;:, '\"\té")), 0, 6, -1)

func TestExactListReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOfN(texts, 0, 5).Draw(t, "items")
		got, err := SplitList(JoinListExactly(items))
		if diff := cmp.Diff(items, got); err != nil || diff != "" {
			t.Fatalf("%q printed as %q: %v\n%s", items, JoinListExactly(items), err, diff)
		}
	})
}

func TestMapReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.SampledFrom([]rune("ab;:,'\"é")), 1, 6, -1)
		pairs := [][2]string{}
		for _, name := range rapid.SliceOfNDistinct(word, 0, 5, rapid.ID[string]).Draw(t, "names") {
			pairs = append(pairs, [2]string{name, word.Draw(t, "value")})
		}
		got, err := SplitMap(JoinMap(pairs))
		if diff := cmp.Diff(pairs, got); err != nil || diff != "" {
			t.Fatalf("%q printed as %q: %v\n%s", pairs, JoinMap(pairs), err, diff)
		}
	})
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"a;b", "k:v,k2:'a,b'", "'it''s';\"x\"", ";;", "a:'b:c',d:e", "'", "\u2003;x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if items, err := SplitList(text); err == nil {
			again, err := SplitList(JoinListExactly(items))
			if diff := cmp.Diff(items, again); err != nil || diff != "" {
				t.Fatalf("%q is %q, printed %q: %v\n%s", text, items, JoinListExactly(items), err, diff)
			}
		}
		pairs, err := SplitMap(text)
		values := map[string]string{}
		for _, pair := range pairs {
			values[pair[0]] = pair[1]
		}
		if err == nil && len(values) != len(pairs) {
			t.Fatalf("%q: a key stands twice in %q", text, pairs)
		}
	})
}
