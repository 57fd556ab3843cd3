package snapshots

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// job is a job whose snapshots are recorded in its status, with the parts of its own plan that matter here.
type job struct {
	t      *testing.T
	f      Facts
	events []string
	ids    int
}

func legacy(t *testing.T, options ...string) *job {
	return &job{t: t, f: facts(append(options, "kubernetes.operator.snapshot.resource.enabled", "false")...)}
}

// ask sets the nonces and begins what is due; it answers how many that were.
func (j *job) ask(n int64) int {
	j.f.Wanted = &v1beta1.JobSpec{SavepointTriggerNonce: nonce(n), CheckpointTriggerNonce: nonce(n)}
	return j.begin()
}

func (j *job) begin() int {
	due, _ := Due(j.f)
	for _, trigger := range due {
		j.f.Status = Begin(j.f, trigger, fmt.Sprintf("trigger_%d", j.ids))
		j.ids++
	}
	return len(due)
}

// byAnother makes what is in flight the request of another operator.
func (j *job) byAnother() *job {
	j.f.Status.SavepointInfo.Run, j.f.Status.CheckpointInfo.Run = nil, nil
	return j
}

// look brings what is in flight up to one answer for both types.
func (j *job) look(state OperationState, location string) *job {
	answer := plan.Present(Operation{State: state, Location: location, CheckpointID: 7})
	p := ProgressOf(j.f, Answers{Savepoint: answer, Checkpoint: answer})
	j.f.Status = p.Status
	reconciled := *j.f.Reconciled
	for _, t := range p.Handled {
		RecordNonce(&reconciled, t, NonceOf(j.f.Wanted, t))
	}
	j.f.Reconciled = &reconciled
	for _, e := range p.Events {
		if !e.Warning || e.Component != plan.ComponentOperator {
			j.t.Errorf("event %+v", e)
		}
		j.events = append(j.events, string(e.Reason)+": "+e.Message)
	}
	return j
}

func (j *job) want(pending int, handled int64, events ...string) {
	j.t.Helper()
	if got := Pending(j.f.Status); len(got) != pending {
		j.t.Errorf("%d in flight, want %d", len(got), pending)
	}
	for _, t := range []Type{Savepoint, Checkpoint} {
		if got := zeroIfNil(NonceOf(j.f.Reconciled, t)); got != handled {
			j.t.Errorf("%s nonce handled is %d, want %d", t, got, handled)
		}
	}
	if strings.Join(j.events, "\n") != strings.Join(events, "\n") {
		j.t.Errorf("events %q, want %q", j.events, events)
	}
	j.events = nil
}

// failures are the events of both types for one nonce.
func failures(n int) []string {
	return []string{
		fmt.Sprintf("SavepointError: Savepoint failed for savepointTriggerNonce: %d", n),
		fmt.Sprintf("CheckpointError: Checkpoint failed for checkpointTriggerNonce: %d", n),
	}
}

func TestASnapshotInTheRecordIsRetriedThenGivenUp(t *testing.T) {
	j := legacy(t)
	if j.ask(1) != 2 {
		t.Fatal("a savepoint and a checkpoint are due")
	}
	j.look(OperationInProgress, "").want(2, 0)
	j.look(OperationUnknown, "").want(2, 0)
	j.byAnother().look(OperationNotKnown, "").want(0, 0, failures(1)...)
	if j.begin() != 0 {
		t.Error("not at once")
	}
	j.f.Now = j.f.Now.Add(retryPause)
	if j.begin() != 2 {
		t.Error("within the grace period it is asked for again")
	}
	j.f.Now = j.f.Now.Add(time.Hour)
	j.look(OperationNotKnown, "").want(0, 1, failures(1)...)
	if j.begin() != 0 {
		t.Error("after the grace period it is given up")
	}
	j.ask(123)
	j.look(OperationCompleted, "savepoint_0").want(0, 123)
	j.ask(456)
	j.look(OperationCompleted, "savepoint_1").want(0, 456)
	info := j.f.Status.SavepointInfo
	if info.LastSavepoint.Location != "savepoint_1" || *info.LastSavepoint.TriggerNonce != 456 ||
		len(info.SavepointHistory) != 2 ||
		*j.f.Status.CheckpointInfo.LastCheckpoint.TriggerNonce != 456 {
		t.Errorf("record %+v, %+v", info, j.f.Status.CheckpointInfo)
	}
	j.ask(789)
	j.f.Running = false
	j.look(OperationUnknown, "").want(0, 789, failures(789)...)
	if got := j.f.Status.SavepointInfo.LastSavepoint.Location; got != "savepoint_1" {
		t.Errorf("last savepoint %s", got)
	}
}

