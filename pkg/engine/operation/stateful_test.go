package operation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

func TestASavepointUpgradeCarriesTheState(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	oldJob := w.Status().JobStatus.JobID
	w.Edit(enginetest.UpgradeImage)
	p := w.Run()
	if !strings.Contains(p.String(), "stop job "+oldJob+" with savepoint") ||
		w.Status().Intent.Stop != v1beta1.StopSavepoint {
		t.Fatalf("got %s, intent %+v", p, w.Status().Intent)
	}
	w.StopWith(world.StopProgress{State: world.StopInProgress})
	if p := w.Run(); enginetest.Touches(p) {
		t.Errorf("a savepoint in progress is waited for, got %s", p)
	}
	w.StopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
	p = w.Run()
	if w.Status().JobStatus.UpgradeSavepointPath != "file:///s/1" ||
		w.Status().JobStatus.State != v1beta1.FlinkJobFinished || !w.Status().Intent.Ended {
		t.Fatalf("the end must be recorded before anything is deleted: %+v", w.Status().JobStatus)
	}
	if !strings.HasPrefix(p.String(), "Stopping: wake the clock, record end, ") ||
		!strings.Contains(p.String(), "retire demo") {
		t.Errorf("got %s", p)
	}
	w.Terminate()
	w.Run()
	intent := w.Status().Intent
	if intent == nil || intent.From.Kind != v1beta1.StartSavepoint || intent.From.Path != "file:///s/1" ||
		intent.JobID == oldJob {
		t.Fatalf("the new job must start from the savepoint under a new ID: %+v", intent)
	}
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if mode := w.LastMode(); mode != v1beta1.UpgradeModeSavepoint {
		t.Errorf("recorded upgrade mode %s", mode)
	}
}

func TestAFailedSavepointIsTriedAgain(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	w.StopWith(world.StopProgress{State: world.StopFailed, Cause: "disk full"})
	w.Run()
	if w.Status().Intent != nil || w.Status().Retry == nil || w.Status().Retry.Attempts != 1 ||
		!strings.Contains(w.Status().Error, "disk full") {
		t.Fatalf("intent %+v, retry %+v, error %s", w.Status().Intent, w.Status().Retry, w.Status().Error)
	}
	w.Snapshot.Flink.Stop = plan.Observed[world.StopProgress]{}
	if p := w.Run(); enginetest.Touches(p) || p.Status != nil {
		t.Errorf("before the time of the next attempt nothing happens, got %s, %+v", p, p.Status)
	}
	w.Snapshot.Now = w.Snapshot.Now.Add(11e9)
	if p := w.Run(); !strings.Contains(p.String(), "with savepoint") {
		t.Errorf("the next attempt must be made, got %s", p)
	}
	if w.Told("SavepointError") != 1 {
		t.Errorf("SavepointError was told %d times", w.Told("SavepointError"))
	}
	w.StopWith(world.StopProgress{State: world.StopFailed, Cause: "disk full"})
	w.Run()
	if r := w.Status().Retry; r == nil || r.Attempts != 2 || r.After.Sub(w.Snapshot.Now) != 20*time.Second {
		t.Errorf("retry %+v after the second attempt at %s, want it counted, and twice the pause", r, w.Snapshot.Now)
	}
	w.Snapshot.Flink.Stop = plan.Observed[world.StopProgress]{}
	w.Snapshot.Now = w.Snapshot.Now.Add(20e9)
	w.Run()
	w.StopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
	w.Run()
	w.Terminate()
	w.Run()
	if r := w.Status().Retry; r != nil || !w.Released {
		t.Errorf("retry %+v after the stop came about, released %t, rounds %q", r, w.Released, w.Log)
	}
}

