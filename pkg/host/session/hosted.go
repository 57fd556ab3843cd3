package session

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// ClusterReady reports whether the session cluster takes a job now, and why it does not. First match wins:
//
//	the session cluster                       reason
//	could not be read                         SessionClusterNotReady
//	is not there                              SessionClusterMissing
//	is being deleted                          SessionClusterChanging
//	has an open intent, that is not released  SessionClusterChanging
//	is not recorded as deployed               SessionClusterChanging
//	has no JobManager that is available       SessionClusterNotReady
//	does not answer                           SessionClusterNotReady
func (v *Job) ClusterReady() (plan.Cause, bool) {
	name := ClusterOf(v.Seen.Resource)
	not := func(reason plan.Reason, format string, args ...any) (plan.Cause, bool) {
		return plan.Cause{
			Reason:  reason,
			Message: "session cluster " + name + " " + fmt.Sprintf(format, args...),
		}, false
	}
	if v.Cluster == nil {
		if v.Seen.Cluster.IsAbsent() {
			return not(plan.ReasonSessionClusterMissing, "is not there: create the FlinkDeployment %s", name)
		}
		return not(plan.ReasonSessionClusterNotReady, "cannot be read: %s", v.Seen.Cluster.Why())
	}
	r, intent := v.Cluster.Look.Resource(), v.Cluster.Look.Intent()
	deployed := r.Status.ReconciliationStatus.State
	switch {
	case r.DeletionTimestamp != nil:
		return not(plan.ReasonSessionClusterChanging, "is being deleted")
	case intent != nil && intent.Step != v1beta1.StepReleased:
		return not(plan.ReasonSessionClusterChanging, "is being changed: %s", intent.Purpose)
	case deployed != v1beta1.ReconciliationDeployed && deployed != v1beta1.ReconciliationRolledBack:
		return not(plan.ReasonSessionClusterChanging, "is not deployed yet")
	case !v.Cluster.CanBeAsked():
		return not(plan.ReasonSessionClusterNotReady, "does not run: its JobManager is not available")
	case !v.Seen.Flink.Jobs.IsPresent():
		return not(plan.ReasonSessionClusterNotReady, "does not respond: %s", v.Seen.Flink.Jobs.Why())
	}
	return plan.Cause{}, true
}

// AwaitsCluster waits for the session cluster. A JobManager that does not respond for too long needs the user.
func (v *Job) AwaitsCluster(situation plan.Situation, why plan.Cause) decision.Result {
	return decision.Result{Situation: situation, Wait: why, Stall: facts.Hung(v.Look)}
}
