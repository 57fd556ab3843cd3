package loss_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// forgets lets a job end a minute ago, with statistics that name no checkpoint: those of the adaptive scheduler of a
// job that failed, or was cancelled, while it waited for resources.
func forgets(w *enginetest.Deployment, end v1beta1.FlinkJobState) {
	w.ServeJob(end)
	jobs, _ := w.Snapshot.Flink.Jobs.Get()
	jobs[0].EndTime = w.Snapshot.Now.Add(-time.Minute)
	w.Run()
}

// Statistics without a checkpoint are no proof that there was none: what the job is known to have completed is lost,
// and neither nothing nor what it was given takes its place.
func TestForgottenCheckpointsNeedAPerson(t *testing.T) {
	lastState := enginetest.With(enginetest.Stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`)
	rows := map[string]struct {
		spec    string
		cancels bool
	}{
		"savepoint":                   {enginetest.Stateful, false},
		"savepoint, given a state":    {enginetest.Given(enginetest.Stateful), false},
		"savepoint, highly available": {enginetest.Given(enginetest.SavesHighlyAvailable), false},
		"last-state":                  {lastState, false},
		"last-state, given a state":   {enginetest.Given(lastState), false},
		"cancelled for a change":      {lastState, true},
		"cancelled, given a state":    {enginetest.Given(lastState), true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			if !deployment.Open(w.Snapshot).Flink().Checkpoints {
				t.Fatal("nobody asks whether the job has completed one")
			}
			w.Statistics("file:///c/1/chk-7")
			w.Run()
			w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{})
			if row.cancels {
				w.ServeJob(v1beta1.FlinkJobCreated)
				w.Edit(enginetest.UpgradeImage)
				w.Run()
				forgets(w, v1beta1.FlinkJobCanceled)
			} else {
				forgets(w, v1beta1.FlinkJobFailed)
				w.PersonDecides(true)
				w.Edit(enginetest.UpgradeImage)
				w.Run()
			}
			w.PersonDecides(true)
			i, told := w.Status().Intent, w.Told("CheckpointForgotten")
			if told != 1 || (i != nil && i.From != nil) || w.Snapshot.JobManager.IsAbsent() {
				t.Errorf("told %d times, intent %+v, rounds %q", told, i, w.Log)
			}
			for _, e := range w.Events {
				if e.Reason == "CheckpointForgotten" && !strings.Contains(e.Message, "one that was seen: file:///c/1/chk-7") {
					t.Errorf("it does not say where to look: %q", e.Message)
				}
			}
		})
	}
}

// waits lets Flink tell of the job without an execution graph, as the adaptive scheduler does while a job waits for
// resources and when it has ended meanwhile. Nobody had seen a checkpoint of it.
func waits(w *enginetest.Deployment, state v1beta1.FlinkJobState, r plan.Observed[upgrade.Retention]) {
	w.ServeJob(state)
	w.Snapshot.Flink.NoGraph, w.Snapshot.Flink.Retention = true, r
	w.Run()
	w.Snapshot.Now = w.Snapshot.Now.Add(time.Minute)
	w.Run()
}

// A job that ended while it waited for resources looks like one that never ran. Nobody may take it for one, unless it
// makes no checkpoints.
func TestAnEndWithoutResourcesNeedsAPerson(t *testing.T) {
	makes := plan.Present(upgrade.Retention{Cancelled: true, Failed: true, Periodic: true})
	none, batch := plan.Present(upgrade.Retention{Failed: true}), plan.Absent[upgrade.Retention]()
	stateless := enginetest.With(enginetest.Stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"stateless"`)
	failed, canceled, finished := v1beta1.FlinkJobFailed, v1beta1.FlinkJobCanceled, v1beta1.FlinkJobFinished
	rows := map[string]struct {
		spec      string
		end       v1beta1.FlinkJobState
		retention plan.Observed[upgrade.Retention]
		lost      bool
		reason    string
	}{
		"failed":    {enginetest.Stateful, failed, makes, true, "it may have run before"},
		"cancelled": {enginetest.Stateful, canceled, makes, true, "the same"},
		"given a state": {
			enginetest.Given(enginetest.Stateful),
			failed,
			makes,
			true,
			"it may have gone on from that",
		},
		"highly available":           {enginetest.SavesHighlyAvailable, failed, makes, true, "the data goes with the job"},
		"makes none by itself":       {enginetest.Stateful, failed, none, false, "there is nothing to lose"},
		"batch":                      {enginetest.Stateful, failed, batch, false, "there is nothing to lose"},
		"stateless":                  {stateless, failed, makes, false, "its user gives the state up"},
		"it finished, for all of it": {enginetest.Stateful, finished, makes, false, "nobody needs its checkpoints"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{})
			waits(w, row.end, row.retention)
			if lost := w.Status().JobStatus.UpgradeSavepointPath == v1beta1.LastStatePlaceholder; lost != row.lost {
				t.Errorf("lost: %v, want %v: %s; rounds %q", lost, row.lost, row.reason, w.Log)
			}
			if row.lost {
				w.PersonDecides(true)
				if told := w.Told("CheckpointForgotten"); told != 1 {
					t.Errorf("told %d times", told)
				}
				w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
					s.Job.UpgradeMode, s.RestartNonce = v1beta1.UpgradeModeStateless, new(int64)
				})
				w.Run()
				if i := w.Status().Intent; i == nil || i.From == nil || i.From.Kind != v1beta1.StartEmpty {
					t.Errorf("the way out does not lead out: intent %+v", i)
				}
			}
		})
	}
}

