package flinkconf

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// WithoutEffect says of each key of a configuration that is known and read by nobody, that it has no effect and what
// happens instead: one sentence each, sorted. A key that asks for what happens anyway is left out.
//
//	key                                       | value                  | told
//	of key.NoEffect, or an older spelling     | what happens anyway    | no
//	                                          | another                | yes
//	the same as a default of a namespace or   |                        |
//	  Flink version (operator only)           | as above               | as above
//	below a prefix of key.NoEffectPrefixes    | any                    | yes
//	exception.label.mapper                    | a pattern is wrong     | that label
func WithoutEffect(c Config) []string {
	return withoutEffect(c, key.NoEffect(), key.NoEffectPrefixes())
}

// WithoutEffectInResource says the same of a resource's own configuration: there what only the installation reads has
// no effect, either, and a key below the operator's prefix that is no option is told with the nearest one.
func WithoutEffectInResource(c Config) []string {
	prefixes := key.NoEffectPrefixes()
	maps.Copy(prefixes, key.InstallationPrefixes())
	installation := key.InstallationOnly()
	for _, u := range installation {
		if u.Option.Kind == conf.KindMap {
			prefixes[u.Option.Key+"."] = u.Why
		}
	}
	told := append(withoutEffect(c, append(key.NoEffect(), installation...), prefixes), unknown(c)...)
	slices.Sort(told)
	return told
}

func withoutEffect(c Config, unread []key.Unread, prefixes map[string]string) []string {
	known := map[string]key.Unread{}
	for _, u := range unread {
		for _, spelling := range append([]string{u.Option.Key}, u.Option.Fallbacks...) {
			known[spelling] = u
		}
	}
	var told []string
	for name, text := range c {
		why := ""
		if u, unread := known[undefaulted(name, known)]; unread && (u.Same == "" ||
			!strings.EqualFold(strings.TrimSpace(text), u.Same)) {
			why = u.Why
		}
		for prefix, instead := range prefixes {
			if strings.HasPrefix(name, prefix) && why == "" {
				why = instead
			}
		}
		if why != "" {
			told = append(told, fmt.Sprintf("option %s has no effect: %s", name, why))
		}
	}
	for _, pair := range errorLabels(c) {
		if _, err := regexp.Compile(pair[0]); err != nil {
			told = append(
				told,
				fmt.Sprintf(
					"option %s has no effect for label %q: its pattern is no regular expression (RE2)",
					key.ExceptionLabelMapper.Key, pair[1],
				),
			)
		}
	}
	slices.Sort(told)
	return told
}

// errorLabels are those of errors; none when the option cannot be read.
func errorLabels(c Config) [][2]string {
	pairs, err := c.Pairs(key.ExceptionLabelMapper)
	if err != nil {
		return nil
	}
	return pairs
}

// undefaulted is the key that a default of a namespace or of a Flink version sets; of another key it is the key itself.
// Names of namespaces may have dots, so the longest known ending counts.
func undefaulted(name string, known map[string]key.Unread) string {
	if !strings.HasPrefix(name, key.NamespaceDefaultPrefix) && !strings.HasPrefix(name, key.VersionDefaultPrefix) {
		return name
	}
	longest := name
	for spelling := range known {
		if strings.HasSuffix(name, "."+spelling) && (longest == name || len(spelling) > len(longest)) {
			longest = spelling
		}
	}
	return longest
}
