package conf

import (
	"maps"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// Config is a flat Flink configuration: dotted keys and their texts. nil is an empty configuration.
// Only Set, Unset and Default change a Config; whoever calls them owns it, usually a Clone.
type Config map[string]string

// Clone returns a copy that can be changed. It is never nil.
func (c Config) Clone() Config {
	if c == nil {
		return Config{}
	}
	return maps.Clone(c)
}

// Merge returns a new configuration: c with everything of over laid on top.
func (c Config) Merge(over Config) Config {
	merged := c.Clone()
	maps.Copy(merged, over)
	return merged
}

// Keys returns all keys, sorted.
func (c Config) Keys() []string {
	return slices.Sorted(maps.Keys(c))
}

// WithPrefix returns the entries whose key starts with prefix, with the prefix cut off.
// A key that is the prefix itself is left out.
func (c Config) WithPrefix(prefix string) Config {
	found := Config{}
	for key, value := range c {
		if rest, ok := strings.CutPrefix(key, prefix); ok && rest != "" {
			found[rest] = value
		}
	}
	return found
}

// Without returns the entries whose key starts with none of the prefixes.
func (c Config) Without(prefixes ...string) Config {
	kept := Config{}
	for key, value := range c {
		if !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(key, p) }) {
			kept[key] = value
		}
	}
	return kept
}

// Lookup returns the text set for an option under its key or, failing that, its fallbacks. A map option is also found
// in prefix notation. It does not look at the default.
func (c Config) Lookup(o Option) (string, bool) {
	for key := range o.keys() {
		if value, ok := c[key]; ok {
			return value, true
		}
		if o.Kind == KindMap {
			if pairs := c.prefixed(key); len(pairs) > 0 {
				return syntax.JoinMap(pairs), true
			}
		}
	}
	return "", false
}

// Has tells whether the option is set, under any of its keys.
func (c Config) Has(o Option) bool {
	_, ok := c.Lookup(o)
	return ok
}

// Get returns the text set for an option, else its default, else "".
func (c Config) Get(o Option) string {
	if value, ok := c.Lookup(o); ok {
		return value
	}
	return o.Default
}

// UsedKey returns the key that Lookup finds the option's value under, so that a caller can say that an old spelling is
// in use. For prefix notation it is the common prefix. It is "" when the option is not set.
func (c Config) UsedKey(o Option) string {
	for key := range o.keys() {
		if _, ok := c[key]; ok {
			return key
		}
		if o.Kind == KindMap && len(c.prefixed(key)) > 0 {
			return key
		}
	}
	return ""
}

// Set writes an option under its own key. For a map option the keys in prefix notation below it go away.
func (c Config) Set(o Option, text string) {
	if o.Kind == KindMap {
		c.dropPrefixed(o.Key)
	}
	c[o.Key] = text
}

// SetDefault writes an option only when it is set under none of its keys.
func (c Config) SetDefault(o Option, text string) {
	if !c.Has(o) {
		c.Set(o, text)
	}
}

// Unset removes the first of the option's keys that is set, as Flink's Configuration.removeConfig does. Older spellings
// that it hid count again afterwards; UnsetAll removes those too.
func (c Config) Unset(o Option) {
	if key := c.UsedKey(o); key != "" {
		delete(c, key)
		if o.Kind == KindMap {
			c.dropPrefixed(key)
		}
	}
}

// UnsetAll removes the option under each of its keys.
func (c Config) UnsetAll(o Option) {
	for c.Has(o) {
		c.Unset(o)
	}
}

// prefixed collects a map option in prefix notation: sorted pairs of what follows "key." and the text.
func (c Config) prefixed(key string) [][2]string {
	below := c.WithPrefix(key + ".")
	pairs := make([][2]string, 0, len(below))
	for _, name := range below.Keys() {
		pairs = append(pairs, [2]string{name, below[name]})
	}
	return pairs
}

func (c Config) dropPrefixed(key string) {
	maps.DeleteFunc(c, func(k, _ string) bool { return strings.HasPrefix(k, key+".") })
}
