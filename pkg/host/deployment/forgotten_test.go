package deployment

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// forgets lets a job end a minute ago, with statistics that name no checkpoint: those of the adaptive scheduler of a
// job that failed, or was cancelled, while it waited for resources.
func (w *fixture) forgets(end v1beta1.FlinkJobState) {
	w.serveJob(end)
	jobs, _ := w.s.Flink.Jobs.Get()
	jobs[0].EndTime = w.s.Now.Add(-time.Minute)
	w.run()
}

// Statistics without a checkpoint are no proof that there was none: what the job is known to have completed is lost,
// and neither nothing nor what it was given takes its place.
func TestForgottenCheckpointsNeedAPerson(t *testing.T) {
	lastState := with(stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`)
	rows := map[string]struct {
		spec    string
		cancels bool
	}{
		"savepoint":                   {stateful, false},
		"savepoint, given a state":    {given(stateful), false},
		"savepoint, highly available": {given(savesHighlyAvailable), false},
		"last-state":                  {lastState, false},
		"last-state, given a state":   {given(lastState), false},
		"cancelled for a change":      {lastState, true},
		"cancelled, given a state":    {given(lastState), true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			if !Open(w.s).Flink().Checkpoints {
				t.Fatal("nobody asks whether the job has completed one")
			}
			w.statistics("file:///c/1/chk-7")
			w.run()
			w.s.HAData = plan.Present([]hadata.ConfigMap{})
			if row.cancels {
				w.serveJob(v1beta1.FlinkJobCreated)
				w.edit(upgradeImage)
				w.run()
				w.forgets(v1beta1.FlinkJobCanceled)
			} else {
				w.forgets(v1beta1.FlinkJobFailed)
				w.personDecides(true)
				w.edit(upgradeImage)
				w.run()
			}
			w.personDecides(true)
			i, told := w.status().Intent, w.told("CheckpointForgotten")
			if told != 1 || (i != nil && i.From != nil) || w.s.JobManager.IsAbsent() {
				t.Errorf("told %d times, intent %+v, rounds %q", told, i, w.log)
			}
			for _, e := range w.events {
				if e.Reason == "CheckpointForgotten" && !strings.Contains(e.Message, "one that was seen: file:///c/1/chk-7") {
					t.Errorf("it does not say where to look: %q", e.Message)
				}
			}
		})
	}
}

// waits lets Flink tell of the job without an execution graph, as the adaptive scheduler does while a job waits for
// resources and when it has ended meanwhile. Nobody had seen a checkpoint of it.
func (w *fixture) waits(state v1beta1.FlinkJobState, r plan.Observed[upgrade.Retention]) {
	w.serveJob(state)
	w.s.Flink.NoGraph, w.s.Flink.Retention = true, r
	w.run()
	w.s.Now = w.s.Now.Add(time.Minute)
	w.run()
}

// A job that ended while it waited for resources looks like one that never ran. Nobody may take it for one, unless it
// makes no checkpoints.
func TestAnEndWithoutResourcesNeedsAPerson(t *testing.T) {
	makes := plan.Present(upgrade.Retention{Cancelled: true, Failed: true, Periodic: true})
	none, batch := plan.Present(upgrade.Retention{Failed: true}), plan.Absent[upgrade.Retention]()
	stateless := with(stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"stateless"`)
	failed, canceled, finished := v1beta1.FlinkJobFailed, v1beta1.FlinkJobCanceled, v1beta1.FlinkJobFinished
	rows := map[string]struct {
		spec      string
		end       v1beta1.FlinkJobState
		retention plan.Observed[upgrade.Retention]
		lost      bool
		reason    string
	}{
		"failed":                     {stateful, failed, makes, true, "it may have run before"},
		"cancelled":                  {stateful, canceled, makes, true, "the same"},
		"given a state":              {given(stateful), failed, makes, true, "it may have gone on from that"},
		"highly available":           {savesHighlyAvailable, failed, makes, true, "the data goes with the job"},
		"makes none by itself":       {stateful, failed, none, false, "there is nothing to lose"},
		"batch":                      {stateful, failed, batch, false, "there is nothing to lose"},
		"stateless":                  {stateless, failed, makes, false, "its user gives the state up"},
		"it finished, for all of it": {stateful, finished, makes, false, "nobody needs its checkpoints"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			w.s.HAData = plan.Present([]hadata.ConfigMap{})
			w.waits(row.end, row.retention)
			if lost := w.status().JobStatus.UpgradeSavepointPath == v1beta1.LastStatePlaceholder; lost != row.lost {
				t.Errorf("lost: %v, want %v: %s; rounds %q", lost, row.lost, row.reason, w.log)
			}
			if row.lost {
				w.personDecides(true)
				if told := w.told("CheckpointForgotten"); told != 1 {
					t.Errorf("told %d times", told)
				}
				w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
					s.Job.UpgradeMode, s.RestartNonce = v1beta1.UpgradeModeStateless, new(int64)
				})
				w.run()
				if i := w.status().Intent; i == nil || i.From == nil || i.From.Kind != v1beta1.StartEmpty {
					t.Errorf("the way out does not lead out: intent %+v", i)
				}
			}
		})
	}
}

