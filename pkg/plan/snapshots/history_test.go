package snapshots

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// TestOutcome reads the rows of OutcomeOf, for both types.
func TestOutcome(t *testing.T) {
	rows := map[string]struct {
		wanted, handled *int64
		flying          bool
		cause           v1beta1.SnapshotTriggerType
		done            *int64
		want            Outcome
		reason          string
	}{
		"nothing":               {want: OutcomeNone, reason: "nobody asked"},
		"asked for":             {wanted: nonce(1), want: OutcomePending, reason: "the nonce is new"},
		"asked for again":       {wanted: nonce(2), handled: nonce(1), want: OutcomePending, reason: "the nonce is another"},
		"in flight":             {flying: true, want: OutcomePending, reason: "Flink makes it"},
		"handled, and none":     {wanted: nonce(1), handled: nonce(1), want: OutcomeAbandoned, reason: "it came to nothing"},
		"handled, no nonce now": {handled: nonce(1), want: OutcomeAbandoned, reason: "it came to nothing"},
		"done": {
			wanted: nonce(1), handled: nonce(1), cause: manual, done: nonce(1), want: OutcomeSucceeded,
			reason: "the last one carries the nonce",
		},
		"done for another nonce": {
			wanted: nonce(2), handled: nonce(2), cause: manual, done: nonce(1), want: OutcomeAbandoned,
			reason: "the last one is older",
		},
		"done by hand, without a nonce": {
			wanted: nonce(2), handled: nonce(2), cause: manual, want: OutcomeAbandoned, reason: "it answers none",
		},
		"done by hand, no nonce handled": {
			cause: manual, done: nonce(1), want: OutcomeAbandoned, reason: "nobody remembers the request",
		},
		"a periodic one": {cause: periodic, want: OutcomeSucceeded, reason: "it needs no nonce"},
		"a periodic one after a nonce": {
			wanted: nonce(1), handled: nonce(1), cause: periodic, want: OutcomeSucceeded, reason: "it is newer",
		},
	}
	for name, row := range rows {
		for _, ty := range []Type{Savepoint, Checkpoint} {
			f := facts()
			f.Wanted = &v1beta1.JobSpec{SavepointTriggerNonce: row.wanted}
			f.Reconciled = &v1beta1.JobSpec{SavepointTriggerNonce: row.handled}
			save, check := &v1beta1.SavepointInfo{}, &v1beta1.CheckpointInfo{}
			if ty == Checkpoint {
				f.Wanted = &v1beta1.JobSpec{CheckpointTriggerNonce: row.wanted}
				f.Reconciled = &v1beta1.JobSpec{CheckpointTriggerNonce: row.handled}
			}
			if id := "id"; row.flying {
				save.TriggerID, check.TriggerID = &id, &id
			}
			if row.cause != "" {
				save.LastSavepoint = &v1beta1.Savepoint{TriggerType: row.cause, TriggerNonce: row.done}
				check.LastCheckpoint = &v1beta1.Checkpoint{TriggerType: row.cause, TriggerNonce: row.done}
			}
			if ty == Checkpoint {
				f.Status.CheckpointInfo = check
			} else {
				f.Status.SavepointInfo = save
			}
			if got := OutcomeOf(f, ty); got != row.want {
				t.Errorf("%s: %s is %q, want %q: %s", name, ty, got, row.want, row.reason)
			}
		}
	}
}

// One disposal a pass: the status without that savepoint alone; what is dropped with its files left goes at once.
func TestPruneOne(t *testing.T) {
	f := facts(maxCount, "2")
	f.Status.SavepointInfo = history(4)
	next, dispose := PruneOne(f)
	if got := next.SavepointInfo.SavepointHistory; dispose != "s1" || len(got) != 3 || got[0].Location != "s2" {
		t.Errorf("%q is disposed of, %v stay, want s1, and the others stay", dispose, got)
	}
	f = facts(maxCount, "2", cleanupEnabled, "false")
	f.Status.SavepointInfo = history(4)
	next, dispose = PruneOne(f)
	if got := next.SavepointInfo.SavepointHistory; dispose != "" || len(got) != 2 {
		t.Errorf("%q is disposed of, %v stay, want none, and two stay", dispose, got)
	}
	f.Status.SavepointInfo.SavepointHistory[0].Location = ""
	f.Config[cleanupEnabled] = "true"
	if next, dispose = PruneOne(f); dispose != "s2" || len(next.SavepointInfo.SavepointHistory) != 3 {
		t.Errorf("%q is disposed of: an entry without a place has nothing to dispose of", dispose)
	}
}

