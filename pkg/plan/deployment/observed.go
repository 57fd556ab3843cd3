package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/plan/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// observed brings the status of a resource that was deployed up to what was seen, for the rules that follow.
func observed(v *view) (job.Result, bool) {
	if v.Last != nil {
		cluster.Observe(v.Cluster)
	}
	return job.Result{}, false
}
