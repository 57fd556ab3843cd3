package observe_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

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

func wantHandled(w *enginetest.Deployment, n int64) {
	w.T.Helper()
	if s, c := w.Handled(); s != n || c != n {
		w.T.Errorf("nonces %d and %d are handled, want %d", s, c, n)
	}
}

func TestASnapshotIsStoredBeforeItIsAskedFor(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Recording)
	w.Edit(enginetest.Nonces(7))
	p := w.Round()
	savepoints, checkpoints := asked(p)
	if len(savepoints) != 1 || len(checkpoints) != 1 || p.Actions[0] != (plan.WakeClock{}) ||
		!strings.HasPrefix(p.Actions[1].String(), "record") {
		t.Fatalf("got %s", p)
	}
	info, job := w.Status().JobStatus.SavepointInfo, w.Status().JobStatus
	if savepoints[0].TriggerID != *info.TriggerID || savepoints[0].Directory != "file:///s" ||
		savepoints[0].JobID != job.JobID ||
		checkpoints[0].TriggerID != *job.CheckpointInfo.TriggerID || *info.TriggerID == *job.CheckpointInfo.TriggerID {
		t.Errorf("asked for %+v and %+v, recorded %+v and %+v", savepoints[0], checkpoints[0], info, job.CheckpointInfo)
	}
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	wantHandled(w, 0)
	if w.Status().Pace != v1beta1.PaceFast || !deployment.Open(w.Snapshot).Flink().Requests {
		t.Error("a snapshot in flight is looked after")
	}
	w.Answer(snapshots.Operation{State: snapshots.OperationInProgress})
	if p := w.Round(); enginetest.Touches(p) || p.Status != nil {
		t.Errorf("one in flight is waited for, got %s with status %+v", p, p.Status)
	}
	w.Answer(snapshots.Operation{State: snapshots.OperationCompleted, Location: "file:///s/1", CheckpointID: 3})
	w.Round()
	info = w.Status().JobStatus.SavepointInfo
	if info.TriggerID != nil || info.Run != nil || info.LastSavepoint.Location != "file:///s/1" ||
		*info.LastSavepoint.TriggerNonce != 7 ||
		len(info.SavepointHistory) != 1 || w.Status().JobStatus.CheckpointInfo.LastCheckpoint == nil {
		t.Errorf("recorded %+v and %+v", info, w.Status().JobStatus.CheckpointInfo)
	}
	wantHandled(w, 7)
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if p := w.Round(); !p.IsQuiet() || p.Status != nil || w.Status().Pace != v1beta1.PaceSlow {
		t.Errorf("a nonce counts once, got %s", p)
	}
}

func TestARequestThatNeverCameIsMadeAgain(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Recording)
	w.Edit(enginetest.Nonces(7))
	first, _ := asked(w.Round())
	w.Answer(snapshots.Operation{State: snapshots.OperationNotKnown})
	p := w.Round()
	again, checkpoints := asked(p)
	if len(again) != 1 || again[0] != first[0] || len(checkpoints) != 1 || len(p.Events) != 0 {
		t.Errorf("got %s, want the same requests as before", p)
	}
	w.Edit(enginetest.UpgradeImage)
	if again, _ := asked(w.Round()); len(again) != 1 || again[0] != first[0] {
		t.Errorf("a change that waits for the savepoint does not keep it from being asked for, got %+v", again)
	}
}

