package snapshots

import (
	"fmt"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Progress is what became of the requests in flight.
type Progress struct {
	// Status is the job's status after it.
	Status v1beta1.JobStatus
	// Handled are the types whose nonce of the spec counts as handled now: RecordNonce writes it.
	Handled []Type
	// Again are the types whose request never came: Ask makes it, with the ID that Status has.
	Again []Type
	// Events tell of failures.
	Events []plan.Event
}

// Answers are what Flink says of the requests in flight. Parts nobody asked for are Unknown.
type Answers struct {
	// Savepoint and Checkpoint are those of the two types.
	Savepoint, Checkpoint plan.Observed[Operation]
}

// Of is the answer for a type.
func (a Answers) Of(t Type) plan.Observed[Operation] {
	if t == Checkpoint {
		return a.Checkpoint
	}
	return a.Savepoint
}

// Set puts the answer for a type.
func (a *Answers) Set(t Type, answer plan.Observed[Operation]) {
	if t == Checkpoint {
		a.Checkpoint = answer
		return
	}
	a.Savepoint = answer
}

// ProgressOf brings the requests in flight up to what Flink says of them. A job is gone when it neither runs nor is
// expected to. First match wins:
//
//	job   Flink says             request             then
//	-     completed              -                   recorded, its nonce handled
//	gone  answers, or not asked  -                   given up
//	-     failed                 -                   failed
//	runs  in progress            -                   kept
//	runs  not known              ours, of this run,  kept, and asked for again with its ID: it never came
//	                             lately
//	runs  not known              otherwise           failed
//	-     otherwise              younger than the    kept
//	                             checkpoint timeout
//	-     otherwise              older               given up
//
// What failed within its grace period is asked for again, unless it is periodic: that one waits for its next time. What
// failed later, and what is given up, counts as handled. Both are told.
func ProgressOf(f Facts, answers Answers) Progress {
	p := Progress{Status: *f.Status.DeepCopy()}
	for _, t := range []Type{Savepoint, Checkpoint} {
		if pending(f.Status, t) != nil {
			p.step(f, t, answers.Of(t))
		}
	}
	return p
}

func (p *Progress) step(f Facts, t Type, answer plan.Observed[Operation]) {
	operation, answered := answer.Get()
	_, asked := inFlight(p.Status, t)
	gone := !f.Running && !f.Expected
	notKnown := f.Running && operation.State == OperationNotKnown
	switch {
	case operation.State == OperationCompleted:
		complete(f, &p.Status, t, operation.Location)
		p.close(t)
	case gone && (answered || answer.Why() == ""):
		p.giveUp(f, t, "")
	case operation.State == OperationFailed:
		p.fail(f, t, operation.Failure)
	case f.Running && operation.State == OperationInProgress:
	case notKnown && neverCame(f, t):
		p.Again = append(p.Again, t)
	case notKnown:
		p.fail(f, t, "")
	case f.Now.Sub(asked) > timeout(f):
		p.giveUp(f, t, "")
	}
}

// neverCame reports whether a request that Flink does not know cannot have reached it: the run of the job is the same,
// and Flink would still remember one of that time. A request of another operator was stored after it was made, so it
// came.
func neverCame(f Facts, t Type) bool {
	run := runOf(f.Status, t)
	_, asked := inFlight(f.Status, t)
	return run != nil && run.JobID == f.Status.JobID && run.JobStartTime == f.Status.StartTime &&
		f.Now.Sub(asked) < read(f.Config.Duration, key.RestAsyncStoreDuration, 5*time.Minute)
}

// timeout is how long a job that cannot be asked is waited for: as long as Flink itself waits for a checkpoint.
func timeout(f Facts) time.Duration {
	return f.Status.CheckpointTimeoutOr(read(f.Config.Duration, key.CheckpointingTimeout, 10*time.Minute))
}

// fail closes a request that came to nothing. Within the grace period its nonce stays pending, and when it was made is
// kept, so that the next one is not made at once.
func (p *Progress) fail(f Facts, t Type, why string) {
	cause, asked := inFlight(p.Status, t)
	if cause == v1beta1.SnapshotTriggerPeriodic || f.Now.After(asked.Add(grace(f, t))) {
		p.giveUp(f, t, why)
		return
	}
	p.Events = append(p.Events, failure(f, t, cause, why))
	at := asked.UnixMilli()
	clearTrigger(&p.Status, t)
	if t == Checkpoint {
		p.Status.CheckpointInfo.TriggerTimestamp = &at
		return
	}
	p.Status.SavepointInfo.TriggerTimestamp = &at
}

// giveUp closes a request that is not made again.
func (p *Progress) giveUp(f Facts, t Type, why string) {
	cause, _ := inFlight(p.Status, t)
	p.Events = append(p.Events, failure(f, t, cause, why))
	p.close(t)
}

// close clears a request that is decided.
func (p *Progress) close(t Type) {
	if cause, _ := inFlight(p.Status, t); cause != v1beta1.SnapshotTriggerPeriodic {
		p.Handled = append(p.Handled, t)
	}
	clearTrigger(&p.Status, t)
}

func grace(f Facts, t Type) time.Duration {
	if t == Checkpoint {
		return read(f.Config.Duration, key.CheckpointTriggerGracePeriod, time.Minute)
	}
	return read(f.Config.Duration, key.SavepointTriggerGracePeriod, time.Minute)
}

// complete records a snapshot that is done. The place of a checkpoint is not kept: Flink's own statistics know it.
func complete(f Facts, status *v1beta1.JobStatus, t Type, location string) {
	nonce := NonceOf(f.Wanted, t)
	if t == Checkpoint {
		info := status.CheckpointInfo
		if info.TriggerType == v1beta1.SnapshotTriggerPeriodic {
			nonce = nil
		}
		info.LastCheckpoint = &v1beta1.Checkpoint{
			TimeStamp: zeroIfNil(info.TriggerTimestamp), TriggerType: info.TriggerType, FormatType: info.FormatType,
			TriggerNonce: nonce,
		}
		return
	}
	info := status.SavepointInfo
	if info.TriggerType == v1beta1.SnapshotTriggerPeriodic {
		nonce = nil
	}
	remember(info, v1beta1.Savepoint{
		TimeStamp: zeroIfNil(info.TriggerTimestamp), Location: location, TriggerType: info.TriggerType,
		FormatType: info.FormatType, TriggerNonce: nonce,
	})
}

func zeroIfNil(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// failure is the event of a request that came to nothing, in the words of the Java operator, with Flink's own cause
// behind them.
func failure(f Facts, t Type, cause v1beta1.SnapshotTriggerType, why string) plan.Event {
	word, name, reason := "Savepoint", "savepoint", plan.ReasonSavepointError
	if t == Checkpoint {
		word, name, reason = "Checkpoint", "checkpoint", plan.ReasonCheckpointError
	}
	message := "Periodic " + name + " failed"
	if cause != v1beta1.SnapshotTriggerPeriodic {
		message = fmt.Sprintf("%s failed for %sTriggerNonce: %d", word, name, zeroIfNil(NonceOf(f.Wanted, t)))
	}
	if why = strings.TrimSpace(why); why != "" {
		why = ": " + why
	}
	return plan.Event{
		Warning: true, Reason: reason, Component: plan.ComponentOperator, Message: message + why, Key: message,
	}
}
