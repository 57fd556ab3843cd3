package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/takeover"
)

// takenOver takes over what another operator was doing: a state of UPGRADING without an intent of ours. It also puts
// our finalizer back where somebody took it away.
func takenOver(v *view) (result, bool) {
	if v.Last == nil {
		return result{}, false
	}
	jm, present := v.Seen.JobManager.Get()
	if add, missing := v.finalizer(); missing && present && v.Owned(jm) {
		return result{situation: plan.Waiting, actions: []plan.Action{add}, again: true}, true
	}
	takeover.Status(v.Subject)
	return result{}, false
}
