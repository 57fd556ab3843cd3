package startup

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// mayRunAnother stops a start that may find the graph of a job before it, and a suspension that would hide it.
func mayRunAnother(v *cluster.Cluster, target *v1beta1.FlinkDeploymentSpec) (decision.Result, bool) {
	finds := facts.FindsJobGraph(v.Look, target)
	if finds && cluster.LeftNoGraph(v) {
		v.Look.Want.JobStatus.JobGraphRemoved = v.Look.Want.JobStatus.JobID // also once the intent that says so is closed
		finds = false
	}
	if !finds {
		return decision.Result{}, false
	}
	why := cluster.JobGraphLeft(v, "the cluster was deleted, and its job was not seen to end with its job graph")
	return decision.Result{Situation: plan.Lost, Stall: &why}, true
}