func TestARefusedSnapshotIsAFailedOne(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Recording)
	w.Edit(enginetest.Nonces(7))
	requests, _ := asked(w.Round())
	p := enginetest.RefusedByFlink(w.Snapshot, requests[0], "no such directory")
	if len(p.Events) != 1 || p.Events[0].Message != "Savepoint failed for savepointTriggerNonce: 7: no such directory" ||
		enginetest.Touches(p) {
		t.Fatalf("got %s, events %+v", p, p.Events)
	}
	w.Store(p.Status.(*v1beta1.FlinkDeploymentStatus))
	wantHandled(w, 0)
	if again, _ := asked(w.Round()); len(again) != 0 {
		t.Error("it is not asked for again at once")
	}
	w.Snapshot.Now = w.Snapshot.Now.Add(time.Minute)
	if again, _ := asked(w.Round()); len(again) != 1 || again[0].TriggerID == requests[0].TriggerID {
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
		"it waits": {enginetest.Recording, v1beta1.FlinkJobRunning, false, "the savepoint was asked for first"},
		"it is told not to": {
			strings.Replace(
				enginetest.Recording, `"state.savepoints.dir"`,
				`"kubernetes.operator.job.upgrade.ignore-pending-savepoint":"true","state.savepoints.dir"`, 1,
			),
			v1beta1.FlinkJobRunning, true, "the option says so",
		},
		"the job has ended by itself": {
			enginetest.Recording,
			v1beta1.FlinkJobFailed,
			true,
			"the savepoint will never come",
		},
		"the job restarts, upgrade mode": {
			strings.Replace(enginetest.Recording, `"upgradeMode":"savepoint"`, `"upgradeMode":"stateless"`, 1),
			v1beta1.FlinkJobRestarting, true, "a change may be what fixes it",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			w.Edit(enginetest.Nonces(7))
			w.Round()
			w.Edit(enginetest.UpgradeImage)
			if row.state != v1beta1.FlinkJobRunning {
				w.ServeJob(row.state)
				w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/1"})
				w.Snapshot.Now = w.Snapshot.Now.Add(time.Minute)
			}
			w.Answer(snapshots.Operation{State: snapshots.OperationInProgress})
			w.Run()
			if stops := w.Status().Intent != nil; stops != row.stops {
				t.Errorf("stopped %t, %s: %+v", stops, row.reason, w.Status().Conditions)
			}
			if row.stops {
				return
			}
			w.Want(plan.Waiting, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
			w.Answer(snapshots.Operation{State: snapshots.OperationCompleted, Location: "file:///s/1"})
			w.Run()
			if w.Status().Intent == nil || w.Status().JobStatus.SavepointInfo.LastSavepoint.Location != "file:///s/1" {
				t.Errorf("the change goes on when the savepoint is done: %+v", w.Status().JobStatus)
			}
		})
	}
}

func TestASavepointInFlightIsWaitedFor(t *testing.T) {
	w := enginetest.Stable(
		t,
		strings.Replace(enginetest.Recording, `"upgradeMode":"savepoint"`, `"upgradeMode":"stateless"`, 1),
	)
	w.Edit(enginetest.Nonces(7))
	w.Round()
	w.Edit(enginetest.UpgradeImage)
	w.Answer(snapshots.Operation{State: snapshots.OperationInProgress})
	w.Snapshot.Flink.Jobs = plan.Unknown[[]world.Job]("time-out")
	w.Run()
	if w.Status().Intent != nil {
		t.Errorf("the job was stopped while it may be writing the savepoint: %+v", w.Status().Intent)
	}
	w.Snapshot.Now = w.Snapshot.Now.Add(2 * time.Minute)
	w.Run()
	if w.Status().Intent == nil {
		t.Errorf("a job that does not answer for minutes is not waited for: %+v", w.Status().Conditions)
	}
}

func TestALostSavepointIsGivenUp(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Recording)
	w.Edit(enginetest.Nonces(789))
	w.Round()
	w.Terminate()
	w.Snapshot.Flink = world.Flink{}
	w.Run()
	if w.Status().JobStatus.SavepointInfo.TriggerID != nil || w.Told("SavepointError") != 1 ||
		w.Told("CheckpointError") != 1 {
		t.Errorf("record %+v, told %+v", w.Status().JobStatus.SavepointInfo, w.Events)
	}
	wantHandled(w, 789)
}

func TestASavepointDoneDuringAStopIsKept(t *testing.T) {
	w := enginetest.Stable(
		t,
		strings.Replace(
			enginetest.Recording, `"state.savepoints.dir"`,
			`"kubernetes.operator.job.upgrade.ignore-pending-savepoint":"true","state.savepoints.dir"`, 1,
		),
	)
	w.Edit(enginetest.Nonces(7))
	w.Round()
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	w.ServeJob(v1beta1.FlinkJobFinished)
	w.Answer(snapshots.Operation{State: snapshots.OperationCompleted, Location: "file:///s/1"})
	w.StopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/2"})
	w.Run()
	info := w.Status().JobStatus.SavepointInfo
	if info.TriggerID != nil || len(info.SavepointHistory) != 2 || info.SavepointHistory[0].Location != "file:///s/1" ||
		info.LastSavepoint.Location != "file:///s/2" || info.LastSavepoint.TriggerType != v1beta1.SnapshotTriggerUpgrade {
		t.Errorf("record %+v", info)
	}
	wantHandled(w, 7)
}

func TestTheSavepointOfAStopIsRecorded(t *testing.T) {
	for name, edit := range map[string]func(*v1beta1.FlinkDeploymentSpec){
		"upgrade": enginetest.UpgradeImage,
		"suspend": func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended },
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.Recording)
			w.Edit(edit)
			w.Run()
			w.StopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
			p := w.Run()
			info := w.Status().JobStatus.SavepointInfo
			if info == nil || info.LastSavepoint.Location != "file:///s/1" || info.LastSavepoint.TriggerNonce != nil ||
				len(info.SavepointHistory) != 1 {
				t.Fatalf("record %+v", info)
			}
			if len(created(p)) != 0 || w.Status().JobStatus.UpgradeSavepointPath != "file:///s/1" {
				t.Errorf("made %+v, path %s; want a record only", created(p), w.Status().JobStatus.UpgradeSavepointPath)
			}
		})
	}
}