func TestASavepointStopThatFlinkForgot(t *testing.T) {
	rows := map[string]struct {
		state       v1beta1.FlinkJobState
		checkpoints plan.Observed[world.Checkpoints]
		start       string
		want        string
		situation   plan.Situation
		reason      string
	}{
		"it never came": {
			v1beta1.FlinkJobRunning, plan.Observed[world.Checkpoints]{}, "1700000000000", "with savepoint", plan.Stopping,
			"the job runs on: ask again, with the same ID",
		},
		"the job has finished": {
			v1beta1.FlinkJobFinished, plan.Present(world.Checkpoints{Path: "file:///s/9"}), "1700000000000", "record end",
			plan.Stopping, "its statistics name the savepoint",
		},
		"it has finished and nobody could ask": {
			v1beta1.FlinkJobFinished, plan.Unknown[world.Checkpoints]("refused"), "1700000000000", "", plan.Unobservable,
			"nothing is deleted before the path is known",
		},
		"the job began again": {
			v1beta1.FlinkJobRunning, plan.Observed[world.Checkpoints]{}, "1800000000000", "", plan.StateLost,
			"without high availability it runs from its old state",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.Stateful)
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			w.StopWith(world.StopProgress{State: world.StopNotKnown})
			jobs, _ := w.Snapshot.Flink.Jobs.Get()
			jobs[0].State, jobs[0].StartTime = row.state, row.start
			w.Snapshot.Flink.Checkpoints = row.checkpoints
			p := w.Run()
			if row.want != "" && !strings.Contains(p.String(), row.want) || (row.want == "" && enginetest.Touches(p)) {
				t.Errorf("got %s: %s", p, row.reason)
			}
			if w.Status().Situation != string(row.situation) {
				t.Errorf("situation %s, want %s: %s", w.Status().Situation, row.situation, row.reason)
			}
		})
	}
}

func TestAJobManagerLostInAStopNeedsAPerson(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	w.Lose()
	w.Run()
	if w.Snapshot.JobManager.IsPresent() || w.Status().Situation != string(plan.StateLost) ||
		!strings.Contains(w.Condition(summary.StateSafe).Message, "savepointRedeployNonce") {
		t.Errorf("situation %s, conditions %+v", w.Status().Situation, w.Status().Conditions)
	}
	if where := "file:///s/savepoint-" + w.Status().JobStatus.JobID[:6] + "-*"; !strings.Contains(
		w.Condition(summary.StateSafe).Message, where,
	) {
		t.Errorf(
			"nobody is told where Flink would have left the savepoint, %s: %q", where, w.Condition(summary.StateSafe).Message,
		)
	}
}

func TestALastStateUpgradeKeepsIDAndData(t *testing.T) {
	w := enginetest.Stable(t, enginetest.HighlyAvailable)
	job := w.Status().JobStatus.JobID
	w.Snapshot.HAData = enginetest.HaMaps(job)
	w.Edit(enginetest.UpgradeImage)
	p := w.Run()
	if w.Status().Intent.Stop != v1beta1.StopLastState || strings.Contains(p.String(), "cancel") {
		t.Fatalf("got %s, intent %+v", p, w.Status().Intent)
	}
	w.Terminate()
	w.Run()
	intent := w.Status().Intent
	if intent == nil || intent.From.Kind != v1beta1.StartLastState || intent.JobID != job {
		t.Fatalf("intent %+v, want a last-state start of job %s; rounds %q", intent, job, w.Log)
	}
	if data, _ := w.Snapshot.HAData.Get(); len(data) != 2 {
		t.Errorf("high-availability data was deleted: %+v", data)
	}
	if w.Status().JobStatus.UpgradeSavepointPath != v1beta1.LastStatePlaceholder ||
		w.LastMode() != v1beta1.UpgradeModeLastState {
		t.Errorf("path %s, mode %s", w.Status().JobStatus.UpgradeSavepointPath, w.LastMode())
	}
}

