package flinkconf

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/confyaml"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// Unfit is an entry that Flink does not read back as it was written.
type Unfit struct {
	// Key is the entry's.
	Key string
	// Why says what Flink makes of it, without its text, which may be a secret.
	Why string
	// Loses reports whether Flink gets less than what was written: a part of the value, or nothing. Otherwise it gets the
	// same words with other white space.
	Loses bool
}

// UnfitEntries are the entries of a cluster's configuration that flink-conf.yaml, the file of Flink before 2.0, cannot
// hold, by their keys. Arguments of an application are UnfitArgument's. config.yaml holds all.
func UnfitEntries(cluster Config, v v1beta1.FlinkVersion) []Unfit {
	if BehaviourOf(v).StandardYAML {
		return nil
	}
	var unfit []Unfit
	for _, name := range cluster.Keys() {
		why, loses := confyaml.UnfitForLegacy(name, cluster[name])
		if why != "" && name != key.ApplicationArgs.Key {
			unfit = append(unfit, Unfit{name, why, loses})
		}
	}
	return unfit
}
