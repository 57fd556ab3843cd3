package snapshot

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// decidePending decides for a snapshot that is to be asked for. First match wins:
//
//	job                                    then
//	its resource could not be read         wait
//	gone or another, and seen before       ABANDONED
//	ended                                  ABANDONED
//	-, and the last attempt failed and     wait until it is due
//	the next one is not due
//	moving                                 wait, at most the checkpoint timeout; then ABANDONED
//	runs, and the request cannot be made   a failed attempt
//	runs                                   IN_PROGRESS, then the request
func decidePending(v view) (result, bool) {
	a := attempt(v)
	switch s := v.standing(); {
	case s == unknown:
		return a.unreadableJob(), true
	case s == gone, s == other:
		return a.abandon(a.notFound(s)), true
	case s == ended:
		return a.abandon(v.secondary() + " is not running"), true
	case a.backsOff():
		return a.backOff(), true
	case s == moving:
		return a.awaitJob(), true
	}
	return a.trigger(), true
}

// decideInProgress decides for a snapshot whose request is stored. First match wins:
//
//	Flink says of the request  job                            then
//	completed                  -                              COMPLETED
//	-                          could not be read              wait
//	-                          gone, another, or ended        ABANDONED
//	-                          another run than the request's  TRIGGER_PENDING, not counted
//	in progress                -                              wait
//	-                          moving                         wait, at most the checkpoint timeout; then ABANDONED
//	failed                     runs                           a failed attempt
//	not known                  runs, and Flink would still    the request again, with the same ID: it never came
//	                           know a request of that time
//	not known                  runs                           a failed attempt: its result is lost
//	nothing                    runs                           wait
func decideInProgress(v view) (result, bool) {
	if v.want.State != v1beta1.SnapshotInProgress {
		return result{}, false
	}
	a := attempt(v)
	operation, _ := v.s.Flink.Operation.Get()
	if operation.State == snapshots.OperationCompleted {
		return a.completed(operation), true
	}
	s := v.standing()
	switch {
	case s == unknown:
		return a.unreadableJob(), true
	case s == gone, s == other:
		return a.abandon(a.notFound(s)), true
	case s == ended:
		return a.abandon(v.secondary() + " is not running"), true
	case a.replaced():
		return a.startOver(), true
	case operation.State == snapshots.OperationInProgress:
		return taking(), true
	case s == moving:
		return a.awaitJob(), true
	case operation.State == snapshots.OperationFailed:
		return a.failed(operation.Failure), true
	case operation.State == snapshots.OperationNotKnown && a.neverCame():
		return result{
			situation: Triggering, actions: []plan.Action{a.request()},
			wait: cause{plan.ReasonTriggering, "the request is being made"},
		}, true
	case operation.State == snapshots.OperationNotKnown:
		return a.failed(fmt.Sprintf(
			"Flink no longer has the request %s: its result is lost", v.want.TriggerID,
		)), true
	}
	return taking(), true
}
