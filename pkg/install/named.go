package install

// DefaultNamespace is the namespace of an installation that is alone in its cluster.
const DefaultNamespace = "flink-system"

// Named is the name that an object outside of the installation's own namespace has: that of config/knative in
// DefaultNamespace, and with the namespace at its end in every other, so that two installations share no object.
// hack/lib.sh and the Helm chart name them alike.
func Named(namespace, name string) string {
	if namespace == DefaultNamespace {
		return name
	}
	return name + "-" + namespace
}