// withHistory gives a stable job a history of savepoints, oldest first.
func withHistory(t *testing.T, spec string, paths ...string) *enginetest.Deployment {
	t.Helper()
	w := enginetest.Stable(t, spec)
	info := &v1beta1.SavepointInfo{}
	for i, path := range paths {
		info.SavepointHistory = append(
			info.SavepointHistory, v1beta1.Savepoint{Location: path, TimeStamp: enginetest.Start.UnixMilli() + int64(i)},
		)
	}
	w.Snapshot.Resource.Status.JobStatus.SavepointInfo = info
	w.Snapshot.Snapshots = plan.Present([]v1beta1.FlinkStateSnapshot{})
	w.Bump()
	return w
}

// tellsNoFailure lets Flink answer that the job has had none and no checkpoint, and lets that be recorded.
func tellsNoFailure(w *enginetest.Deployment) {
	w.Snapshot.Flink.Exceptions, w.Snapshot.Flink.Checkpoints = plan.Present(
		[]exceptions.Entry{},
	), plan.Absent[world.Checkpoints]()
	w.Round()
}

func TestTheHistoryIsShortenedOneByOne(t *testing.T) {
	few := strings.Replace(
		enginetest.Recording,
		`"state.savepoints.dir"`,
		`"kubernetes.operator.savepoint.history.max.count":"1","state.savepoints.dir"`,
		1,
	)
	w := withHistory(t, few, "s1", "s2", "s3")
	if !deployment.Open(w.Snapshot).First().Snapshots {
		t.Error("the FlinkStateSnapshots count, too")
	}
	if p := w.Round(); enginetest.Touches(p) {
		t.Errorf("got %s, and Flink has not answered whether there are failures to tell", p)
	}
	tellsNoFailure(w)
	w.Snapshot.Flink.Checkpoints = plan.Unknown[world.Checkpoints]("time-out")
	if p := w.Round(); enginetest.Touches(p) {
		t.Errorf("got %s, and Flink has not answered whether the job has completed a checkpoint", p)
	}
	w.Snapshot.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
	w.Snapshot.Readers = plan.Unknown[snapshots.Readers]("503")
	if p := w.Round(); enginetest.Touches(p) {
		t.Errorf("got %s, and it is not known which other resources may read a savepoint", p)
	}
	w.Snapshot.Readers = plan.Present(snapshots.Readers{})
	for _, path := range []string{"s1", "s2"} {
		p := w.Round()
		if len(p.Actions) != 1 || p.Actions[0].String() != "dispose of savepoint "+path {
			t.Fatalf("got %s, want %s disposed of", p, path)
		}
	}
	if p := w.Round(); enginetest.Touches(p) || len(w.Status().JobStatus.SavepointInfo.SavepointHistory) != 1 {
		t.Errorf("got %s, history %+v", p, w.Status().JobStatus.SavepointInfo.SavepointHistory)
	}
	told := enginetest.RefusedByFlink(w.Snapshot, plan.DisposeSavepoint{Path: "s3"}, "away")
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
	if p := kept.Round(); enginetest.Touches(p) || len(kept.Status().JobStatus.SavepointInfo.SavepointHistory) != 1 {
		t.Errorf(
			"without clean-up files stay and entries go: %s, %+v", p, kept.Status().JobStatus.SavepointInfo.SavepointHistory,
		)
	}
	resources := withHistory(
		t, strings.Replace(few, `"kubernetes.operator.snapshot.resource.enabled":"false",`, "", 1), "s1", "s2",
	)
	tellsNoFailure(resources)
	if p := resources.Round(); !strings.Contains(p.String(), "dispose of savepoint s1") {
		t.Errorf("the history that another mode left behind is shortened, too, got %s", p)
	}
}

func TestANonceIsNotLostWhileAChangeWaits(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	w.Snapshot.Snapshots = plan.Present([]v1beta1.FlinkStateSnapshot{})
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	w.StopWith(world.StopProgress{State: world.StopFailed, Cause: "no slot"})
	w.Run()
	if w.Status().Retry == nil {
		t.Fatal("the stop is tried again later")
	}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20"; enginetest.Nonces(7)(s) })
	w.Edit(enginetest.UpgradeImage)
	w.Snapshot.Resource.Status.Retry.Generation = w.Snapshot.Resource.Generation
	p := w.Run()
	if made := created(p); len(made) != 2 {
		t.Errorf("a nonce that counts as handled has its snapshot, got %s", p)
	}
	wantHandled(w, 7)
}