// A nonce is marked as handled where there is one, and a job to mark it in.
func TestRecordNonce(t *testing.T) {
	RecordNonce(nil, Savepoint, nonce(1))
	job := &v1beta1.JobSpec{SavepointTriggerNonce: nonce(1), CheckpointTriggerNonce: nonce(2)}
	RecordNonce(job, Savepoint, nil)
	RecordNonce(job, Checkpoint, nonce(3))
	if *job.SavepointTriggerNonce != 1 || *job.CheckpointTriggerNonce != 3 {
		t.Errorf("savepoint %d, checkpoint %d, want 1 and 3", *job.SavepointTriggerNonce, *job.CheckpointTriggerNonce)
	}
}

// Both types are begun in one pass: each has its own ID, its own record, and is asked for at the run it was begun for.
func TestBeginAll(t *testing.T) {
	f := facts()
	f.Status.StartTime = "1"
	due := []Trigger{{Type: Savepoint, Cause: manual, Nonce: nonce(1)}, {Type: Checkpoint, Cause: periodic}}
	status, asks := BeginAll(f, due, "7", plan.Endpoint{})
	if len(asks) != 2 || *status.SavepointInfo.TriggerID != plan.DeriveID(f.UID, "7", plan.PurposeSavepoint) ||
		*status.CheckpointInfo.TriggerID != plan.DeriveID(f.UID, "7", plan.PurposeCheckpoint) {
		t.Errorf("%d are asked for, %+v, %+v", len(asks), status.SavepointInfo, status.CheckpointInfo)
	}
	if status.SavepointInfo.LastPeriodicSavepointTimestamp != 0 ||
		status.CheckpointInfo.LastPeriodicCheckpointTimestamp != start.UnixMilli() {
		t.Errorf("only the periodic one moves the period: %+v, %+v", status.SavepointInfo, status.CheckpointInfo)
	}
	began := status.JobID
	status.JobID, status.CheckpointInfo.Run = "another", nil
	requests := Pending(status)
	if len(requests) != 2 || requests[0].JobID != began || requests[1].JobID != "another" {
		t.Errorf("%+v, want the savepoint of %s, and of a checkpoint that says no run that of the status", requests, began)
	}
	status.SavepointInfo.Run, status.CheckpointInfo.Run = &v1beta1.Incarnation{}, &v1beta1.Incarnation{JobID: began}
	if requests = Pending(status); requests[0].JobID != "another" || requests[1].JobID != began {
		t.Errorf("%+v, want the checkpoint of %s", requests, began)
	}
}

// The answers of the two types, and how long each may fail and is asked for again, are kept apart.
func TestTypesAreKeptApart(t *testing.T) {
	for _, slow := range []Type{Savepoint, Checkpoint} {
		f := facts("kubernetes.operator."+map[Type]string{
			Savepoint: "savepoint", Checkpoint: "checkpoint",
		}[slow]+".trigger.grace-period", "1 h")
		f.Wanted = &v1beta1.JobSpec{SavepointTriggerNonce: nonce(1), CheckpointTriggerNonce: nonce(1)}
		f.Status, _ = BeginAll(f, []Trigger{
			{Type: Savepoint, Cause: manual, Nonce: nonce(1)}, {Type: Checkpoint, Cause: manual, Nonce: nonce(1)},
		}, "7", plan.Endpoint{})
		f.Now = f.Now.Add(30 * time.Minute)
		var answers Answers
		answers.Set(Savepoint, plan.Present(Operation{State: OperationFailed, Failure: "saved not"}))
		answers.Set(Checkpoint, plan.Present(Operation{State: OperationFailed, Failure: "checked not"}))
		if answers.Of(Savepoint) == answers.Of(Checkpoint) {
			t.Error("one answer for both")
		}
		p := ProgressOf(f, answers)
		if len(p.Handled) != 1 || p.Handled[0] == slow {
			t.Errorf("%v are handled, want the one that is not the %s", p.Handled, slow)
		}
		if len(p.Events) != 2 || !strings.HasPrefix(p.Events[0].Message, "Savepoint failed") ||
			!strings.HasSuffix(p.Events[0].Message, "saved not") {
			t.Errorf("%+v, want the savepoint's reason first", p.Events)
		}
	}
}
