package key

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

// Where the options that a resource has no say in are read.
const (
	installation = "only the installation's own configuration is read for it, ConfigMap flink-operator-config"
	ofNamespaces = installation + ", also below " + OperatorPrefix + "default-configuration"
)

// InstallationOnly lists the options that an administrator decides: those of the scopes operator and namespace that are
// read at all, by their keys. In a resource they have no effect.
func InstallationOnly() []Unread {
	unread := map[string]bool{}
	for _, u := range NoEffect() {
		unread[u.Option.Key] = true
	}
	var only []Unread
	for _, o := range all {
		switch {
		case unread[o.Key]:
		case o.Scope == conf.ScopeOperator:
			only = append(only, Unread{o, "", installation})
		case o.Scope == conf.ScopeNamespace:
			only = append(only, Unread{o, "", ofNamespaces})
		}
	}
	slices.SortFunc(only, func(a, b Unread) int { return cmp.Compare(a.Option.Key, b.Option.Key) })
	return only
}

// InstallationPrefixes are the families of such keys, and why they have no effect in a resource.
func InstallationPrefixes() map[string]string {
	return map[string]string{
		NamespaceDefaultPrefix: installation, VersionDefaultPrefix: installation, ValidatorPrefix: installation,
		MutatorPrefix: installation, ScalingPluginPrefix: installation,
		GatePrefix: installation,
	}
}

// InstallationKey reports whether a key has no effect in a resource's own configuration, because an administrator
// decides on it: each spelling of an option of the scopes operator and namespace, what stands below one that is a map,
// and the families of InstallationPrefixes and NoEffectPrefixes.
func InstallationKey(name string) bool {
	keys := installationKeys
	if keys.exact[name] {
		return true
	}
	return slices.ContainsFunc(keys.prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

type keysOfInstallation struct {
	exact    map[string]bool
	prefixes []string
}

// installationKeys is made once all options are declared.
var installationKeys keysOfInstallation

func init() { installationKeys = makeInstallationKeys() }

func makeInstallationKeys() keysOfInstallation {
	keys := keysOfInstallation{exact: map[string]bool{}}
	for _, families := range []map[string]string{InstallationPrefixes(), NoEffectPrefixes()} {
		for prefix := range families {
			keys.prefixes = append(keys.prefixes, prefix)
		}
	}
	for _, o := range all {
		if o.Scope != conf.ScopeOperator && o.Scope != conf.ScopeNamespace {
			continue
		}
		for _, spelling := range append([]string{o.Key}, o.Fallbacks...) {
			keys.exact[spelling] = true
			if o.Kind == conf.KindMap {
				keys.prefixes = append(keys.prefixes, spelling+".")
			}
		}
	}
	return keys
}
