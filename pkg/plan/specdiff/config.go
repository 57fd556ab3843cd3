package specdiff

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

// compareConfig compares two configurations by flat key, in the order of the keys. A configuration that cannot be
// flattened (validation refuses it) is compared as one text.
func compareConfig(path string, old, new v1beta1.FlinkConfiguration, mode v1beta1.Mode) []entry {
	if old.String() == new.String() {
		return nil
	}
	oldFlat, oldErr := flinkconf.Flatten(old)
	newFlat, newErr := flinkconf.Flatten(new)
	if oldErr != nil || newErr != nil {
		return difference(entry{path: path, old: old.String(), new: new.String(), kind: Upgrade, secret: true})
	}
	var entries []entry
	for _, key := range unionKeys(oldFlat, newFlat) {
		entries = append(entries, difference(entry{
			path: path + "." + key, old: configValue(oldFlat, key), new: configValue(newFlat, key),
			kind: configEffect(key).in(mode), secret: conf.Sensitive(key),
		})...)
	}
	return entries
}

func configValue(flat flinkconf.Config, key string) any {
	if value, ok := flat[key]; ok {
		return value
	}
	return nil
}

// sameShape compares configurations as written; only blanks and the order of keys do not count.
func sameShape(a, b v1beta1.FlinkConfiguration) bool {
	left, leftOK := configTree(a)
	right, rightOK := configTree(b)
	if !leftOK || !rightOK {
		return a.String() == b.String()
	}
	return reflect.DeepEqual(left, right)
}

func configTree(c v1beta1.FlinkConfiguration) (any, bool) {
	decoder := json.NewDecoder(strings.NewReader(c.String()))
	decoder.UseNumber()
	var node any
	return node, decoder.Decode(&node) == nil
}