// The end of such a job has no time, and an answer of a cache may be of a time before it.
func TestAnEndWithoutATimeIsNotReadAtOnce(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	w.ServeJob(v1beta1.FlinkJobCanceled)
	w.Snapshot.Flink.NoGraph = true
	w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/1/chk-7", Completed: w.Snapshot.Now})
	if w.Run(); w.Status().JobStatus.UpgradeSavepointPath != "" || !w.Status().JobStatus.LastStateUnread {
		t.Errorf("recorded %q, unread %t", w.Status().JobStatus.UpgradeSavepointPath, w.Status().JobStatus.LastStateUnread)
	}
}

// A job that waits for resources is not cancelled for a change: nobody would tell its checkpoints afterwards.
func TestAJobWithoutResourcesIsNotCancelled(t *testing.T) {
	lastState := enginetest.With(enginetest.Stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`)
	for name, spec := range map[string]string{"savepoint": enginetest.Stateful, "last-state": lastState} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, spec)
			w.ServeJob(v1beta1.FlinkJobCreated)
			w.Snapshot.Flink.NoGraph = true
			w.Edit(enginetest.UpgradeImage)
			if !deployment.Open(w.Snapshot).Flink().Graph {
				t.Fatal("nobody asks whether it waits for resources")
			}
			w.Run()
			if c := w.Condition(summary.Reconciling); w.Status().Intent != nil || c.Reason != "CheckpointsUnknown" {
				t.Errorf("intent %+v, condition %+v", w.Status().Intent, c)
			}
			w.ServeJob(v1beta1.FlinkJobRunning)
			if w.Run(); w.Status().Intent == nil {
				t.Errorf("the change is not made when it runs; rounds %q", w.Log)
			}
		})
	}
}

// A restored savepoint is what the job was given, however Flink spells its path.
func TestAGivenStateIsNoOwnCheckpoint(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Given(enginetest.Stateful))
	w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:/given", Kind: world.KindRestoredSavepoint})
	w.Run()
	forgets(w, v1beta1.FlinkJobFailed)
	if s := w.Status().JobStatus; s.Checkpoint != nil || s.UpgradeSavepointPath != "file:///given" {
		t.Errorf("known %+v, recorded %q", s.Checkpoint, s.UpgradeSavepointPath)
	}
}

// A job that restarted from a checkpoint of its own and then finished has deleted that, too.
func TestAFinishedJobsCheckpointIsNotUsed(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Given(enginetest.Stateful))
	own := "file:///c/" + w.Status().JobStatus.JobID + "/chk-5"
	w.Ends(v1beta1.FlinkJobFinished, enginetest.Retentions["RETAIN_ON_CANCELLATION"],
		world.Checkpoints{Path: own, Kind: world.KindRestored, Discarded: true})
	w.EndedWith("file:///given")
}

// What a job that has FINISHED is started from again, it has done before: that is told, and lasts. A stop with
// savepoint ends as FINISHED, too, and repeats nothing.
func TestARepeatedJobIsTold(t *testing.T) {
	own := func(w *enginetest.Deployment) string { return "file:///c/" + w.Status().JobStatus.JobID + "/chk-5" }
	rows := map[string]struct {
		spec    string
		ends    func(w *enginetest.Deployment)
		from    string
		repeats bool
		reason  string
	}{
		"its checkpoint went with it": {enginetest.Given(enginetest.Stateful), func(w *enginetest.Deployment) {
			w.Ends(v1beta1.FlinkJobFinished, enginetest.Retentions["RETAIN_ON_CANCELLATION"],
				world.Checkpoints{Path: own(w), Kind: world.KindCheckpoint, Discarded: true})
		}, "file:///given", true, "it goes on from what it was given"},
		"that before it is the given one": {enginetest.Given(enginetest.Stateful), func(w *enginetest.Deployment) {
			w.Ends(v1beta1.FlinkJobFinished, enginetest.Retentions["RETAIN_ON_CANCELLATION"],
				world.Checkpoints{Path: "file:/given", Kind: world.KindRestoredSavepoint, Discarded: true})
		}, "file:/given", true, "Flink spells it otherwise"},
		"it was given nothing": {enginetest.Stateful, func(w *enginetest.Deployment) {
			w.Ends(v1beta1.FlinkJobFinished, enginetest.Retentions["RETAIN_ON_CANCELLATION"],
				world.Checkpoints{Path: own(w), Kind: world.KindCheckpoint, Discarded: true})
		}, "", true, "it begins empty"},
		"it took a savepoint": {enginetest.Given(enginetest.Stateful), func(w *enginetest.Deployment) {
			w.Ends(v1beta1.FlinkJobFinished, enginetest.Retentions["RETAIN_ON_CANCELLATION"],
				world.Checkpoints{Path: "file:///s/1", Kind: world.KindSavepoint})
		}, "file:///s/1", false, "it goes on from there"},
		"a stop": {enginetest.Given(enginetest.Stateful), func(w *enginetest.Deployment) {
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			w.StopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/2"})
		}, "file:///s/2", false, "the savepoint has all"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			row.ends(w)
			w.Run()
			w.Events = nil
			w.Edit(enginetest.UpgradeImage)
			for range 4 {
				if w.Run(); !w.Snapshot.JobManager.IsAbsent() && w.Status().Intent != nil {
					w.Terminate()
				}
			}
			from := w.Status().JobStatus.StartedFrom
			if from == nil || from.Path != row.from || from.RepeatsWork != row.repeats {
				t.Fatalf("started from %+v, want %q, repeats %t: %s; rounds %q", from, row.from, row.repeats, row.reason, w.Log)
			}
			const repeated = "had FINISHED, and what it had done since its start is done again"
			if told := fmt.Sprint(w.Events); strings.Contains(told, repeated) != row.repeats {
				t.Errorf("told %s: %s", told, row.reason)
			}
		})
	}
}

// An ID that the user fixed is that of each job after another.
func TestAJobUnderAFixedIDInheritsNoKnowledge(t *testing.T) {
	w := enginetest.Stable(t, enginetest.With(enginetest.HighlyAvailable, `"state.savepoints.dir"`,
		`"$internal.pipeline.job-id":"ffffffffffffffffffffffffffffffff","state.savepoints.dir"`))
	w.Statistics("file:///c/1/chk-7")
	w.Run()
	w.Snapshot.Resource.Status.GivenUpStop = &v1beta1.GivenUpStop{JobID: w.Status().JobStatus.JobID, TriggerID: "t"}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.UpgradeMode = v1beta1.UpgradeModeStateless
		enginetest.UpgradeImage(s)
	})
	w.Run()
	w.Terminate()
	w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{})
	w.Run()
	if s := w.Status(); s.JobStatus.Checkpoint != nil || s.GivenUpStop == nil {
		t.Errorf("known %+v; a stop that comes late reaches the job: %+v", s.JobStatus.Checkpoint, s.GivenUpStop)
	}
}

// Nor is it chosen for a job that began empty, ran, and ended without a state of its own.
func TestAStateGivenUpDoesNotComeBack(t *testing.T) {
	old := &v1beta1.SavepointInfo{
		LastSavepoint: &v1beta1.Savepoint{TimeStamp: enginetest.Start.UnixMilli(), Location: "file:///s/old"},
	}
	rows := map[string]struct {
		own  string
		want v1beta1.StartPoint
	}{
		"no savepoint since": {"file:///s/old", v1beta1.StartPoint{Kind: v1beta1.StartEmpty}},
		"a savepoint of its own": {
			"file:///s/own", v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: "file:///s/own"},
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.Stateful)
			w.Snapshot.Resource.Status.JobStatus.SavepointInfo = old.DeepCopy()
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
				s.Job.UpgradeMode = v1beta1.UpgradeModeStateless
				enginetest.UpgradeImage(s)
			})
			w.Run()
			w.Terminate()
			w.Run()
			w.ServeJob(v1beta1.FlinkJobRunning)
			w.Run()
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.UpgradeMode = v1beta1.UpgradeModeSavepoint })
			w.Run()
			w.Snapshot.Resource.Status.JobStatus.SavepointInfo.LastSavepoint.Location = row.own
			forgets(w, v1beta1.FlinkJobFailed)
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "good" })
			w.Run()
			w.Terminate()
			w.Run()
			if i := w.Status().Intent; i == nil || i.From == nil || i.From.Kind != row.want.Kind ||
				i.From.Path != row.want.Path {
				t.Errorf("intent %+v, from %+v, rounds %q", i, w.Status().JobStatus.StartedFrom, w.Log)
			}
		})
	}
}

// A start that was to be empty and never ran is not made again from a savepoint of the job before it.
func TestAStateThatWasGivenUpDoesNotComeBack(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	w.Snapshot.Resource.Status.JobStatus.SavepointInfo = &v1beta1.SavepointInfo{
		LastSavepoint: &v1beta1.Savepoint{TimeStamp: enginetest.Start.UnixMilli(), Location: "file:///s/old"},
	}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.UpgradeMode = v1beta1.UpgradeModeStateless
		enginetest.UpgradeImage(s)
	})
	w.Run()
	w.Terminate()
	w.Run()
	pod := enginetest.WaitingPod("ImagePullBackOff", "no such image", false)
	pod.CreationTimestamp = metav1.NewTime(w.Snapshot.Now)
	w.Snapshot.Pods = plan.Present([]corev1.Pod{pod})
	w.Run()
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.UpgradeMode, s.Image = v1beta1.UpgradeModeSavepoint, "good"
	})
	w.Run()
	w.Terminate()
	w.Run()
	if i := w.Status().Intent; i == nil || i.From == nil || i.From.Kind != v1beta1.StartEmpty {
		t.Errorf("intent %+v, rounds %q", i, w.Log)
	}
}
