package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
)

// observed brings the status of a resource that was deployed up to what was seen, for the rules that follow.
func observed(v *view) (decision.Result, bool) {
	if v.Look.Last != nil {
		cluster.Observe(v.Cluster)
	}
	return decision.Result{}, false
}
