package key

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

// Spelled are the options that a key sets, as their own key or as an older one, by their keys; none when the key is not
// known. Options that nothing reads (NoEffect) are left out.
func Spelled(name string) []conf.Option {
	if resource, is := strings.CutPrefix(name, externalResource); is {
		if resource, is = strings.CutSuffix(resource, externalAmount); is {
			return []conf.Option{ExternalResourceAmount(resource)}
		}
	}
	return spelled[name]
}

// spelled is made once all options are declared.
var spelled map[string][]conf.Option

func init() { spelled = makeSpelled() }

func makeSpelled() map[string][]conf.Option {
	unread := map[string]bool{}
	for _, u := range NoEffect() {
		unread[u.Option.Key] = true
	}
	byName := map[string][]conf.Option{}
	for _, o := range all {
		if unread[o.Key] {
			continue
		}
		for _, name := range append([]string{o.Key}, o.Fallbacks...) {
			byName[name] = append(byName[name], o)
		}
	}
	for _, options := range byName {
		slices.SortFunc(options, func(a, b conf.Option) int { return cmp.Compare(a.Key, b.Key) })
	}
	return byName
}