func TestALastStateStartNeedsItsData(t *testing.T) {
	rows := map[string]struct {
		data      plan.Observed[[]hadata.ConfigMap]
		situation plan.Situation
		reason    string
	}{
		"gone":    {plan.Present([]hadata.ConfigMap{}), plan.StateLost, "the job would start empty"},
		"unknown": {plan.Unknown[[]hadata.ConfigMap]("time-out"), plan.Unobservable, "nothing is done on a guess"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.HighlyAvailable)
			w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			w.Terminate()
			w.Snapshot.HAData = row.data
			w.Run()
			if w.Released = false; w.Snapshot.JobManager.IsPresent() || w.Status().Situation != string(row.situation) {
				t.Errorf("situation %s: %s; rounds %q", w.Status().Situation, row.reason, w.Log)
			}
		})
	}
}

func TestALostJobComesBackFromHAData(t *testing.T) {
	w := enginetest.Stable(t, enginetest.HighlyAvailable)
	job := w.Status().JobStatus.JobID
	w.Lose()
	w.Snapshot.HAData = enginetest.HaMaps(job)
	w.Run()
	if intent := w.Status().Intent; intent == nil || intent.From.Kind != v1beta1.StartLastState || intent.JobID != job ||
		intent.Purpose != v1beta1.PurposeRecover {
		t.Errorf("intent %+v, rounds %q", w.Status().Intent, w.Log)
	}
}

func TestAnotherFlinkVersionNeedsASavepoint(t *testing.T) {
	w := enginetest.Stable(t, enginetest.HighlyAvailable)
	w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkVersion, s.Image = v1beta1.FlinkV2_2, "flink:2.2" })
	w.Run()
	if w.Status().Intent == nil || w.Status().Intent.Stop != v1beta1.StopSavepoint {
		t.Errorf("intent %+v", w.Status().Intent)
	}
}

// A suspended job has no pods, with high availability and without: a replaced pod of a job without would run it again.
func TestSuspendWithASavepointAndResume(t *testing.T) {
	for name, spec := range map[string]string{"without": enginetest.Stateful,
		"with high availability": enginetest.SavesHighlyAvailable} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, spec)
			w.Edit(enginetest.Suspends)
			w.Run()
			w.StopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
			w.Round()
			w.Want(plan.Suspended, v1beta1.LifecycleSuspended, v1beta1.JobManagerMissing, v1beta1.FlinkJobFinished)
			if jm, _ := w.Snapshot.JobManager.Get(); jm.Spec.Replicas == nil || *jm.Spec.Replicas != 0 {
				t.Errorf("replicas %v, want none before the Deployment is deleted", jm.Spec.Replicas)
			}
			w.Rules()
			if jm, _ := w.Snapshot.JobManager.Get(); jm.DeletionTimestamp == nil {
				t.Errorf("the Deployment stays, rounds %q", w.Log)
			}
			w.Terminate()
			w.Snapshot.Flink = world.Flink{}
			w.Run()
			if p := w.Round(); enginetest.Touches(p) || p.Status != nil {
				t.Errorf("a suspended world must be quiet, got %s", p)
			}
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
			w.Run()
			if intent := w.Status().Intent; intent == nil || intent.From.Path != "file:///s/1" {
				t.Errorf("intent %+v, rounds %q", w.Status().Intent, w.Log)
			}
		})
	}
}

func TestASavepointRedeploysPath(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		nonce := int64(1)
		s.Job.InitialSavepointPath, s.Job.SavepointRedeployNonce = "file:///given", &nonce
	})
	if p := w.Run(); strings.Contains(p.String(), "cancel job") {
		t.Errorf("a cancellation may delete the checkpoint that was chosen: %s", p)
	}
	w.Terminate()
	w.Run()
	if intent := w.Status().Intent; intent == nil || intent.From.Path != "file:///given" {
		t.Errorf("intent %+v, rounds %q", w.Status().Intent, w.Log)
	}
}

func TestARedeployIsTheWayOutOfALostState(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	w.Lose()
	w.Run()
	w.Want(plan.StateLost, v1beta1.LifecycleFailed, v1beta1.JobManagerMissing, v1beta1.FlinkJobReconciling)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		nonce := int64(7)
		s.Job.InitialSavepointPath, s.Job.SavepointRedeployNonce = "file:///found", &nonce
	})
	w.Run()
	if intent := w.Status().Intent; intent == nil || intent.From.Path != "file:///found" {
		t.Errorf("intent %+v, rounds %q", w.Status().Intent, w.Log)
	}
}

