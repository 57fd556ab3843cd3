package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/engine/decide"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// takenOver takes over what another operator was doing: a state of UPGRADING without an intent of ours. It also puts
// our finalizer back where somebody took it away.
func takenOver(v *view) (decision.Result, bool) {
	if v.Look.Last == nil {
		return decision.Result{}, false
	}
	jm, present := v.Seen.JobManager.Get()
	if add, missing := decide.MissingFinalizer(v.Look); missing && present && v.Owned(jm) {
		return decision.Result{Situation: plan.Waiting, Actions: []plan.Action{add}, Again: true}, true
	}
	cluster.TakeOver(v.Cluster)
	if present && v.Owned(jm) {
		record.NameDeployed(v.Look, cluster.OwnOperation(jm))
	}
	return decision.Result{}, false
}