// The end of such a job has no time, and an answer of a cache may be of a time before it.
func TestAnEndWithoutATimeIsNotReadAtOnce(t *testing.T) {
	w := stable(t, stateful)
	w.serveJob(v1beta1.FlinkJobCanceled)
	w.s.Flink.NoGraph = true
	w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/1/chk-7", Completed: w.s.Now})
	if w.run(); w.status().JobStatus.UpgradeSavepointPath != "" || !w.status().JobStatus.LastStateUnread {
		t.Errorf("recorded %q, unread %t", w.status().JobStatus.UpgradeSavepointPath, w.status().JobStatus.LastStateUnread)
	}
}

// A job that waits for resources is not cancelled for a change: nobody would tell its checkpoints afterwards.
func TestAJobWithoutResourcesIsNotCancelled(t *testing.T) {
	lastState := with(stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`)
	for name, spec := range map[string]string{"savepoint": stateful, "last-state": lastState} {
		t.Run(name, func(t *testing.T) {
			w := stable(t, spec)
			w.serveJob(v1beta1.FlinkJobCreated)
			w.s.Flink.NoGraph = true
			w.edit(upgradeImage)
			if !Open(w.s).Flink().Graph {
				t.Fatal("nobody asks whether it waits for resources")
			}
			w.run()
			if c := w.condition(summary.Reconciling); w.status().Intent != nil || c.Reason != "CheckpointsUnknown" {
				t.Errorf("intent %+v, condition %+v", w.status().Intent, c)
			}
			w.serveJob(v1beta1.FlinkJobRunning)
			if w.run(); w.status().Intent == nil {
				t.Errorf("the change is not made when it runs; rounds %q", w.log)
			}
		})
	}
}

// A restored savepoint is what the job was given, however Flink spells its path.
func TestAGivenStateIsNoOwnCheckpoint(t *testing.T) {
	w := stable(t, given(stateful))
	w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:/given", Kind: world.KindRestoredSavepoint})
	w.run()
	w.forgets(v1beta1.FlinkJobFailed)
	if s := w.status().JobStatus; s.Checkpoint != nil || s.UpgradeSavepointPath != "file:///given" {
		t.Errorf("known %+v, recorded %q", s.Checkpoint, s.UpgradeSavepointPath)
	}
}

// A job that restarted from a checkpoint of its own and then finished has deleted that, too.
func TestAFinishedJobsCheckpointIsNotUsed(t *testing.T) {
	w := stable(t, given(stateful))
	own := "file:///c/" + w.status().JobStatus.JobID + "/chk-5"
	w.ends(v1beta1.FlinkJobFinished, retentions["RETAIN_ON_CANCELLATION"],
		world.Checkpoints{Path: own, Kind: world.KindRestored, Discarded: true})
	w.endedWith("file:///given")
}

// What a job that has FINISHED is started from again, it has done before: that is told, and lasts. A stop with
// savepoint ends as FINISHED, too, and repeats nothing.
func TestARepeatedJobIsTold(t *testing.T) {
	own := func(w *fixture) string { return "file:///c/" + w.status().JobStatus.JobID + "/chk-5" }
	rows := map[string]struct {
		spec    string
		ends    func(w *fixture)
		from    string
		repeats bool
		reason  string
	}{
		"its checkpoint went with it": {given(stateful), func(w *fixture) {
			w.ends(v1beta1.FlinkJobFinished, retentions["RETAIN_ON_CANCELLATION"],
				world.Checkpoints{Path: own(w), Kind: world.KindCheckpoint, Discarded: true})
		}, "file:///given", true, "it goes on from what it was given"},
		"that before it is the given one": {given(stateful), func(w *fixture) {
			w.ends(v1beta1.FlinkJobFinished, retentions["RETAIN_ON_CANCELLATION"],
				world.Checkpoints{Path: "file:/given", Kind: world.KindRestoredSavepoint, Discarded: true})
		}, "file:/given", true, "Flink spells it otherwise"},
		"it was given nothing": {stateful, func(w *fixture) {
			w.ends(v1beta1.FlinkJobFinished, retentions["RETAIN_ON_CANCELLATION"],
				world.Checkpoints{Path: own(w), Kind: world.KindCheckpoint, Discarded: true})
		}, "", true, "it begins empty"},
		"it took a savepoint": {given(stateful), func(w *fixture) {
			w.ends(v1beta1.FlinkJobFinished, retentions["RETAIN_ON_CANCELLATION"],
				world.Checkpoints{Path: "file:///s/1", Kind: world.KindSavepoint})
		}, "file:///s/1", false, "it goes on from there"},
		"a stop": {given(stateful), func(w *fixture) {
			w.edit(upgradeImage)
			w.run()
			w.stopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/2"})
		}, "file:///s/2", false, "the savepoint has all"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			row.ends(w)
			w.run()
			w.events = nil
			w.edit(upgradeImage)
			for range 4 {
				if w.run(); !w.s.JobManager.IsAbsent() && w.status().Intent != nil {
					w.terminate()
				}
			}
			from := w.status().JobStatus.StartedFrom
			if from == nil || from.Path != row.from || from.RepeatsWork != row.repeats {
				t.Fatalf("started from %+v, want %q, repeats %t: %s; rounds %q", from, row.from, row.repeats, row.reason, w.log)
			}
			const repeated = "had FINISHED, and what it had done since its start is done again"
			if told := fmt.Sprint(w.events); strings.Contains(told, repeated) != row.repeats {
				t.Errorf("told %s: %s", told, row.reason)
			}
		})
	}
}

// An ID that the user fixed is that of each job after another.
func TestAJobUnderAFixedIDInheritsNoKnowledge(t *testing.T) {
	w := stable(t, with(highlyAvailable, `"state.savepoints.dir"`,
		`"$internal.pipeline.job-id":"ffffffffffffffffffffffffffffffff","state.savepoints.dir"`))
	w.statistics("file:///c/1/chk-7")
	w.run()
	w.s.Resource.Status.GivenUpStop = &v1beta1.GivenUpStop{JobID: w.status().JobStatus.JobID, TriggerID: "t"}
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.UpgradeMode = v1beta1.UpgradeModeStateless
		upgradeImage(s)
	})
	w.run()
	w.terminate()
	w.s.HAData = plan.Present([]hadata.ConfigMap{})
	w.run()
	if s := w.status(); s.JobStatus.Checkpoint != nil || s.GivenUpStop == nil {
		t.Errorf("known %+v; a stop that comes late reaches the job: %+v", s.JobStatus.Checkpoint, s.GivenUpStop)
	}
}

// Nor is it chosen for a job that began empty, ran, and ended without a state of its own.
func TestAStateGivenUpDoesNotComeBack(t *testing.T) {
	old := &v1beta1.SavepointInfo{
		LastSavepoint: &v1beta1.Savepoint{TimeStamp: start.UnixMilli(), Location: "file:///s/old"},
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
			w := stable(t, stateful)
			w.s.Resource.Status.JobStatus.SavepointInfo = old.DeepCopy()
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
				s.Job.UpgradeMode = v1beta1.UpgradeModeStateless
				upgradeImage(s)
			})
			w.run()
			w.terminate()
			w.run()
			w.serveJob(v1beta1.FlinkJobRunning)
			w.run()
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.UpgradeMode = v1beta1.UpgradeModeSavepoint })
			w.run()
			w.s.Resource.Status.JobStatus.SavepointInfo.LastSavepoint.Location = row.own
			w.forgets(v1beta1.FlinkJobFailed)
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "good" })
			w.run()
			w.terminate()
			w.run()
			if i := w.status().Intent; i == nil || i.From == nil || i.From.Kind != row.want.Kind ||
				i.From.Path != row.want.Path {
				t.Errorf("intent %+v, from %+v, rounds %q", i, w.status().JobStatus.StartedFrom, w.log)
			}
		})
	}
}

// A start that was to be empty and never ran is not made again from a savepoint of the job before it.
func TestAStateThatWasGivenUpDoesNotComeBack(t *testing.T) {
	w := stable(t, stateful)
	w.s.Resource.Status.JobStatus.SavepointInfo = &v1beta1.SavepointInfo{
		LastSavepoint: &v1beta1.Savepoint{TimeStamp: start.UnixMilli(), Location: "file:///s/old"},
	}
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.UpgradeMode = v1beta1.UpgradeModeStateless
		upgradeImage(s)
	})
	w.run()
	w.terminate()
	w.run()
	pod := waitingPod("ImagePullBackOff", "no such image", false)
	pod.CreationTimestamp = metav1.NewTime(w.s.Now)
	w.s.Pods = plan.Present([]corev1.Pod{pod})
	w.run()
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.UpgradeMode, s.Image = v1beta1.UpgradeModeSavepoint, "good"
	})
	w.run()
	w.terminate()
	w.run()
	if i := w.status().Intent; i == nil || i.From == nil || i.From.Kind != v1beta1.StartEmpty {
		t.Errorf("intent %+v, rounds %q", i, w.log)
	}
}
