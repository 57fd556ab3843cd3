package flinkconf

import (
	"fmt"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// Files prints a configuration as the file that Flink of that version reads, and names the file.
func Files(c Config, v v1beta1.FlinkVersion) (name, text string, err error) {
	b := BehaviourOf(v)
	if b.StandardYAML {
		return b.ConfigFile, "", fmt.Errorf("config.yaml is not printed yet")
	}
	var out strings.Builder
	for _, k := range c.Keys() {
		fmt.Fprintf(&out, "%s: %s\n", k, c[k])
	}
	return b.ConfigFile, out.String(), nil
}
