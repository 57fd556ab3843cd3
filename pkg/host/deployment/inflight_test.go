package deployment

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// recording is a stateful application whose snapshots its own status records.
var recording = strings.Replace(
	stateful, `"state.savepoints.dir"`, `"kubernetes.operator.snapshot.resource.enabled":"false","state.savepoints.dir"`,
	1,
)

func nonces(n int64) func(*v1beta1.FlinkDeploymentSpec) {
	return func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.SavepointTriggerNonce, s.Job.CheckpointTriggerNonce = &n, &n
	}
}

// answer lets Flink say the same of both types.
func (w *fixture) answer(o snapshots.Operation) {
	w.s.Flink.Requests = snapshots.Answers{Savepoint: plan.Present(o), Checkpoint: plan.Present(o)}
}

// asked are the requests of a plan.
func asked(p plan.Plan) (savepoints []plan.TriggerSavepoint, checkpoints []plan.TriggerCheckpoint) {
	for _, a := range p.Effects() {
		switch a := a.(type) {
		case plan.TriggerSavepoint:
			savepoints = append(savepoints, a)
		case plan.TriggerCheckpoint:
			checkpoints = append(checkpoints, a)
		}
	}
	return savepoints, checkpoints
}

// handled are the nonces of lastReconciledSpec.
func (w *fixture) handled() (savepoint, checkpoint int64) {
	w.t.Helper()
	last, err := v1beta1.ParseReconciledDeployment(w.status().ReconciliationStatus.LastReconciledSpec)
	if err != nil {
		w.t.Fatal(err)
	}
	value := func(n *int64) int64 {
		if n == nil {
			return 0
		}
		return *n
	}
	return value(last.Spec.Job.SavepointTriggerNonce), value(last.Spec.Job.CheckpointTriggerNonce)
}

func (w *fixture) wantHandled(n int64) {
	w.t.Helper()
	if s, c := w.handled(); s != n || c != n {
		w.t.Errorf("nonces %d and %d are handled, want %d", s, c, n)
	}
}

func TestASnapshotIsStoredBeforeItIsAskedFor(t *testing.T) {
	w := stable(t, recording)
	w.edit(nonces(7))
	p := w.round()
	savepoints, checkpoints := asked(p)
	if len(savepoints) != 1 || len(checkpoints) != 1 || p.Actions[0] != (plan.WakeClock{}) ||
		!strings.HasPrefix(p.Actions[1].String(), "record") {
		t.Fatalf("got %s", p)
	}
	info, job := w.status().JobStatus.SavepointInfo, w.status().JobStatus
	if savepoints[0].TriggerID != *info.TriggerID || savepoints[0].Directory != "file:///s" ||
		savepoints[0].JobID != job.JobID ||
		checkpoints[0].TriggerID != *job.CheckpointInfo.TriggerID || *info.TriggerID == *job.CheckpointInfo.TriggerID {
		t.Errorf("asked for %+v and %+v, recorded %+v and %+v", savepoints[0], checkpoints[0], info, job.CheckpointInfo)
	}
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	w.wantHandled(0)
	if w.status().Pace != v1beta1.PaceFast || !Open(w.s).Flink().Requests {
		t.Error("a snapshot in flight is looked after")
	}
	w.answer(snapshots.Operation{State: snapshots.OperationInProgress})
	if p := w.round(); touches(p) || p.Status != nil {
		t.Errorf("one in flight is waited for, got %s with status %+v", p, p.Status)
	}
	w.answer(snapshots.Operation{State: snapshots.OperationCompleted, Location: "file:///s/1", CheckpointID: 3})
	w.round()
	info = w.status().JobStatus.SavepointInfo
	if info.TriggerID != nil || info.Run != nil || info.LastSavepoint.Location != "file:///s/1" ||
		*info.LastSavepoint.TriggerNonce != 7 ||
		len(info.SavepointHistory) != 1 || w.status().JobStatus.CheckpointInfo.LastCheckpoint == nil {
		t.Errorf("recorded %+v and %+v", info, w.status().JobStatus.CheckpointInfo)
	}
	w.wantHandled(7)
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if p := w.round(); !p.IsQuiet() || p.Status != nil || w.status().Pace != v1beta1.PaceSlow {
		t.Errorf("a nonce counts once, got %s", p)
	}
}

