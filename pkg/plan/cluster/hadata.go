package cluster

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// RemoveHAData removes the high-availability data that the round saw, or waits while it is unknown or in use. It is
// false when there is none. It is for rounds that saw no JobManager pod.
func (v *Cluster) RemoveHAData(situation plan.Situation) (job.Result, bool) {
	data := v.HAToRemove()
	what, why, unknown := data.Unknown()
	switch remove, some := data.Remove(); {
	case !data.Store.Readable():
		return job.Result{}, false
	case unknown:
		return job.Unobservable(what, why), true
	case data.InUse() != "":
		return job.Result{
			Situation: situation, Wait: plan.Cause{Reason: plan.ReasonHighAvailabilityDataInUse, Message: data.InUse()},
		}, true
	case some:
		return job.Result{Situation: situation, Again: true, Actions: []plan.Action{remove}}, true
	}
	return job.Result{}, false
}

// ForgetEarlier removes, before a cluster is prepared, what Flink would run by itself: for a start from that data
// the job graphs, else all of it. It waits without actions, also while the data is unknown: a graph that is left would
// be run. A session cluster brings its jobs back.
func (v *Cluster) ForgetEarlier(intent *v1beta1.Intent, target v1beta1.FlinkDeploymentSpec) (job.Result, bool) {
	if target.Job == nil {
		return job.Result{}, false
	}
	if intent.From != nil && intent.From.Kind == v1beta1.StartLastState {
		data := v.HA()
		if what, why, unknown := data.Unknown(); unknown && data.Store.Readable() {
			return job.Unobservable(what, why), true
		}
		return job.Result{Actions: []plan.Action{data.DropJobGraphs()}}, true
	}
	return v.RemoveHAData(plan.Starting)
}
