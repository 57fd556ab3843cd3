package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// removeHAData removes the high-availability data that the round saw, or waits while it is unknown or in use. It is
// false when there is none. It is for rounds that saw no JobManager pod.
func (v *view) removeHAData(situation plan.Situation) (result, bool) {
	data := v.HAToRemove()
	what, why, unknown := data.Unknown()
	switch remove, some := data.Remove(); {
	case !data.Store.Readable():
		return result{}, false
	case unknown:
		return v.unobservable(what, why), true
	case data.InUse() != "":
		return result{
			situation: situation, wait: plan.Cause{Reason: plan.ReasonHighAvailabilityDataInUse, Message: data.InUse()},
		}, true
	case some:
		return result{situation: situation, again: true, actions: []plan.Action{remove}}, true
	}
	return result{}, false
}

// forgetEarlierJobs removes, before a cluster is prepared, what Flink would run by itself: for a start from that data
// the job graphs, else all of it. It waits without actions. A session cluster brings its jobs back.
func (v *view) forgetEarlierJobs(intent *v1beta1.Intent, target v1beta1.FlinkDeploymentSpec) (result, bool) {
	if target.Job == nil {
		return result{}, false
	}
	if intent.From != nil && intent.From.Kind == v1beta1.StartLastState {
		return result{actions: []plan.Action{v.HA().DropJobGraphs()}}, true
	}
	return v.removeHAData(plan.Starting)
}
