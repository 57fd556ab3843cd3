package doctor

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/install"
)

// part is an object of an installation without which it is not whole.
type part struct {
	source Source
	// namespace is empty for what is in no namespace, and install.DefaultNamespace for the installation's own.
	namespace string
	name      string
	// admit is whether it is of the admission webhook, which an installation may go without.
	admit bool
	// outside is whether its name ends in the namespace of an installation elsewhere.
	outside bool
}

// inventory are the parts. The manifests of config/knative have each; a test compares.
var inventory = slices.Concat(
	inside(Accounts, false, "reconcile", "observe", "flink-source"), inside(Accounts, true, "admit"),
	inside(Roles, false, "flink-settings", "flink-clock"), inside(Roles, true, "flink-admit"),
	inside(RoleBindings, false, "flink-settings", "flink-clock"), inside(RoleBindings, true, "flink-admit"),
	outside(ClusterRoles, false, "kn-flink-reconcile", "kn-flink-namespaces", "kn-flink-extensions", "kn-flink-observe",
		"kn-flink-source"),
	outside(ClusterRoles, true, "kn-flink-admit", "kn-flink-specs"),
	outside(ClusterRoleBindings, false, "kn-flink-reconcile", "kn-flink-namespaces", "kn-flink-extensions",
		"kn-flink-observe", "kn-flink-source"),
	outside(ClusterRoleBindings, true, "kn-flink-admit", "kn-flink-specs"),
	[]part{{source: ClusterRoles, name: "flink"}, {source: ClusterRoles, name: "flink-standalone"}},
	outside(Policies, false, policies...), outside(Bindings, false, policies...),
	inside(Brokers, false, "flink-control", "flink-events"), inside(Triggers, false, pushed...),
	inside(Functions, false, pushed...), inside(Functions, true, "admit"),
	inside(Sources, false, "flink"), inside(Clocks, false, "flink-clock"),
	inside(Renewals, true, "flink-admit-certificate"),
	outside(Webhooks, true, "flink-admit", "flink-extensions"),
)

// policies are the names of the admission policies; pushed are the functions to which a Trigger of their name sends.
var (
	policies = []string{
		"kn-flink-specs", "kn-flink-rights", "kn-flink-samples", "kn-flink-dry-runs", statusPolicy, "kn-flink-children",
		"kn-flink-webhooks",
	}
	pushed = []string{"reconcile", "reconcile-jars", "observe"}
)

func inside(s Source, admit bool, names ...string) (all []part) {
	for _, name := range names {
		all = append(all, part{source: s, namespace: install.DefaultNamespace, name: name, admit: admit})
	}
	return all
}

func outside(s Source, admit bool, names ...string) (all []part) {
	for _, name := range names {
		all = append(all, part{source: s, name: name, admit: admit, outside: true})
	}
	return all
}

// called is the name of a part in an installation.
func (p part) called(system string) string {
	if p.outside {
		return install.Named(system, p.name)
	}
	return p.name
}

// missing are the parts of some sources that are not there. Where an installation has its rights in some namespaces
// alone, RoleBindings stand for a ClusterRoleBinding.
func missing(f Found, a Asked, of ...Source) (names []string) {
	for _, p := range inventory {
		if !slices.Contains(of, p.source) || p.admit && !hasWebhook(f, a) {
			continue
		}
		namespace := p.namespace
		if namespace != "" {
			namespace = a.System
		}
		name := p.called(a.System)
		if f.one(p.source, namespace, name) == nil &&
			(p.source != ClusterRoleBindings || f.one(RoleBindings, "", name) == nil) {
			names = append(names, string(p.source)+"/"+name)
		}
	}
	return names
}

// hasWebhook is whether an installation has the admission webhook, whole or not.
func hasWebhook(f Found, a Asked) bool {
	return f.one(Functions, a.System, "admit") != nil ||
		f.one(Webhooks, "", install.Named(a.System, "flink-admit")) != nil
}

// isInstalled is whether there is anything of an installation.
func isInstalled(f Found) bool {
	return len(f.Objects[Functions])+len(f.Objects[Brokers])+len(f.Objects[Sources]) > 0
}
