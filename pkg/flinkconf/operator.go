package flinkconf

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// Operator is the operator's own configuration: its options and the defaults of clusters, general, per namespace and
// per Flink version. It does not change once made. The zero value is an empty configuration.
type Operator struct {
	base Config
}

// NewOperator takes a copy of the loaded base configuration.
func NewOperator(base Config) Operator {
	return Operator{base: base.Clone()}
}

// Base returns a copy of the base configuration, without namespace and version defaults laid over it.
func (o Operator) Base() Config { return o.base.Clone() }

// Default returns the configuration that clusters of a namespace and Flink version start from. An empty namespace or
// version skips its layer.
//
//	layer, weakest first                                                            | keys
//	--------------------------------------------------------------------------------+---------
//	base configuration                                                              | as they are
//	kubernetes.operator.default-configuration.namespace.<namespace>.                | prefix cut off
//	kubernetes.operator.default-configuration.flink-version.vX_Y+. for each X.Y <= v | ascending
//	kubernetes.operator.default-configuration.flink-version.v<version>.             | prefix cut off
//
// The prefixed keys stay in the result too; ForCluster takes them out.
func (o Operator) Default(namespace string, v v1beta1.FlinkVersion) Config {
	merged := o.base.Clone()
	if namespace != "" {
		maps.Copy(merged, o.base.WithPrefix(key.NamespaceDefaultPrefix+namespace+"."))
	}
	if v == "" {
		return merged
	}
	ofVersions := o.base.WithPrefix(key.VersionDefaultPrefix)
	if len(ofVersions) == 0 {
		return merged
	}
	for _, since := range v1beta1.FlinkVersions() {
		if v.AtLeast(since) {
			maps.Copy(merged, ofVersions.WithPrefix(string(since)+"+."))
		}
	}
	maps.Copy(merged, ofVersions.WithPrefix(string(v)+"."))
	return merged
}

// versionKey is how a key below VersionDefaultPrefix has to look to count.
var versionKey = regexp.MustCompile(`^v(\d+)_(\d+)(\+)?\..`)

// Notes lists the version defaults that never apply because their version is unknown or their form is wrong, one
// sentence each, sorted.
func (o Operator) Notes() []string {
	var notes []string
	for _, name := range o.base.WithPrefix(key.VersionDefaultPrefix).Keys() {
		parts := versionKey.FindStringSubmatch(name)
		if parts == nil {
			notes = append(notes, fmt.Sprintf("option %q is ignored: after the prefix write v<major>_<minor>, an optional "+
				"+, a dot and the key",
				key.VersionDefaultPrefix+name))
			continue
		}
		major, _ := strconv.Atoi(parts[1]) // digits
		minor, _ := strconv.Atoi(parts[2]) // digits
		if _, known := v1beta1.FlinkVersionOf(major, minor); !known {
			notes = append(
				notes,
				fmt.Sprintf("option %q is ignored: Flink %d.%d is not known here", key.VersionDefaultPrefix+name, major, minor),
			)
		}
	}
	return notes
}

// Unreadable says of each value that cannot be read what is wrong with it, one sentence each, sorted: options of the
// operator and defaults of clusters, also those of a namespace or a Flink version. Options without effect are left out.
func (o Operator) Unreadable() []string {
	var wrong []string
	for _, err := range o.unreadableLayers() {
		wrong = append(wrong, err.Error())
	}
	slices.Sort(wrong)
	return wrong
}

// ReconcileInterval is how often everything is looked at while any job runs; zero means that the option is not set, or
// cannot be read.
func (o Operator) ReconcileInterval() time.Duration {
	set, err := o.base.Duration(key.ReconcileInterval)
	if err != nil {
		return 0
	}
	return set
}

// ReconcileParallelism is how many passes a process makes at a time; zero or less is no bound. An option that cannot be
// read counts as not set.
func (o Operator) ReconcileParallelism() int {
	set, err := o.base.Int(key.ReconcileParallelism)
	if err != nil {
		set, _ = Config{}.Int(key.ReconcileParallelism)
	}
	return set
}

// EffectWarnings reports whether the webhook answers an edit with what it will do. An option that cannot be read counts
// as not set, which is true.
func (o Operator) EffectWarnings() bool {
	set, err := o.base.Bool(key.EffectWarnings)
	return err != nil || set
}

// ResourceViewInterval is how long the autoscaler trusts what it read of the nodes; false means that it does not look
// at them: the option is not set, is negative, or cannot be read.
func (o Operator) ResourceViewInterval() (time.Duration, bool) {
	set, err := o.base.Duration(key.ClusterResourceViewRefreshInterval)
	return set, err == nil && set >= 0 && o.base.Has(key.ClusterResourceViewRefreshInterval)
}

// Selecting are those of a resource's labels that kubernetes.operator.label.selector asks for.
func (o Operator) Selecting(have map[string]string) map[string]string {
	text := o.base.Get(key.LabelSelector)
	if text == "" {
		return nil
	}
	selector, err := labels.ParseToRequirements(text)
	if err != nil {
		return nil // it selects nobody, and whoever installs is told
	}
	selecting := map[string]string{}
	for _, r := range selector {
		if value, has := have[r.Key()]; has {
			selecting[r.Key()] = value
		}
	}
	return selecting
}

// allNamespaces stands for every namespace in watched.namespaces.
const allNamespaces = "JOSDK_ALL_NAMESPACES"

// WatchedNamespaces returns the namespaces to watch, sorted; nil is all. override, the text of the environment variable
// WATCH_NAMESPACES, wins over the option unless it is blank.
func (o Operator) WatchedNamespaces(override string) []string {
	text := override
	if strings.TrimSpace(text) == "" {
		text = o.base.Get(key.WatchedNamespaces)
	}
	var names []string
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if name == allNamespaces {
			return nil
		}
		if name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
