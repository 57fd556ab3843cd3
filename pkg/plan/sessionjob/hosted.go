package sessionjob

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// clusterReady reports whether the session cluster takes a job now, and why it does not. First match wins:
//
//	the session cluster                       reason
//	could not be read                         SessionClusterNotReady
//	is not there                              SessionClusterMissing
//	is being deleted                          SessionClusterChanging
//	has an open intent, that is not released  SessionClusterChanging
//	is not recorded as deployed               SessionClusterChanging
//	has no JobManager that is available       SessionClusterNotReady
//	does not answer                           SessionClusterNotReady
func (v *round) clusterReady() (plan.Cause, bool) {
	name := ClusterOf(v.seen.Resource)
	not := func(reason plan.Reason, format string, args ...any) (plan.Cause, bool) {
		return plan.Cause{Reason: reason, Message: "session cluster " + name + " " + fmt.Sprintf(format, args...)}, false
	}
	if v.cluster == nil {
		if v.seen.Cluster.IsAbsent() {
			return not(plan.ReasonSessionClusterMissing, "is not there: create the FlinkDeployment %s", name)
		}
		return not(plan.ReasonSessionClusterNotReady, "cannot be read: %s", v.seen.Cluster.Why())
	}
	r, intent := v.cluster.Resource(), v.cluster.Intent()
	deployed := r.Status.ReconciliationStatus.State
	switch {
	case r.DeletionTimestamp != nil:
		return not(plan.ReasonSessionClusterChanging, "is being deleted")
	case intent != nil && intent.Step != v1beta1.StepReleased:
		return not(plan.ReasonSessionClusterChanging, "is being changed: %s", intent.Purpose)
	case deployed != v1beta1.ReconciliationDeployed && deployed != v1beta1.ReconciliationRolledBack:
		return not(plan.ReasonSessionClusterChanging, "is not deployed yet")
	case !v.cluster.CanBeAsked():
		return not(plan.ReasonSessionClusterNotReady, "does not run: its JobManager is not available")
	case !v.seen.Flink.Jobs.IsPresent():
		return not(plan.ReasonSessionClusterNotReady, "does not respond: %s", v.seen.Flink.Jobs.Why())
	}
	return plan.Cause{}, true
}

// hosted waits while the session cluster takes no job, and none can be asked for. A job that is suspended, and is to
// stay so, waits for nothing.
func hosted(v view) (job.Result, bool) {
	why, ready := v.clusterReady()
	rests := !v.LastRunning() && !v.WantsRunning()
	if ready || rests {
		return job.Result{}, false
	}
	if v.Problem != "" {
		job.Report(v.Life).Rejected()
	}
	return job.Result{Situation: plan.Waiting, Wait: why}, true
}