func TestARequestThatNeverCameIsMadeAgain(t *testing.T) {
	w := stable(t, recording)
	w.edit(nonces(7))
	first, _ := asked(w.round())
	w.answer(snapshots.Operation{State: snapshots.OperationNotKnown})
	p := w.round()
	again, checkpoints := asked(p)
	if len(again) != 1 || again[0] != first[0] || len(checkpoints) != 1 || len(p.Events) != 0 {
		t.Errorf("got %s, want the same requests as before", p)
	}
	w.edit(upgradeImage)
	if again, _ := asked(w.round()); len(again) != 1 || again[0] != first[0] {
		t.Errorf("a change that waits for the savepoint does not keep it from being asked for, got %+v", again)
	}
}

func TestARefusedSnapshotIsAFailedOne(t *testing.T) {
	w := stable(t, recording)
	w.edit(nonces(7))
	requests, _ := asked(w.round())
	p := refusedByFlink(w.s, requests[0], "no such directory")
	if len(p.Events) != 1 || p.Events[0].Message != "Savepoint failed for savepointTriggerNonce: 7: no such directory" ||
		touches(p) {
		t.Fatalf("got %s, events %+v", p, p.Events)
	}
	w.store(p.Status.(*v1beta1.FlinkDeploymentStatus))
	w.wantHandled(0)
	if again, _ := asked(w.round()); len(again) != 0 {
		t.Error("it is not asked for again at once")
	}
	w.s.Now = w.s.Now.Add(time.Minute)
	if again, _ := asked(w.round()); len(again) != 1 || again[0].TriggerID == requests[0].TriggerID {
		t.Errorf("it is asked for again with another ID, got %+v", again)
	}
}

func TestAChangeAwaitsASavepoint(t *testing.T) {
	rows := map[string]struct {
		spec   string
		state  v1beta1.FlinkJobState
		stops  bool
		reason string
	}{
		"it waits": {recording, v1beta1.FlinkJobRunning, false, "the savepoint was asked for first"},
		"it is told not to": {
			strings.Replace(
				recording, `"state.savepoints.dir"`,
				`"kubernetes.operator.job.upgrade.ignore-pending-savepoint":"true","state.savepoints.dir"`, 1,
			),
			v1beta1.FlinkJobRunning, true, "the option says so",
		},
		"the job has ended by itself": {recording, v1beta1.FlinkJobFailed, true, "the savepoint will never come"},
		"the job restarts, upgrade mode": {
			strings.Replace(recording, `"upgradeMode":"savepoint"`, `"upgradeMode":"stateless"`, 1),
			v1beta1.FlinkJobRestarting, true, "a change may be what fixes it",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			w.edit(nonces(7))
			w.round()
			w.edit(upgradeImage)
			if row.state != v1beta1.FlinkJobRunning {
				w.serveJob(row.state)
				w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/1"})
				w.s.Now = w.s.Now.Add(time.Minute)
			}
			w.answer(snapshots.Operation{State: snapshots.OperationInProgress})
			w.run()
			if stops := w.status().Intent != nil; stops != row.stops {
				t.Errorf("stopped %t, %s: %+v", stops, row.reason, w.status().Conditions)
			}
			if row.stops {
				return
			}
			w.want(plan.Waiting, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
			w.answer(snapshots.Operation{State: snapshots.OperationCompleted, Location: "file:///s/1"})
			w.run()
			if w.status().Intent == nil || w.status().JobStatus.SavepointInfo.LastSavepoint.Location != "file:///s/1" {
				t.Errorf("the change goes on when the savepoint is done: %+v", w.status().JobStatus)
			}
		})
	}
}

