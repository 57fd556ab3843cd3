package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/inherit"
)

// inherited takes over what another operator was doing: a state of UPGRADING without an intent of ours. It also puts our finalizer back where
// somebody took it away.
func inherited(v *view) (outcome, bool) {
	if v.Last == nil {
		return outcome{}, false
	}
	jm, present := v.Seen.JobManager.Get()
	if add, missing := v.finalizer(); missing && present && v.Owned(jm) {
		return outcome{situation: plan.Waiting, actions: []plan.Action{add}, again: true}, true
	}
	inherit.Status(v.Subject)
	return outcome{}, false
}
