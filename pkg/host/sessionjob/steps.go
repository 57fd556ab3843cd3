package sessionjob

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/host/session/cancel"
	"github.com/kn-flink/kn-flink/pkg/host/session/submit"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// steps are the steps of a start and of a stop, as the engine asks for them.
type steps struct{ view *session.Job }

// Startable is decision.Starter's.
func (s steps) Startable(intent *v1beta1.Intent) (plan.Action, error) {
	return submit.Startable(s.view, intent)
}

// Occupied is false: a start has an ID of its own, and what ran before was stopped.
func (s steps) Occupied() (decision.Result, bool) { return decision.Result{}, false }

// MayRunAnother is false: a start brings no other job.
func (s steps) MayRunAnother(*v1beta1.FlinkDeploymentSpec) (decision.Result, bool) {
	return decision.Result{}, false
}

// ForgetEarlier is false for the same reason.
func (s steps) ForgetEarlier(*v1beta1.Intent, v1beta1.FlinkDeploymentSpec) (decision.Result, bool) {
	return decision.Result{}, false
}

// Prepare is decision.Starter's.
func (s steps) Prepare(intent *v1beta1.Intent) (action plan.Action, jobID string, err error) {
	return submit.Prepare(s.view, intent)
}

// CarryStart is decision.Starter's.
func (s steps) CarryStart() decision.Result { return submit.CarryStart(s.view) }

// CarryRelease is decision.Starter's.
func (s steps) CarryRelease() (decision.Result, bool) { return submit.CarryRelease(s.view) }

// Watch has nothing to note: Flink tells of the job.
func (s steps) Watch() {}

// CarryStop is decision.Stopper's.
func (s steps) CarryStop() decision.Result { return cancel.CarryStop(s.view) }

// NotNow is decision.Stopper's.
func (s steps) NotNow() (decision.Result, bool) { return cancel.NotNow(s.view) }

// AwaitJobGraph is false: the session cluster's own data stays.
func (s steps) AwaitJobGraph() (decision.Result, bool) { return decision.Result{}, false }

// TakeApart is decision.Stopper's.
func (s steps) TakeApart() decision.Result { return cancel.TakeApart(s.view) }

// TakeDown is nothing: a job that has ended leaves nothing that runs.
func (s steps) TakeDown() []plan.Action { return nil }

// Rest is nothing.
func (s steps) Rest() []plan.Action { return nil }

// WaitForEnd is not asked for: a job does not go but by its end.
func (s steps) WaitForEnd() decision.Result { return decision.Result{Situation: plan.Stopping} }