func TestASavepointInFlightIsWaitedFor(t *testing.T) {
	w := stable(t, strings.Replace(recording, `"upgradeMode":"savepoint"`, `"upgradeMode":"stateless"`, 1))
	w.edit(nonces(7))
	w.round()
	w.edit(upgradeImage)
	w.answer(snapshots.Operation{State: snapshots.OperationInProgress})
	w.s.Flink.Jobs = plan.Unknown[[]world.Job]("time-out")
	w.run()
	if w.status().Intent != nil {
		t.Errorf("the job was stopped while it may be writing the savepoint: %+v", w.status().Intent)
	}
	w.s.Now = w.s.Now.Add(2 * time.Minute)
	w.run()
	if w.status().Intent == nil {
		t.Errorf("a job that does not answer for minutes is not waited for: %+v", w.status().Conditions)
	}
}

func TestALostSavepointIsGivenUp(t *testing.T) {
	w := stable(t, recording)
	w.edit(nonces(789))
	w.round()
	w.terminate()
	w.s.Flink = world.Flink{}
	w.run()
	if w.status().JobStatus.SavepointInfo.TriggerID != nil || w.told("SavepointError") != 1 ||
		w.told("CheckpointError") != 1 {
		t.Errorf("record %+v, told %+v", w.status().JobStatus.SavepointInfo, w.events)
	}
	w.wantHandled(789)
}

func TestASavepointDoneDuringAStopIsKept(t *testing.T) {
	w := stable(
		t,
		strings.Replace(
			recording, `"state.savepoints.dir"`,
			`"kubernetes.operator.job.upgrade.ignore-pending-savepoint":"true","state.savepoints.dir"`, 1,
		),
	)
	w.edit(nonces(7))
	w.round()
	w.edit(upgradeImage)
	w.run()
	w.serveJob(v1beta1.FlinkJobFinished)
	w.answer(snapshots.Operation{State: snapshots.OperationCompleted, Location: "file:///s/1"})
	w.stopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/2"})
	w.run()
	info := w.status().JobStatus.SavepointInfo
	if info.TriggerID != nil || len(info.SavepointHistory) != 2 || info.SavepointHistory[0].Location != "file:///s/1" ||
		info.LastSavepoint.Location != "file:///s/2" || info.LastSavepoint.TriggerType != v1beta1.SnapshotTriggerUpgrade {
		t.Errorf("record %+v", info)
	}
	w.wantHandled(7)
}

func TestTheSavepointOfAStopIsRecorded(t *testing.T) {
	for name, edit := range map[string]func(*v1beta1.FlinkDeploymentSpec){
		"upgrade": upgradeImage,
		"suspend": func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended },
	} {
		t.Run(name, func(t *testing.T) {
			w := stable(t, recording)
			w.edit(edit)
			w.run()
			w.stopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
			p := w.run()
			info := w.status().JobStatus.SavepointInfo
			if info == nil || info.LastSavepoint.Location != "file:///s/1" || info.LastSavepoint.TriggerNonce != nil ||
				len(info.SavepointHistory) != 1 {
				t.Fatalf("record %+v", info)
			}
			if len(created(p)) != 0 || w.status().JobStatus.UpgradeSavepointPath != "file:///s/1" {
				t.Errorf("made %+v, path %s; want a record only", created(p), w.status().JobStatus.UpgradeSavepointPath)
			}
		})
	}
}

// withHistory gives a stable job a history of savepoints, oldest first.
func withHistory(t *testing.T, spec string, paths ...string) *fixture {
	t.Helper()
	w := stable(t, spec)
	info := &v1beta1.SavepointInfo{}
	for i, path := range paths {
		info.SavepointHistory = append(
			info.SavepointHistory, v1beta1.Savepoint{Location: path, TimeStamp: start.UnixMilli() + int64(i)},
		)
	}
	w.s.Resource.Status.JobStatus.SavepointInfo = info
	w.s.Snapshots = plan.Present([]v1beta1.FlinkStateSnapshot{})
	w.bump()
	return w
}

