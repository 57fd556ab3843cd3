package flinkconf

import (
	"fmt"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// mostNearest bounds for how many keys of one configuration the nearest option is looked for: it takes a comparison
// with each option there is, and a user writes as many keys as fit into a resource.
const mostNearest = 20

// unknown says of each key below the operator's or the autoscaler's prefix that is no option, and of the first ones
// which is the nearest.
func unknown(c Config) (told []string) {
	for _, name := range c.Keys() {
		if !isOurs(name) || key.Known(name) {
			continue
		}
		text := fmt.Sprintf("option %s has no effect: there is no such option", name)
		if len(told) < mostNearest {
			if nearest := key.Nearest(name); nearest != "" {
				text += ", the nearest is " + nearest
			}
		}
		told = append(told, strings.ToValidUTF8(text, ""))
	}
	return told
}
