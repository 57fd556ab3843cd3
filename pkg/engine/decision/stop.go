package decision

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// A stop, drawn for one pass and the next:
//
//	how         status              Flink                       Kubernetes
//	stateless   intent              PATCH cancel (not awaited   DELETE Deployment <uid>, pods; a redeploy
//	                                but for AwaitJobGraph)      does not cancel
//	savepoint   intent              POST stop <trigger>
//	            ... looked at until it is completed ...
//	            end: path, FINISHED                             DELETE, or retire for a suspension
//	cancel      intent              PATCH cancel
//	            ... looked at until the job has ended ...
//	            end: path, CANCELED                             DELETE, or retire for a suspension
//	last-state  intent                                          no JobManager, see TakeApart; then DELETE; the HA data
//	                                                            stays
//	none        intent                                          DELETE
//	            ... the pass stays, or the clock wakes one ...
//	                                                            no Deployment, no pod runs: delete HA data when it may go
//	            start, or suspended

// Stop is how and for what a running cluster is taken down.
type Stop struct {
	// Purpose is what the stop is for.
	Purpose v1beta1.IntentPurpose
	// Target is the spec that it leads to.
	Target v1beta1.FlinkDeploymentSpec
	// How the job is stopped.
	How v1beta1.StopKind
	// Restore is how its state is kept.
	Restore v1beta1.UpgradeMode
}

// StopOf is the stop that package upgrade decided on.
func StopOf(purpose v1beta1.IntentPurpose, target v1beta1.FlinkDeploymentSpec, d upgrade.Decision) *Stop {
	return &Stop{Purpose: purpose, Target: target, How: StopKinds[d.Suspend], Restore: d.Restore}
}

// StopKinds are the stops by the names that package upgrade has for them.
var StopKinds = map[upgrade.Suspend]v1beta1.StopKind{
	upgrade.SuspendNone: v1beta1.StopNone, upgrade.SuspendStateless: v1beta1.StopStateless,
	upgrade.SuspendSavepoint: v1beta1.StopSavepoint,
	upgrade.SuspendCancel:    v1beta1.StopCancel, upgrade.SuspendLastState: v1beta1.StopLastState,
}
