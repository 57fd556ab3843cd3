package sessionjob

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
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
func takenOver(v view) (job.Result, bool) {
	if v.Last == nil {
		return job.Result{}, false
	}
	if add, missing := job.MissingFinalizer(v.Life); missing && v.Present() {
		return job.Result{Situation: plan.Waiting, Actions: []plan.Action{add}, Again: true}, true
	}
	r := &v.Want.ReconciliationStatus
	if v.Intent() != nil || (r.State != v1beta1.ReconciliationUpgrading && r.State != "") {
		return job.Result{}, false
	}
	if why, ready := v.clusterReady(); !ready {
		return job.Result{Situation: plan.Waiting, Wait: why}, true
	}
	j, listed := v.listed()
	runs := listed && !j.State.IsTerminal()
	switch {
	case !v.LastRunning() && runs:
		v.Note("the recorded spec runs already: a start by another operator is taken over")
		record := v1beta1.ReconciledDeployment{Spec: *v.Last.Spec.DeepCopy()}
		record.Spec.Job.State = v1beta1.JobStateRunning
		job.Record(v.Life).Store(record, v.IsFirst())
		r.State = v1beta1.ReconciliationDeployed
	case !v.LastRunning() && v.IsFirst():
		v.Note("the first start by another operator did not complete: it is repeated")
		job.Record(v.Life).NeverDeployed()
	case !v.LastRunning() && !v.WantsRunning():
		v.Note("the suspension by another operator has ended")
		r.State = v1beta1.ReconciliationDeployed
		r.LastStableSpec = r.LastReconciledSpec
	case v.LastRunning() && runs && j.State != v1beta1.FlinkJobCancelling:
		v.Note("the operation of another operator did not complete: the recorded spec runs")
		r.State = v1beta1.ReconciliationDeployed
	}
	return job.Result{}, false
}
