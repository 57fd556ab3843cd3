package bluegreen

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
)

// awaitSavepoint waits for the savepoint of the side that serves.
//
//	the spec                      the job that serves   Flink says           then
//	needs no new side any more    -                     -                    the change ends
//	needs no savepoint any more   -                     -                    the new side, without it
//	-                             its resource is gone  -                    the change ends
//	-                             -                     completed            the new side, from it
//	-                             -                     failed               the change fails
//	-                             -                     -, deadline is over  the change fails
//	-                             is another run        -                    another savepoint
//	-                             -                     it does not know it  ask again, under the same ID
//	-                             -                     in progress, nothing wait
func awaitSavepoint(v view, t v1beta1.BlueGreenTransition) Decision {
	active := v.ours(t.From)
	id := v.Resource.Status.SavepointTriggerID
	switch {
	case v.takesBack():
		return v.closed(v1beta1.FlinkJobRunning, "")
	case v.Side(t.From).IsUnknown():
		return v.at(t, Savepointing, unobservable("FlinkDeployment "+v.name(t.From), v.Side(t.From).Why()).Wait).as(t)
	case active == nil:
		return v.closed(
			v1beta1.FlinkJobFailing,
			"FlinkDeployment "+v.name(t.From)+" is gone while its savepoint was taken",
		)
	case v.change == specdiff.BlueGreenSavepointRedeploy, v.wanted.stateless():
		t.Step, t.Source, t.Path = v1beta1.BlueGreenClear, nil, v.wanted.path()
		d := v.at(t, Clearing, v.starting(t.Target))
		d.Status.SavepointTriggerID = ""
		return d
	}
	operation, answered := v.Savepoint.Get()
	over := v.now().After(t.Since.Add(v.grace()))
	late := fmt.Sprintf("savepoint %s of FlinkDeployment %s was not completed within %s", id, active.Name, v.grace())
	if answered && operation.State == snapshots.OperationCompleted {
		t.Step, t.Path = v1beta1.BlueGreenClear, pathOf(operation.Location)
		d := v.at(t, Clearing, v.starting(t.Target))
		d.Events = []plan.Event{{
			Reason: plan.ReasonTransitionSavepoint, Once: true, Key: t.OperationID,
			Message: "FlinkDeployment " + v.name(t.Target) + " starts from savepoint " + operation.Location,
		}}
		return d
	}
	waiting := v.at(t, Savepointing, v.takingSavepoint(active.Name)).as(t)
	waiting.Soon = true
	switch {
	case answered && operation.State == snapshots.OperationFailed:
		return v.failed(fmt.Sprintf("Could not fetch savepoint with triggerId: %s. Error: %s", id, operation.Failure))
	case over:
		return v.failed(late)
	case !ready(active):
		waiting.Wait.Message = "FlinkDeployment " + active.Name + ", of which a savepoint is to be taken, is not ready"
	case !sameRun(active, t.Source):
		return v.beginSavepoint(proposal{from: t.From, target: t.Target})
	case answered && operation.State == snapshots.OperationNotKnown:
		trigger, problem := v.trigger(active, id, t.Source.JobID)
		if problem != "" {
			return v.notTriggered(problem)
		}
		waiting.Actions = []plan.Action{trigger}
	}
	return waiting
}
