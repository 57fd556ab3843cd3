package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// takenOver takes over what another operator was doing: a state of UPGRADING without an intent of ours. It also puts
// our finalizer back where somebody took it away.
func takenOver(v *view) (job.Result, bool) {
	if v.Last == nil {
		return job.Result{}, false
	}
	jm, present := v.Seen.JobManager.Get()
	if add, missing := job.MissingFinalizer(v.Life); missing && present && v.Owned(jm) {
		return job.Result{Situation: plan.Waiting, Actions: []plan.Action{add}, Again: true}, true
	}
	cluster.TakeOver(v.Cluster)
	return job.Result{}, false
}
