package conf

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var (
	renamed = Option{Key: "new", Kind: KindString, Default: "d", HasDefault: true, Fallbacks: []string{"old", "older"}}
	labels  = Option{Key: "labels", Kind: KindMap, Fallbacks: []string{"tags"}}
)

func TestLookupOrder(t *testing.T) {
	for name, tc := range map[string]struct {
		config Config
		option Option
		want   string
		set    bool
		key    string
		reason string
	}{
		"nil":            {nil, renamed, "d", false, "", "a nil configuration is empty"},
		"key":            {Config{"new": "a", "old": "b"}, renamed, "a", true, "new", "the key itself wins"},
		"first fallback": {Config{"older": "c", "old": "b"}, renamed, "b", true, "old", "fallbacks in their order"},
		"last fallback":  {Config{"older": "c"}, renamed, "c", true, "older", "any fallback beats the default"},
		"empty is set":   {Config{"new": ""}, renamed, "", true, "new", "an empty text is a value"},
		"no default":     {Config{}, labels, "", false, "", "without a default there is nothing"},
		"exact map": {
			Config{"labels": "a:1", "labels.b": "2"},
			labels,
			"a:1",
			true,
			"labels",
			"the exact key beats prefix notation",
		},
		"prefix notation": {
			Config{"labels.b": "2", "labels.a": "1,5"},
			labels,
			"'a:1,5',b:2",
			true,
			"labels",
			"collected, sorted, quoted",
		},
		"prefix on fallback": {
			Config{"tags.a": "1"},
			labels,
			"a:1",
			true,
			"tags",
			"fallbacks have prefix notation too",
		},
		"prefix and older": {
			Config{"labels.a": "1", "tags": "b:2"},
			labels,
			"a:1",
			true,
			"labels",
			"prefix notation of the key beats a fallback",
		},
		"only for maps": {Config{"new.x": "1"}, renamed, "d", false, "", "other kinds have no prefix notation"},
		"dot alone":     {Config{"labels.": "1"}, labels, "", false, "", "an entry needs a name"},
	} {
		t.Run(name, func(t *testing.T) {
			got, set := tc.config.Lookup(tc.option)
			if tc.set && got != tc.want || set != tc.set || tc.config.Has(tc.option) != tc.set {
				t.Errorf("Lookup() = %q, %v, want %q, %v: %s", got, set, tc.want, tc.set, tc.reason)
			}
			if got := tc.config.Get(tc.option); got != tc.want {
				t.Errorf("Get() = %q, want %q: %s", got, tc.want, tc.reason)
			}
			if got := tc.config.UsedKey(tc.option); got != tc.key {
				t.Errorf("UsedKey() = %q, want %q: %s", got, tc.key, tc.reason)
			}
		})
	}
}

