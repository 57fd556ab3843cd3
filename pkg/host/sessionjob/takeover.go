package sessionjob

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decide"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// takenOver takes over what another operator was doing: a state of UPGRADING, or none, that no intent of ours accounts
// for. It also puts our finalizer back where somebody took it away. First match wins:
//
//	 #  recorded job  Flink lists the job          then
//	P1  -             unknown                      wait for an answer
//	P2  suspended     and it has not ended         deployed: its submission came through
//	P3  suspended     not, and it was the first    never deployed: the first start is made
//	P4  suspended     otherwise, to stay so        suspended
//	P5  running       and it is not being ended    deployed: the operation did not come through
//	P6  otherwise     -                            as it is: the rules go on from the record
func takenOver(v *session.Job) (decision.Result, bool) {
	if v.Look.Last == nil {
		return decision.Result{}, false
	}
	if add, missing := decide.MissingFinalizer(v.Look); missing && v.Present() {
		return decision.Result{Situation: plan.Waiting, Actions: []plan.Action{add}, Again: true}, true
	}
	r := &v.Look.Want.ReconciliationStatus
	if v.Look.Intent() != nil || (r.State != v1beta1.ReconciliationUpgrading && r.State != "") {
		return decision.Result{}, false
	}
	if why, ready := v.ClusterReady(); !ready {
		return v.AwaitsCluster(plan.Waiting, why), true
	}
	j, listed := v.Listed()
	runs := listed && !j.State.IsTerminal()
	switch {
	case !v.Look.LastRunning() && runs:
		v.Look.Note("the recorded spec runs already: a start by another operator is taken over")
		reconciled := v1beta1.ReconciledDeployment{Spec: *v.Look.Last.Spec.DeepCopy()}
		reconciled.Spec.Job.State = v1beta1.JobStateRunning
		record.Store(v.Look, reconciled, v.Look.IsFirst())
		r.State = v1beta1.ReconciliationDeployed
	case !v.Look.LastRunning() && v.Look.IsFirst():
		v.Look.Note("the first start by another operator did not complete: it is repeated")
		record.NeverDeployed(v.Look)
	case !v.Look.LastRunning() && !v.Look.WantsRunning():
		v.Look.Note("the suspension by another operator has ended")
		r.State = v1beta1.ReconciliationDeployed
		r.LastStableSpec = r.LastReconciledSpec
	case v.Look.LastRunning() && runs && j.State != v1beta1.FlinkJobCancelling:
		v.Look.Note("the operation of another operator did not complete: the recorded spec runs")
		r.State = v1beta1.ReconciliationDeployed
	}
	return decision.Result{}, false
}
