package deployment

import (
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// RefusedRequest is what a round sees after Flink refused a request for a snapshot: the refusal as the answer. left is
// the snapshot with the resource as the round before left it. False for every other action.
func RefusedRequest(left Snapshot, failed plan.Action, message string) (Snapshot, bool) {
	answer := plan.Present(snapshots.Operation{State: snapshots.OperationFailed, Failure: message})
	switch failed.(type) {
	case plan.TriggerSavepoint:
		left.Flink.Requests.Savepoint = answer
	case plan.TriggerCheckpoint:
		left.Flink.Requests.Checkpoint = answer
	default:
		return left, false
	}
	return left, true
}

// RefusedDisposal tells that Flink refused to dispose of a savepoint of the history: it stays there, and is tried
// again. seen is what the round saw. False for every other action.
func RefusedDisposal(seen Snapshot, failed plan.Action, message string) (plan.Plan, bool) {
	a, ok := failed.(plan.DisposeSavepoint)
	if !ok {
		return plan.Plan{}, false
	}
	return plan.Plan{Situation: plan.Steady, Events: []plan.Event{cluster.New(seen).HideIn(plan.Event{
		Warning: true, Reason: plan.ReasonCleanupFailed, Component: plan.ComponentOperator, Once: true,
		Message: "the savepoint at " + a.Path + " is too old or too many and was not disposed of: " + message,
	})}}, true
}
