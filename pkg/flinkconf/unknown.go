package flinkconf

import (
	"fmt"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// unknown says of each key below the operator's or the autoscaler's prefix that is no option, and which is the nearest.
func unknown(c Config) (told []string) {
	for name := range c {
		if !isOurs(name) || key.Known(name) {
			continue
		}
		text := fmt.Sprintf("option %s has no effect: there is no such option", name)
		if nearest := key.Nearest(name); nearest != "" {
			text += ", the nearest is " + nearest
		}
		told = append(told, strings.ToValidUTF8(text, ""))
	}
	return told
}
