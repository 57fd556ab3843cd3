package cluster

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// HasPredecessor reports whether the open start follows another one of the same resource.
func HasPredecessor(v *Cluster) bool {
	return v.Look.Last != nil && v.Look.Intent().Purpose != v1beta1.PurposeDeploy
}
