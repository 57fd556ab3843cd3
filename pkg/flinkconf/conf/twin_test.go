package conf

import (
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// dumbLookup is Lookup said in the plainest way: make a list of everything that could hold the value, take the first.
func dumbLookup(c Config, o Option) (string, bool) {
	type candidate struct {
		text  string
		there bool
	}
	var candidates []candidate
	for _, k := range append([]string{o.Key}, o.Fallbacks...) {
		text, there := c[k]
		candidates = append(candidates, candidate{text, there})
		if o.Kind != KindMap {
			continue
		}
		var names []string
		for other := range c {
			if strings.HasPrefix(other, k+".") && other != k+"." {
				names = append(names, other[len(k)+1:])
			}
		}
		sort.Strings(names)
		var pairs [][2]string
		for _, name := range names {
			pairs = append(pairs, [2]string{name, c[k+"."+name]})
		}
		candidates = append(candidates, candidate{syntax.JoinMap(pairs), len(pairs) > 0})
	}
	for _, candidate := range candidates {
		if candidate.there {
			return candidate.text, true
		}
	}
	return "", false
}

func TestLookupTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[ab](\.[ab]){0,2}`)
		c := Config(rapid.MapOf(word, rapid.StringMatching(`[x,:']{0,3}`)).Draw(t, "config"))
		o := Option{
			Key:       word.Draw(t, "key"),
			Fallbacks: rapid.SliceOfN(word, 0, 2).Draw(t, "fallbacks"),
			Kind:      rapid.SampledFrom([]Kind{KindString, KindMap}).Draw(t, "kind"),
		}
		want, wantSet := dumbLookup(c, o)
		if got, set := c.Lookup(o); got != want || set != wantSet {
			t.Fatalf("Lookup() = %q, %v, want %q, %v", got, set, want, wantSet)
		}
		if used := c.UsedKey(o); (used != "") != wantSet {
			t.Fatalf("UsedKey() = %q for an option that is set: %v", used, wantSet)
		}
	})
}

// TestPairsKeepOrder: Pairs is Map with the order of the text.
func TestPairsKeepOrder(t *testing.T) {
	c := Config{"m": "b:1,a:2,c:3"}
	pairs, err := c.Pairs(Option{Key: "m", Kind: KindMap})
	if err != nil || len(pairs) != 3 || pairs[0][0] != "b" || pairs[1][0] != "a" || pairs[2] != [2]string{"c", "3"} {
		t.Errorf("Pairs() = %q, %v, want b, a, c", pairs, err)
	}
	broken := Config{"m": "b"}
	if _, err := broken.Pairs(Option{Key: "m", Kind: KindMap}); err == nil {
		t.Error("a text that is no map gives no error")
	}
}