// TestAnUnrestoredJobKeepsItsState changes the spec of a job that was given a savepoint and has not read it yet:
// neither its high-availability data nor its statistics name any state.
func TestAnUnrestoredJobKeepsItsState(t *testing.T) {
	none := plan.Present([]hadata.ConfigMap{
		{ObjectVersion: plan.ObjectVersion{Name: "demo-1-config-map", UID: "1", ResourceVersion: "5"}},
	})
	rows := map[string]struct {
		spec   string
		state  v1beta1.FlinkJobState
		stop   v1beta1.StopKind
		ends   v1beta1.FlinkJobState
		reason string
	}{
		"highly available": {
			enginetest.Given(enginetest.HighlyAvailable), v1beta1.FlinkJobCreated, v1beta1.StopLastState, "",
			"the data holds no checkpoint to go on from",
		},
		"highly available, runs": {
			enginetest.Given(
				enginetest.HighlyAvailable,
			), v1beta1.FlinkJobRunning, v1beta1.StopLastState, "", "the same, whatever the job says",
		},
		"cancelled": {
			enginetest.Given(
				strings.Replace(enginetest.Stateful, `"savepoint"`, `"last-state"`, 1),
			), v1beta1.FlinkJobCreated, v1beta1.StopCancel,
			v1beta1.FlinkJobCanceled, "its statistics name none",
		},
		"ended behind our back": {
			enginetest.Given(enginetest.Stateful),
			v1beta1.FlinkJobCanceled,
			v1beta1.StopNone,
			"",
			"the same",
		},
		"failed before it started": {
			enginetest.Given(enginetest.Stateful),
			v1beta1.FlinkJobFailed,
			v1beta1.StopNone,
			"",
			"the same",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewDeployment(t, row.spec)
			w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{})
			w.Run()
			w.ServeJob(row.state)
			w.Snapshot.HAData, w.Snapshot.Flink.Checkpoints = none, plan.Absent[world.Checkpoints]()
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			if intent := w.Status().Intent; intent == nil || intent.Stop != row.stop {
				t.Fatalf("intent %+v, want a stop by %s; rounds %q", intent, row.stop, w.Log)
			}
			if row.ends != "" {
				jobs, _ := w.Snapshot.Flink.Jobs.Get()
				jobs[0].State = row.ends
				w.Run()
			}
			w.Terminate()
			w.Run()
			if intent := w.Status().Intent; intent == nil || intent.From == nil || intent.From.Path != "file:///given" {
				t.Errorf("the start is from %+v: %s; rounds %q", w.Status().Intent, row.reason, w.Log)
			}
		})
	}
}

func TestAnEmptyStartForgetsAnOlderState(t *testing.T) {
	w := enginetest.Stable(
		t,
		strings.Replace(
			enginetest.HighlyAvailable,
			`"parallelism":2`,
			`"parallelism":2,"initialSavepointPath":"file:///given"`,
			1,
		),
	)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.UpgradeMode, s.Job.Parallelism = v1beta1.UpgradeModeStateless, 4
	})
	w.Run()
	w.Terminate()
	w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{})
	w.Run()
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{
		{ObjectVersion: plan.ObjectVersion{Name: "demo-1-config-map", UID: "1", ResourceVersion: "5"}},
	})
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.UpgradeMode, s.Job.Parallelism = v1beta1.UpgradeModeLastState, 6
	})
	w.Run()
	w.Terminate()
	w.Run()
	if intent := w.Status().Intent; intent == nil || intent.From.Path != "" ||
		intent.From.Kind != v1beta1.StartLastState {
		t.Errorf("the job had begun empty, and starts from %+v; rounds %q", w.Status().Intent, w.Log)
	}
}
