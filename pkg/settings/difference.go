package settings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/redact"
)

// maxValue is how many characters of a value are told.
const maxValue = 60

// Difference says what is different between the files of two settings, one thing each, sorted. Values that may be
// secret are not told, and of files other than the configuration only the name.
//
//	option             told as
//	set                <key>: <value>
//	changed            <key>: <old> -> <new>
//	not set any more   <key>: <old> -> not set
//	may be secret      <key> changed
func Difference(before, after map[string]string) []string {
	var told []string
	for _, name := range slices.Sorted(maps.Keys(merged(before, after))) {
		if before[name] != after[name] && name != flinkconf.LegacyFile && name != flinkconf.StandardFile {
			told = append(told, name+" changed")
		}
	}
	old, oldErr := flinkconf.LoadDir(before)
	next, nextErr := flinkconf.LoadDir(after)
	if oldErr != nil || nextErr != nil {
		return append(told, "the configuration changed")
	}
	secrets := redact.Known([]map[string]string{old, next})
	for _, name := range slices.Sorted(maps.Keys(merged(old, next))) {
		a, was := old[name]
		b, is := next[name]
		switch {
		case was == is && a == b:
		case redact.Sensitive(name):
			told = append(told, name+" changed")
		case !was:
			told = append(told, secrets.Text(fmt.Sprintf("%s: %s", name, shown(b))))
		case !is:
			told = append(told, secrets.Text(fmt.Sprintf("%s: %s -> not set", name, shown(a))))
		default:
			told = append(told, secrets.Text(fmt.Sprintf("%s: %s -> %s", name, shown(a), shown(b))))
		}
	}
	watches := func(c flinkconf.Config) string {
		return c.Get(key.WatchedNamespaces) + "|" + c.Get(key.WatchedNamespaceSelector)
	}
	if dynamic, _ := next.Bool(key.DynamicNamespacesEnabled); !dynamic && watches(old) != watches(next) {
		told = append(told, fmt.Sprintf("the watched namespaces count from the next start of each function, as %s is false",
			key.DynamicNamespacesEnabled.Key))
	}
	return told
}

// shown is a value in one line, and not too long.
func shown(value string) string {
	value = strings.Join(strings.Fields(value), " ")
	if runes := []rune(value); len(runes) > maxValue {
		value = string(runes[:maxValue]) + "…"
	}
	return cmp.Or(value, `""`)
}

func merged(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, b)
	return all
}
