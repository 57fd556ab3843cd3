package settings

import "github.com/kn-flink/kn-flink/pkg/install"

// DefaultNamespace is the namespace of an installation that is alone in its cluster.
const DefaultNamespace = install.DefaultNamespace

// Named is install.Named: the name of an object outside of the installation's own namespace.
func Named(namespace, name string) string { return install.Named(namespace, name) }
