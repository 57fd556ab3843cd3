package sessionjob

import (
	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/engine/decide"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Sampling is what a sample of the job's metrics is taken by, and where to ask for them; false where none is to be
// taken now.
func Sampling(s session.Snapshot) (autoscaler.Sampling, plan.Endpoint, bool) {
	v := newView(s)
	if v.Cluster == nil {
		return autoscaler.Sampling{}, plan.Endpoint{}, false
	}
	in, due := decide.Sampling(v.Look)
	at := v.Endpoint()
	at.Timeout = decide.SamplingTimeout(in.Config, at.Timeout)
	return in, at, due && v.CanBeAsked()
}