func TestAJobFailsWithASnapshotInFlight(t *testing.T) {
	j := legacy(t, maxCount, "1")
	j.f.Status.SavepointInfo = history(1)
	j.ask(1)
	j.f.Running, j.f.Status.State, j.f.Status.UpgradeSavepointPath = false, v1beta1.FlinkJobFailed, "last-SP"
	j.look(OperationUnknown, "").want(0, 1, failures(1)...)
	j.f.Status = RecordUpgrade(j.f.Status, "s2", v1beta1.SavepointFormatCanonical, start)
	if got := j.f.Status.SavepointInfo.SavepointHistory; len(got) != 2 ||
		got[1].TriggerType != v1beta1.SnapshotTriggerUpgrade || got[1].TriggerNonce != nil {
		t.Errorf("history %+v", got)
	}
	next, disposed := Prune(j.f)
	if len(next.SavepointInfo.SavepointHistory) != 1 || strings.Join(disposed, " ") != "s1" ||
		next.UpgradeSavepointPath != "last-SP" {
		t.Errorf("history %+v, disposed of %v", next.SavepointInfo.SavepointHistory, disposed)
	}
}

func TestTheSavepointFormatIsRecorded(t *testing.T) {
	for option, want := range map[string]v1beta1.SavepointFormatType{
		"": v1beta1.SavepointFormatCanonical, "NATIVE": v1beta1.SavepointFormatNative,
	} {
		j := legacy(t)
		if option != "" {
			j.f.Config["kubernetes.operator.savepoint.format.type"] = option
		}
		j.ask(1)
		action := Ask(
			j.f, Savepoint, "trigger_0", plan.Endpoint{URL: "http://demo-rest.default.svc:8081"},
		).(plan.TriggerSavepoint)
		j.look(OperationCompleted, "savepoint_0")
		if got := j.f.Status.SavepointInfo.LastSavepoint.FormatType; got != want || action.Format != want ||
			action.Directory != "s3://dir" {
			t.Errorf("recorded %s, asked for %+v, want %s", got, action, want)
		}
		if c := Ask(
			j.f, Checkpoint, "trigger_1", plan.Endpoint{},
		).(plan.TriggerCheckpoint); c.Format != v1beta1.CheckpointFormatFull || c.JobID != j.f.Status.JobID {
			t.Errorf("checkpoint %+v", c)
		}
	}
}

func TestANonceIsRecordedWhenItsSnapshotHasEnded(t *testing.T) {
	j := legacy(t)
	outcome := func(want Outcome) {
		t.Helper()
		for _, ty := range []Type{Savepoint, Checkpoint} {
			if got := OutcomeOf(j.f, ty); got != want {
				t.Errorf("%s is %q, want %q", ty, got, want)
			}
		}
	}
	outcome(OutcomeNone)
	j.ask(1)
	outcome(OutcomePending)
	if *j.f.Status.SavepointInfo.TriggerID != "trigger_0" || j.f.Reconciled.SavepointTriggerNonce != nil {
		t.Errorf("record %+v, handled %v", j.f.Status.SavepointInfo, j.f.Reconciled.SavepointTriggerNonce)
	}
	if j.begin() != 0 {
		t.Error("one in flight is not asked for again")
	}
	j.look(OperationCompleted, "savepoint_0")
	outcome(OutcomeSucceeded)
	if j.ask(1) != 0 {
		t.Error("the same nonce asks for nothing")
	}
	if j.ask(2) != 2 {
		t.Error("another nonce asks again")
	}
	j.f.Now = j.f.Now.Add(time.Hour)
	j.look(OperationFailed, "")
	outcome(OutcomeAbandoned)
	j.f.Wanted = &v1beta1.JobSpec{}
	if j.begin() != 0 {
		t.Error("a nonce that is gone asks for nothing")
	}
	j = legacy(t, savepointInterval, "1", checkpointInterval, "1")
	if j.begin() != 2 {
		t.Error("a periodic one is due")
	}
	outcome(OutcomePending)
}

func TestAFailedPeriodicSnapshotWaits(t *testing.T) {
	j := legacy(t, savepointInterval, "10m")
	if j.begin() != 1 {
		t.Fatal("one is due")
	}
	j.look(OperationFailed, "").want(0, 0, "SavepointError: Periodic savepoint failed")
	if j.begin() != 0 {
		t.Error("it must wait for its next time")
	}
	j.f.Now = j.f.Now.Add(11 * time.Minute)
	if j.begin() != 1 {
		t.Error("the next time has come")
	}
	j.look(OperationCompleted, "savepoint_0")
	if info := j.f.Status.SavepointInfo; info.LastSavepoint.TriggerNonce != nil ||
		info.LastPeriodicSavepointTimestamp != j.f.Now.UnixMilli() {
		t.Errorf("record %+v", info)
	}
}

func TestNoncesOfSessionJobsWithARecord(t *testing.T) {
	j := legacy(t)
	j.f.Kind = v1beta1.JobKindFlinkSessionJob
	if j.begin() != 0 {
		t.Error("without a nonce nothing is due")
	}
	j.f.Running = false
	if j.ask(1) != 0 {
		t.Error("a job that was only created is not snapshotted")
	}
	j.f.Running = true
	j.ask(1)
	if j.ask(2) != 0 || len(Pending(j.f.Status)) != 2 {
		t.Error("one in flight blocks a new nonce, and by Pending a spec change")
	}
	j.f.Running = false
	j.look(OperationUnknown, "")
	if len(Pending(j.f.Status)) != 0 {
		t.Error("a job that stopped frees what waits")
	}
}
