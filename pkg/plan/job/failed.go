package job

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// EffectFailed shows, in the status that a round left behind, an effect that failed. Its caller says whether it waits
// for a person or for the next attempt.
func (v Report) EffectFailed(reason, message string) Result {
	text := v.errorText(status.TypeReconciliation, message, reason)
	if v.Want.Error != text {
		v.Tell(plan.Event{Warning: true, Reason: plan.ReasonError, Component: plan.ComponentJobManager, Message: message})
	}
	v.Want.Error = text
	return Result{
		Situation: v.triedIn(), Stall: &plan.Cause{Reason: plan.Reason(reason), Message: message}, KeepsRefusal: true,
	}
}

// TooLarge shows that the next status was refused because of its size.
func (v Report) TooLarge() Result {
	if !slices.ContainsFunc(v.Resource().Status.Conditions, toldTooLarge) {
		v.Tell(plan.Event{
			Warning: true, Reason: fail.ReasonTooLarge, Component: plan.ComponentOperator, Message: statusTooLarge,
		})
	}
	v.Want.Error = v.errorText(status.TypeReconciliation, statusTooLarge, fail.ReasonTooLarge)
	return Result{
		Situation: v.triedIn(), Stall: &plan.Cause{Reason: fail.ReasonTooLarge, Message: statusTooLarge},
		KeepsRefusal: true,
	}
}

// Smaller is, once the plan of Report.TooLarge is made, the plan for an API server that refuses that, too: it leaves
// most conditions and the long messages out, so that it is smaller than what is stored.
func (v Report) Smaller(s plan.Situation) plan.Plan {
	left := v.Resource().Status
	small := v.Want.DeepCopy()
	v.Host.Trim(small)
	small.Error, small.Intent = left.Error, left.Intent.DeepCopy()
	small.Conditions = slices.DeleteFunc(small.Conditions, func(c metav1.Condition) bool {
		return slices.Contains(derived, c.Type)
	})
	for i := range small.Conditions {
		switch c := &small.Conditions[i]; c.Type {
		case summary.Ready, summary.Stalled:
			c.Message = statusTooLargeShort
		case summary.StateSafe:
			c.Message = "see the event " + c.Reason
		}
	}
	less := plan.Plan{Situation: s}
	if !status.SameMeaning(left, *small) {
		less.Status = small
	}
	return less
}

// derived are the conditions that each look derives again from the rest of the status.
var derived = []string{summary.Running, summary.SpecAccepted, summary.ClusterAvailable, summary.JobRunning}

// statusTooLargeShort is for a status that has no room for statusTooLarge.
const statusTooLargeShort = "the status does not fit into etcd: shorten the spec, see the event " + fail.ReasonTooLarge

// statusTooLarge names no sizes: a message that changes would be told again and again.
const statusTooLarge = "the API server refused the status: with it the resource would be larger than etcd takes, 1.5 " +
	"MiB by default." +
	" Status holds the spec twice, so shorten the spec: put files and long texts of job.args, flinkConfiguration," +
	" logConfiguration and podTemplate into ConfigMaps. What needs a larger status waits until then"

// triedIn is the situation in which an effect failed: the one that the round before left, unless nothing is tried in
// that one, or a steady job may have lost what it had done. Then this round has found another.
func (v Report) triedIn() plan.Situation {
	switch s := plan.Situation(v.Resource().Status.Situation); {
	case s == plan.StateLost, s == plan.Unaccounted, s == "", s == plan.Steady && suspected(v.Want.LostProgress):
		return plan.Waiting
	default:
		return s
	}
}

// RefusedRequest takes Flink's refusal of a request for a snapshot as its answer. False for every other action.
func RefusedRequest(left *Flink, failed plan.Action, message string) bool {
	answer := plan.Present(snapshots.Operation{State: snapshots.OperationFailed, Failure: message})
	switch failed.(type) {
	case plan.TriggerSavepoint:
		left.Requests.Savepoint = answer
	case plan.TriggerCheckpoint:
		left.Requests.Checkpoint = answer
	default:
		return false
	}
	return true
}

// RefusedDisposal tells that Flink refused to dispose of a savepoint of the history: it stays there, and is tried
// again. False for every other action.
func RefusedDisposal(v Life, failed plan.Action, message string) (plan.Plan, bool) {
	a, ok := failed.(plan.DisposeSavepoint)
	if !ok {
		return plan.Plan{}, false
	}
	return plan.Plan{Situation: plan.Steady, Events: []plan.Event{v.HideIn(plan.Event{
		Warning: true, Reason: plan.ReasonCleanupFailed, Component: plan.ComponentOperator, Once: true,
		Message: "the savepoint at " + a.Path + " is too old or too many and was not disposed of: " + message,
	})}}, true
}
