package takedown

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
)

// watchLeases notes the leases of JobManagers on nodes that do not answer. Between the first look and the one that
// counts nothing is noted: one that is renewed each few seconds is no reason to write.
func watchLeases(v *cluster.Cluster) {
	data, known := v.Seen.HAData.Get()
	now := cluster.Leases(data)
	if !known || !cluster.LooksAtLeases(v) || cluster.SilentNode(v) == "" {
		return
	}
	seen := v.Look.Want.Leases
	switch {
	case now.Of() == "":
		v.Look.Want.Leases = nil
	case seen == nil, seen.Of != now.Of() && v.Look.Since(seen.Since) > now.Lasts():
		v.Look.Want.Leases = &v1beta1.Leases{Of: now.Of(), Since: metav1.NewTime(v.Look.Now().Time)}
	}
}
