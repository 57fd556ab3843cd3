package flinkconf

import "github.com/kn-flink/kn-flink/pkg/flinkconf/key"

// ForbiddenKeys are the keys that neither a user nor the defaults may set, in the order they are checked: the operator
// derives them from the resource. Only these spellings are looked at, as in the Java operator.
func ForbiddenKeys() []string {
	return []string{key.Namespace.Key, key.ClusterID.Key, key.HAClusterID.Key}
}

// ForCluster returns a configuration without the keys of the operator and the autoscaler: what a cluster may see.
func ForCluster(c Config) Config {
	return c.Without(key.OperatorPrefix, key.AutoscalerPrefix)
}