// tellsNoFailure lets Flink answer that the job has had none and no checkpoint, and lets that be recorded.
func (w *fixture) tellsNoFailure() {
	w.s.Flink.Exceptions, w.s.Flink.Checkpoints = plan.Present([]exceptions.Entry{}), plan.Absent[world.Checkpoints]()
	w.round()
}

func TestTheHistoryIsShortenedOneByOne(t *testing.T) {
	few := strings.Replace(
		recording, `"state.savepoints.dir"`, `"kubernetes.operator.savepoint.history.max.count":"1","state.savepoints.dir"`,
		1,
	)
	w := withHistory(t, few, "s1", "s2", "s3")
	if !Open(w.s).First().Snapshots {
		t.Error("the FlinkStateSnapshots count, too")
	}
	if p := w.round(); touches(p) {
		t.Errorf("got %s, and Flink has not answered whether there are failures to tell", p)
	}
	w.tellsNoFailure()
	w.s.Flink.Checkpoints = plan.Unknown[world.Checkpoints]("time-out")
	if p := w.round(); touches(p) {
		t.Errorf("got %s, and Flink has not answered whether the job has completed a checkpoint", p)
	}
	w.s.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
	w.s.Readers = plan.Unknown[snapshots.Readers]("503")
	if p := w.round(); touches(p) {
		t.Errorf("got %s, and it is not known which other resources may read a savepoint", p)
	}
	w.s.Readers = plan.Present(snapshots.Readers{})
	for _, path := range []string{"s1", "s2"} {
		p := w.round()
		if len(p.Actions) != 1 || p.Actions[0].String() != "dispose of savepoint "+path {
			t.Fatalf("got %s, want %s disposed of", p, path)
		}
	}
	if p := w.round(); touches(p) || len(w.status().JobStatus.SavepointInfo.SavepointHistory) != 1 {
		t.Errorf("got %s, history %+v", p, w.status().JobStatus.SavepointInfo.SavepointHistory)
	}
	told := refusedByFlink(w.s, plan.DisposeSavepoint{Path: "s3"}, "away")
	if len(told.Events) != 1 || told.Status != nil || len(told.Effects()) != 0 {
		t.Errorf("a refusal is told and the entry stays, got %+v", told)
	}
	kept := withHistory(
		t,
		strings.Replace(
			few, `"state.savepoints.dir"`, `"kubernetes.operator.savepoint.cleanup.enabled":"false","state.savepoints.dir"`,
			1,
		),
		"s1", "s2", "s3",
	)
	if p := kept.round(); touches(p) || len(kept.status().JobStatus.SavepointInfo.SavepointHistory) != 1 {
		t.Errorf(
			"without clean-up files stay and entries go: %s, %+v", p, kept.status().JobStatus.SavepointInfo.SavepointHistory,
		)
	}
	resources := withHistory(
		t, strings.Replace(few, `"kubernetes.operator.snapshot.resource.enabled":"false",`, "", 1), "s1", "s2",
	)
	resources.tellsNoFailure()
	if p := resources.round(); !strings.Contains(p.String(), "dispose of savepoint s1") {
		t.Errorf("the history that another mode left behind is shortened, too, got %s", p)
	}
}

func TestANonceIsNotLostWhileAChangeWaits(t *testing.T) {
	w := stable(t, stateful)
	w.s.Snapshots = plan.Present([]v1beta1.FlinkStateSnapshot{})
	w.edit(upgradeImage)
	w.run()
	w.stopWith(world.StopProgress{State: world.StopFailed, Cause: "no slot"})
	w.run()
	if w.status().Retry == nil {
		t.Fatal("the stop is tried again later")
	}
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20"; nonces(7)(s) })
	w.edit(upgradeImage)
	w.s.Resource.Status.Retry.Generation = w.s.Resource.Generation
	p := w.run()
	if made := created(p); len(made) != 2 {
		t.Errorf("a nonce that counts as handled has its snapshot, got %s", p)
	}
	w.wantHandled(7)
}
