package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/engine/decide"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Sampling is what a sample of the job's metrics is taken by, and where to ask for them; false where none is to be
// taken now.
func Sampling(s cluster.Snapshot) (autoscaler.Sampling, plan.Endpoint, bool) {
	if s.Autoscaled.IsUnknown() {
		return autoscaler.Sampling{}, plan.Endpoint{}, false
	}
	v := cluster.New(s)
	in, due := decide.Sampling(v.Look)
	at := v.Endpoint()
	at.Timeout = decide.SamplingTimeout(in.Config, at.Timeout)
	return in, at, due && v.CanBeAsked()
}
