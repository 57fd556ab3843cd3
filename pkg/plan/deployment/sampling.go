package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// Sampling is what a sample of the job's metrics is taken by, and where to ask for them; false where none is to be
// taken now.
func Sampling(s Snapshot) (autoscaler.Sampling, plan.Endpoint, bool) {
	if s.Autoscaled.IsUnknown() {
		return autoscaler.Sampling{}, plan.Endpoint{}, false
	}
	v := cluster.New(s)
	in, due := job.Sampling(v.Life)
	at := v.Endpoint()
	at.Timeout = job.SamplingTimeout(in.Config, at.Timeout)
	return in, at, due && v.CanBeAsked()
}
