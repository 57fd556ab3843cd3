package key

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

// Prefixes of the keys that configure the operator and never reach a Flink cluster.
const (
	// OperatorPrefix starts every option of the operator itself.
	OperatorPrefix = "kubernetes.operator."
	// AutoscalerPrefix starts every option of the autoscaler; the same key after OperatorPrefix is its older spelling.
	AutoscalerPrefix = "job.autoscaler."
	// VersionDefaultPrefix starts defaults for a Flink version: prefix, vX_Y or vX_Y+, a dot, the key.
	VersionDefaultPrefix = OperatorPrefix + "default-configuration.flink-version."
	// NamespaceDefaultPrefix starts defaults for a namespace: prefix, namespace, a dot, the key.
	NamespaceDefaultPrefix = OperatorPrefix + "default-configuration.namespace."
	// ListenerPrefix starts the settings of a listener: prefix, its name, a dot, class or a parameter of its own.
	ListenerPrefix = OperatorPrefix + "plugins.listeners."
	// ValidatorPrefix starts the settings of a validator: prefix, its name, a dot, url and others. The Java operator finds
	// its validators by class loading.
	ValidatorPrefix = OperatorPrefix + "plugins.validators."
	// ScalingPluginPrefix starts the settings of a plug-in of the autoscaler in the same way. The Java autoscaler finds
	// its plug-ins by the class alone.
	ScalingPluginPrefix = OperatorPrefix + "plugins.autoscaler."
	// GatePrefix starts the settings of a service that a gate of a FlinkBlueGreenDeployment asks (GateServices).
	GatePrefix = OperatorPrefix + "plugins.gates."
	// MutatorPrefix starts those of a mutator.
	MutatorPrefix = OperatorPrefix + "plugins.mutators."
	// OperatorMetricsPrefix starts the operator's own metric settings; Flink's metrics.* without it are for the clusters.
	OperatorMetricsPrefix = OperatorPrefix + "metrics."
)

// all are the options of the tables, in the order of the source.
var all []conf.Option

// All lists every option of the tables, in the order of the source.
func All() []conf.Option { return slices.Clone(all) }

// declare makes an option one of All, once it is whole.
func declare(o conf.Option) conf.Option {
	all = append(all, o)
	return o
}

// option declares an option of Flink with a default.
func option(kind conf.Kind, key, def string, fallbacks ...string) conf.Option {
	return declare(withDefault(kind, key, def, fallbacks...))
}

// optional declares an option of Flink without a default.
func optional(kind conf.Kind, key string, fallbacks ...string) conf.Option {
	return declare(conf.Option{Key: key, Kind: kind, Fallbacks: fallbacks})
}

// enum declares an enumeration of Flink; the first value is the default.
func enum(key string, values ...string) conf.Option { return declare(oneOf(key, values...)) }

// withDefault makes an option and does not declare it.
func withDefault(kind conf.Kind, key, def string, fallbacks ...string) conf.Option {
	return conf.Option{Key: key, Kind: kind, Default: def, HasDefault: true, Fallbacks: fallbacks}
}

// unset makes an option without a default and does not declare it.
func unset(kind conf.Kind, key string) conf.Option { return conf.Option{Key: key, Kind: kind} }

// oneOf makes an enumeration, whose first value is the default, and does not declare it.
func oneOf(key string, values ...string) conf.Option {
	return conf.Option{Key: key, Kind: conf.KindEnum, Default: values[0], HasDefault: true, Values: values}
}

// operator declares an option that only the operator's own configuration sets. Key and older keys stand without
// OperatorPrefix.
func operator(kind conf.Kind, key, def string, old ...string) conf.Option {
	return scoped(conf.ScopeOperator, withDefault(kind, key, def, old...))
}

// namespaced declares an option that the operator's configuration sets, also per namespace and Flink version.
func namespaced(kind conf.Kind, key, def string, old ...string) conf.Option {
	return scoped(conf.ScopeNamespace, withDefault(kind, key, def, old...))
}

// resource declares an operator option that a resource's own flinkConfiguration may set.
func resource(kind conf.Kind, key, def string, old ...string) conf.Option {
	return scoped(conf.ScopeResource, withDefault(kind, key, def, old...))
}

// scoped puts OperatorPrefix before the keys of an option, sets its scope and declares it.
func scoped(scope conf.Scope, o conf.Option) conf.Option {
	o.Key, o.Scope = OperatorPrefix+o.Key, scope
	fallbacks := make([]string, len(o.Fallbacks))
	for i, f := range o.Fallbacks {
		fallbacks[i] = OperatorPrefix + f
	}
	o.Fallbacks = fallbacks
	return declare(o)
}