func TestWrite(t *testing.T) {
	for name, tc := range map[string]struct {
		before Config
		write  func(Config)
		want   Config
		reason string
	}{
		"set": {
			Config{"old": "b"},
			func(c Config) { c.Set(renamed, "a") },
			Config{"old": "b", "new": "a"},
			"older spellings stay: the key wins anyway",
		},
		"set a map": {
			Config{"labels.a": "1", "labelsx": "2"},
			func(c Config) { c.Set(labels, "b:2") },
			Config{"labels": "b:2", "labelsx": "2"},
			"prefix notation would be dead weight",
		},
		"default": {
			Config{},
			func(c Config) { c.SetDefault(renamed, "a") },
			Config{"new": "a"},
			"nothing was set",
		},
		"no default": {
			Config{"older": "c"},
			func(c Config) { c.SetDefault(renamed, "a") },
			Config{"older": "c"},
			"an older spelling counts as set",
		},
		"no default for map": {
			Config{"tags.x": "1"},
			func(c Config) { c.SetDefault(labels, "a:1") },
			Config{"tags.x": "1"},
			"prefix notation counts as set",
		},
		"unset": {
			Config{"new": "a", "old": "b"},
			func(c Config) { c.Unset(renamed) },
			Config{"old": "b"},
			"only the first spelling found, as in Flink",
		},
		"unset fallback": {
			Config{"older": "c"},
			func(c Config) { c.Unset(renamed) },
			Config{},
			"the first one found may be a fallback",
		},
		"unset a map": {
			Config{"labels.a": "1", "labels.b": "2", "x": "y"},
			func(c Config) { c.Unset(labels) },
			Config{"x": "y"},
			"with all of its entries",
		},
		"unset all": {
			Config{"new": "a", "old": "b", "older": "c", "x": "y"},
			func(c Config) { c.UnsetAll(renamed) },
			Config{"x": "y"},
			"every spelling",
		},
		"unset nothing": {
			Config{"x": "y"},
			func(c Config) { c.UnsetAll(renamed) },
			Config{"x": "y"},
			"nothing to do",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.write(tc.before)
			if diff := cmp.Diff(tc.want, tc.before); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSets(t *testing.T) {
	c := Config{"b": "2", "a.x": "1", "a.y": "3"}
	for name, tc := range map[string]struct {
		got, want any
		reason    string
	}{
		"merge": {
			c.Merge(Config{"b": "9", "c": "4"}),
			Config{"b": "9", "a.x": "1", "a.y": "3", "c": "4"},
			"the argument wins",
		},
		"merge nil":    {Config(nil).Merge(nil), Config{}, "never nil, so that it can be written"},
		"keys":         {c.Keys(), []string{"a.x", "a.y", "b"}, "sorted"},
		"with prefix":  {c.WithPrefix("a."), Config{"x": "1", "y": "3"}, "the prefix is cut off"},
		"whole prefix": {c.WithPrefix("b"), Config{}, "the prefix alone is no entry"},
		"without":      {c.Without("a.x", "b"), Config{"a.y": "3"}, "prefixes are plain beginnings of text"},
		"original":     {c, Config{"b": "2", "a.x": "1", "a.y": "3"}, "none of these change it"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// kinds is one option of each kind with a default.
func kinds() Config {
	return Config{
		"duration": "90s",
		"memory":   "2g",
		"int":      "7",
		"float":    "0.5",
		"bool":     "TRUE",
		"enum":     "native",
		"list":     "a;b",
		"map":      "k:v",
		"maps":     "a:1,b:2;a:3",
	}
}

func option(name string, kind Kind) Option {
	return Option{Key: name, Kind: kind, Values: []string{"CANONICAL", "NATIVE"}}
}

func TestTypedReads(t *testing.T) {
	c := kinds()
	for name, tc := range map[string]struct {
		read func(Option) (any, error)
		kind Kind
		want any
		zero any
	}{
		"duration": {
			func(o Option) (any, error) { return c.Duration(o) },
			KindDuration,
			90 * time.Second,
			time.Duration(0),
		},
		"memory": {func(o Option) (any, error) { return c.Memory(o) }, KindMemory, int64(2 << 30), int64(0)},
		"int":    {func(o Option) (any, error) { return c.Int(o) }, KindInt, 7, 0},
		"float":  {func(o Option) (any, error) { return c.Float(o) }, KindFloat, 0.5, 0.0},
		"bool":   {func(o Option) (any, error) { return c.Bool(o) }, KindBool, true, false},
		"enum":   {func(o Option) (any, error) { return c.Enum(o) }, KindEnum, "NATIVE", ""},
		"list":   {func(o Option) (any, error) { return c.List(o) }, KindList, []string{"a", "b"}, []string(nil)},
		"map": {
			func(o Option) (any, error) { return c.Map(o) },
			KindMap,
			map[string]string{"k": "v"},
			map[string]string(nil),
		},
		"maps": {
			func(o Option) (any, error) { return c.MapList(o) },
			KindMapList,
			[]map[string]string{{"a": "1", "b": "2"}, {"a": "3"}},
			[]map[string]string(nil),
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tc.read(option(name, tc.kind))
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("value: %v\n%s", err, diff)
			}
			got, err = tc.read(option("absent", tc.kind))
			if diff := cmp.Diff(tc.zero, got); err != nil || diff != "" {
				t.Errorf("an option neither set nor defaulted is zero: %v\n%s", err, diff)
			}
			broken := Option{Key: "absent", Kind: tc.kind, Default: "'", HasDefault: true}
			if got, err = tc.read(broken); err == nil {
				t.Errorf("a default that does not parse gives %v, want an error: nothing is read around the parser", got)
			}
		})
	}
}

func TestReadErrors(t *testing.T) {
	c := Config{"old": "soon", "kubernetes.operator.password-timeout": "hunter2", "n": "3000000000"}
	for name, tc := range map[string]struct {
		option Option
		read   func(Option) error
		says   []string
		hides  string
		reason string
	}{
		"names the key used": {
			Option{Key: "new", Kind: KindDuration, Fallbacks: []string{"old"}},
			durationOf(c),
			[]string{`"old"`, `"soon"`, "duration", "d, h, min"},
			"",
			"the user has to find the text in what they wrote",
		},
		"secret": {
			Option{Key: "kubernetes.operator.password-timeout", Kind: KindDuration},
			durationOf(c),
			[]string{"password-timeout", "******"},
			"hunter2",
			"a value that may be a secret is not shown",
		},
		"32 bits": {
			Option{Key: "n", Kind: KindInt},
			func(o Option) error { _, err := c.Int(o); return err },
			[]string{`"n"`, "32 bits"},
			"",
			"Flink's integers have 32 bits",
		},
		"enum": {
			Option{Key: "n", Kind: KindEnum, Values: []string{"A", "B"}},
			func(o Option) error { _, err := c.Enum(o); return err },
			[]string{"one of A, B"},
			"",
			"the error lists the constants",
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := tc.read(tc.option)
			if err == nil {
				t.Fatalf("no error: %s", tc.reason)
			}
			for _, part := range tc.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q: %s", err, part, tc.reason)
				}
			}
			if tc.hides != "" && strings.Contains(err.Error(), tc.hides) {
				t.Errorf("error %q shows %q: %s", err, tc.hides, tc.reason)
			}
			var value *ValueError
			if !errors.As(err, &value) || value.Kind != tc.option.Kind || value.Unwrap() == nil {
				t.Errorf("error %#v is no ValueError of kind %s with a cause", err, tc.option.Kind)
			}
		})
	}
}

func durationOf(c Config) func(Option) error {
	return func(o Option) error { _, err := c.Duration(o); return err }
}

func TestSensitive(t *testing.T) {
	for key, want := range map[string]bool{

		"security.ssl.rest.keystore-password": true,
		"fs.s3a.SECRET.key":                   true,
		"some.token":                          true,
		"rest.port":                           false,
		"pipeline.name":                       false,
	} {
		if got := Sensitive(key); got != want {
			t.Errorf("Sensitive(%q) = %v, want %v", key, got, want)
		}
	}
}

// TestSetThenGet: what is set is what is read, and reading changes nothing.
func TestSetThenGet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"new", "old", "older", "labels", "labels.a", "tags", "tags.b", "x"})
		c := Config(rapid.MapOf(name, rapid.SampledFrom([]string{"", "a:1", "v"})).Draw(t, "config"))
		o := rapid.SampledFrom([]Option{renamed, labels}).Draw(t, "option")
		text := rapid.String().Draw(t, "text")
		before := c.Clone()
		c.Get(o)
		if diff := cmp.Diff(before, c); diff != "" {
			t.Fatalf("Get changed the configuration:\n%s", diff)
		}
		c.Set(o, text)
		if got, set := c.Lookup(o); got != text || !set {
			t.Fatalf("after Set(%q) Lookup() = %q, %v", text, got, set)
		}
		c.UnsetAll(o)
		if c.Has(o) {
			t.Fatalf("after UnsetAll %v still has %q", c, o.Key)
		}
	})
}
