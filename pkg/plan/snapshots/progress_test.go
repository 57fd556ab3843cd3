package snapshots

import (
	"slices"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// TestProgress reads the rows of ProgressOf.
func TestProgress(t *testing.T) {
	const (
		runs     = "runs"
		expected = "expected"
		gone     = "gone"
	)
	answer := func(state OperationState) plan.Observed[Operation] {
		return plan.Present(Operation{State: state, Location: "s3://dir/1", Failure: "no slot"})
	}
	rows := map[string]struct {
		job     string
		answer  plan.Observed[Operation]
		foreign bool
		started string
		after   time.Duration
		pending bool
		again   bool
		handled bool
		message string
		reason  string
	}{
		"completed and the job ended": {
			job: gone, answer: answer(OperationCompleted), handled: true, reason: "where a savepoint lies is never lost",
		},
		"completed and the job restarts": {
			job: expected, answer: answer(OperationCompleted), handled: true, reason: "it was completed before",
		},
		"the job ended": {
			job: gone, answer: answer(OperationNotKnown), handled: true,
			message: "Savepoint failed for savepointTriggerNonce: 1", reason: "nobody makes it any more",
		},
		"the cluster is gone": {
			job: gone, handled: true, message: "Savepoint failed for savepointTriggerNonce: 1", reason: "nobody can be asked",
		},
		"the job ended and the answer was lost": {
			job: gone, answer: plan.Unknown[Operation]("time-out"), pending: true,
			reason: "it may be completed: the next look tells",
		},
		"failed while the job restarts": {
			job: expected, answer: answer(OperationFailed), message: "Savepoint failed for savepointTriggerNonce: 1: no slot",
			reason: "it is asked for again when the job runs",
		},
		"failed later": {
			job: runs, answer: answer(OperationFailed), after: 2 * time.Minute, handled: true,
			message: "Savepoint failed for savepointTriggerNonce: 1: no slot", reason: "that was no bad moment of the start",
		},
		"in progress": {
			job: runs, answer: answer(OperationInProgress), after: time.Hour, pending: true,
			reason: "Flink itself has a time-out",
		},
		"never came": {
			job: runs, answer: answer(OperationNotKnown), after: time.Second, pending: true, again: true,
			reason: "the pass died between the record and the request",
		},
		"never came, too long ago": {
			job: runs, answer: answer(OperationNotKnown), after: 6 * time.Minute, handled: true,
			message: "Savepoint failed for savepointTriggerNonce: 1", reason: "Flink may have forgotten it",
		},
		"not known, by another": {
			job: runs, answer: answer(OperationNotKnown), foreign: true,
			message: "Savepoint failed for savepointTriggerNonce: 1", reason: "it was stored after it was made",
		},
		"not known, to an earlier run": {
			job: runs, answer: answer(OperationNotKnown), started: "2",
			message: "Savepoint failed for savepointTriggerNonce: 1", reason: "the JobManager that knew it is gone",
		},
		"not known while the job restarts": {
			job: expected, answer: answer(OperationNotKnown), after: time.Second, pending: true,
			reason: "the JobManager may not know its job yet",
		},
		"out of reach": {
			job: expected, after: 5 * time.Minute, pending: true, reason: "a job that restarts delays it",
		},
		"out of reach for too long": {
			job: expected, after: 11 * time.Minute, handled: true, message: "Savepoint failed for savepointTriggerNonce: 1",
			reason: "every wait has a deadline",
		},
		"a failure at the end of the grace period": {
			job: runs, answer: answer(OperationFailed), after: time.Minute,
			message: "Savepoint failed for savepointTriggerNonce: 1: no slot", reason: "it is asked for again",
		},
		"never came, just too long ago": {
			job: runs, answer: answer(OperationNotKnown), after: 5 * time.Minute, handled: true,
			message: "Savepoint failed for savepointTriggerNonce: 1", reason: "Flink may have forgotten it",
		},
		"out of reach, at the deadline": {
			job: expected, after: 10 * time.Minute, pending: true, reason: "the deadline is over after it",
		},
		"no answer for too long": {
			job: runs, answer: plan.Unknown[Operation]("500"), after: 11 * time.Minute, handled: true,
			message: "Savepoint failed for savepointTriggerNonce: 1", reason: "every wait has a deadline",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			j := legacy(t)
			j.f.Status.StartTime = "1"
			j.f.Wanted = &v1beta1.JobSpec{SavepointTriggerNonce: nonce(1)}
			if j.begin() != 1 {
				t.Fatal("a savepoint is due")
			}
			if row.foreign {
				j.f.Status.SavepointInfo.Run = nil
			}
			if row.started != "" {
				j.f.Status.StartTime = row.started
			}
			j.f.Running, j.f.Expected = row.job == runs, row.job == expected
			j.f.Now = j.f.Now.Add(row.after)
			p := ProgressOf(j.f, Answers{Savepoint: row.answer})
			message := ""
			for _, e := range p.Events {
				message += e.Message
			}
			if got := len(Pending(p.Status)) == 1; got != row.pending {
				t.Errorf("pending %t, %s", got, row.reason)
			}
			if slices.Contains(p.Again, Savepoint) != row.again || slices.Contains(p.Handled, Savepoint) != row.handled ||
				message != row.message {
				t.Errorf(
					"again %v, handled %v, told %q; want %t, %t, %q: %s", p.Again, p.Handled, message, row.again, row.handled,
					row.message, row.reason,
				)
			}
			if last := p.Status.SavepointInfo.LastSavepoint; (last != nil) != (row.handled && row.message == "") {
				t.Errorf("last savepoint %+v", last)
			}
		})
	}
}
