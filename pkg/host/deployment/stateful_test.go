package deployment

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// highlyAvailable is a last-state application with Kubernetes high availability.
var highlyAvailable = strings.Replace(strings.Replace(
	stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`, 1,
),
	`"state.savepoints.dir"`, `"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h",`+
		`"state.savepoints.dir"`, 1)

// haMaps are what Flink keeps for a job with a completed checkpoint.
func haMaps(jobID string) plan.Observed[[]hadata.ConfigMap] {
	return plan.Present([]hadata.ConfigMap{
		{
			ObjectVersion: plan.ObjectVersion{Name: "demo-" + jobID + "-config-map", UID: "1", ResourceVersion: "5"},
			Checkpoint:    true,
		},
		{ObjectVersion: plan.ObjectVersion{Name: "demo-cluster-config-map", UID: "2", ResourceVersion: "6"}},
	})
}

// stopWith lets Flink answer for the stop-with-savepoint. Once it is completed the job has finished.
func (w *fixture) stopWith(progress world.StopProgress) {
	w.s.Flink.Stop = plan.Present(progress)
	if jobs, ok := w.s.Flink.Jobs.Get(); ok && progress.State == world.StopCompleted {
		jobs[0].State = v1beta1.FlinkJobFinished
	}
}

func upgradeImage(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.5" }

func TestASavepointUpgradeCarriesTheState(t *testing.T) {
	w := stable(t, stateful)
	oldJob := w.status().JobStatus.JobID
	w.edit(upgradeImage)
	p := w.run()
	if !strings.Contains(p.String(), "stop job "+oldJob+" with savepoint") ||
		w.status().Intent.Stop != v1beta1.StopSavepoint {
		t.Fatalf("got %s, intent %+v", p, w.status().Intent)
	}
	w.stopWith(world.StopProgress{State: world.StopInProgress})
	if p := w.run(); touches(p) {
		t.Errorf("a savepoint in progress is waited for, got %s", p)
	}
	w.stopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
	p = w.run()
	if w.status().JobStatus.UpgradeSavepointPath != "file:///s/1" ||
		w.status().JobStatus.State != v1beta1.FlinkJobFinished || !w.status().Intent.Ended {
		t.Fatalf("the end must be recorded before anything is deleted: %+v", w.status().JobStatus)
	}
	if !strings.HasPrefix(p.String(), "Stopping: wake the clock, record end, ") ||
		!strings.Contains(p.String(), "retire demo") {
		t.Errorf("got %s", p)
	}
	w.terminate()
	w.run()
	intent := w.status().Intent
	if intent == nil || intent.From.Kind != v1beta1.StartSavepoint || intent.From.Path != "file:///s/1" ||
		intent.JobID == oldJob {
		t.Fatalf("the new job must start from the savepoint under a new ID: %+v", intent)
	}
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if mode := w.lastMode(); mode != v1beta1.UpgradeModeSavepoint {
		t.Errorf("recorded upgrade mode %s", mode)
	}
}

func (w *fixture) lastMode() v1beta1.UpgradeMode {
	last, err := v1beta1.ParseReconciledDeployment(w.status().ReconciliationStatus.LastReconciledSpec)
	if err != nil {
		w.t.Fatal(err)
	}
	return last.Spec.Job.UpgradeMode
}

func TestAFailedSavepointIsTriedAgain(t *testing.T) {
	w := stable(t, stateful)
	w.edit(upgradeImage)
	w.run()
	w.stopWith(world.StopProgress{State: world.StopFailed, Cause: "disk full"})
	w.run()
	if w.status().Intent != nil || w.status().Retry == nil || w.status().Retry.Attempts != 1 ||
		!strings.Contains(w.status().Error, "disk full") {
		t.Fatalf("intent %+v, retry %+v, error %s", w.status().Intent, w.status().Retry, w.status().Error)
	}
	w.s.Flink.Stop = plan.Observed[world.StopProgress]{}
	if p := w.run(); touches(p) || p.Status != nil {
		t.Errorf("before the time of the next attempt nothing happens, got %s, %+v", p, p.Status)
	}
	w.s.Now = w.s.Now.Add(11e9)
	if p := w.run(); !strings.Contains(p.String(), "with savepoint") {
		t.Errorf("the next attempt must be made, got %s", p)
	}
	if w.told("SavepointError") != 1 {
		t.Errorf("SavepointError was told %d times", w.told("SavepointError"))
	}
	w.stopWith(world.StopProgress{State: world.StopFailed, Cause: "disk full"})
	w.run()
	if r := w.status().Retry; r == nil || r.Attempts != 2 || r.After.Sub(w.s.Now) != 20*time.Second {
		t.Errorf("retry %+v after the second attempt at %s, want it counted, and twice the pause", r, w.s.Now)
	}
	w.s.Flink.Stop = plan.Observed[world.StopProgress]{}
	w.s.Now = w.s.Now.Add(20e9)
	w.run()
	w.stopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
	w.run()
	w.terminate()
	w.run()
	if r := w.status().Retry; r != nil || !w.released {
		t.Errorf("retry %+v after the stop came about, released %t, rounds %q", r, w.released, w.log)
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
			w := stable(t, stateful)
			w.edit(upgradeImage)
			w.run()
			w.stopWith(world.StopProgress{State: world.StopNotKnown})
			jobs, _ := w.s.Flink.Jobs.Get()
			jobs[0].State, jobs[0].StartTime = row.state, row.start
			w.s.Flink.Checkpoints = row.checkpoints
			p := w.run()
			if row.want != "" && !strings.Contains(p.String(), row.want) || (row.want == "" && touches(p)) {
				t.Errorf("got %s: %s", p, row.reason)
			}
			if w.status().Situation != string(row.situation) {
				t.Errorf("situation %s, want %s: %s", w.status().Situation, row.situation, row.reason)
			}
		})
	}
}

func TestAJobManagerLostInAStopNeedsAPerson(t *testing.T) {
	w := stable(t, stateful)
	w.edit(upgradeImage)
	w.run()
	w.lose()
	w.run()
	if w.s.JobManager.IsPresent() || w.status().Situation != string(plan.StateLost) ||
		!strings.Contains(w.condition(summary.StateSafe).Message, "savepointRedeployNonce") {
		t.Errorf("situation %s, conditions %+v", w.status().Situation, w.status().Conditions)
	}
	if where := "file:///s/savepoint-" + w.status().JobStatus.JobID[:6] + "-*"; !strings.Contains(
		w.condition(summary.StateSafe).Message, where,
	) {
		t.Errorf(
			"nobody is told where Flink would have left the savepoint, %s: %q", where, w.condition(summary.StateSafe).Message,
		)
	}
}

func TestALastStateUpgradeKeepsIDAndData(t *testing.T) {
	w := stable(t, highlyAvailable)
	job := w.status().JobStatus.JobID
	w.s.HAData = haMaps(job)
	w.edit(upgradeImage)
	p := w.run()
	if w.status().Intent.Stop != v1beta1.StopLastState || strings.Contains(p.String(), "cancel") {
		t.Fatalf("got %s, intent %+v", p, w.status().Intent)
	}
	w.terminate()
	w.run()
	intent := w.status().Intent
	if intent == nil || intent.From.Kind != v1beta1.StartLastState || intent.JobID != job {
		t.Fatalf("intent %+v, want a last-state start of job %s; rounds %q", intent, job, w.log)
	}
	if data, _ := w.s.HAData.Get(); len(data) != 2 {
		t.Errorf("high-availability data was deleted: %+v", data)
	}
	if w.status().JobStatus.UpgradeSavepointPath != v1beta1.LastStatePlaceholder ||
		w.lastMode() != v1beta1.UpgradeModeLastState {
		t.Errorf("path %s, mode %s", w.status().JobStatus.UpgradeSavepointPath, w.lastMode())
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
			w := stable(t, highlyAvailable)
			w.s.HAData = haMaps(w.status().JobStatus.JobID)
			w.edit(upgradeImage)
			w.run()
			w.terminate()
			w.s.HAData = row.data
			w.run()
			if w.released = false; w.s.JobManager.IsPresent() || w.status().Situation != string(row.situation) {
				t.Errorf("situation %s: %s; rounds %q", w.status().Situation, row.reason, w.log)
			}
		})
	}
}

func TestALostJobComesBackFromHAData(t *testing.T) {
	w := stable(t, highlyAvailable)
	job := w.status().JobStatus.JobID
	w.lose()
	w.s.HAData = haMaps(job)
	w.run()
	if intent := w.status().Intent; intent == nil || intent.From.Kind != v1beta1.StartLastState || intent.JobID != job ||
		intent.Purpose != v1beta1.PurposeRecover {
		t.Errorf("intent %+v, rounds %q", w.status().Intent, w.log)
	}
}

func TestAnotherFlinkVersionNeedsASavepoint(t *testing.T) {
	w := stable(t, highlyAvailable)
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkVersion, s.Image = v1beta1.FlinkV2_2, "flink:2.2" })
	w.run()
	if w.status().Intent == nil || w.status().Intent.Stop != v1beta1.StopSavepoint {
		t.Errorf("intent %+v", w.status().Intent)
	}
}

// A suspended job has no pods, with high availability and without: a replaced pod of a job without would run it again.
func TestSuspendWithASavepointAndResume(t *testing.T) {
	for name, spec := range map[string]string{"without": stateful, "with high availability": savesHighlyAvailable} {
		t.Run(name, func(t *testing.T) {
			w := stable(t, spec)
			w.edit(suspends)
			w.run()
			w.stopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
			w.round()
			w.want(plan.Suspended, v1beta1.LifecycleSuspended, v1beta1.JobManagerMissing, v1beta1.FlinkJobFinished)
			if jm, _ := w.s.JobManager.Get(); jm.Spec.Replicas == nil || *jm.Spec.Replicas != 0 {
				t.Errorf("replicas %v, want none before the Deployment is deleted", jm.Spec.Replicas)
			}
			w.rules()
			if jm, _ := w.s.JobManager.Get(); jm.DeletionTimestamp == nil {
				t.Errorf("the Deployment stays, rounds %q", w.log)
			}
			w.terminate()
			w.s.Flink = world.Flink{}
			w.run()
			if p := w.round(); touches(p) || p.Status != nil {
				t.Errorf("a suspended world must be quiet, got %s", p)
			}
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
			w.run()
			if intent := w.status().Intent; intent == nil || intent.From.Path != "file:///s/1" {
				t.Errorf("intent %+v, rounds %q", w.status().Intent, w.log)
			}
		})
	}
}

func TestASavepointRedeploysPath(t *testing.T) {
	w := stable(t, stateful)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		nonce := int64(1)
		s.Job.InitialSavepointPath, s.Job.SavepointRedeployNonce = "file:///given", &nonce
	})
	if p := w.run(); strings.Contains(p.String(), "cancel job") {
		t.Errorf("a cancellation may delete the checkpoint that was chosen: %s", p)
	}
	w.terminate()
	w.run()
	if intent := w.status().Intent; intent == nil || intent.From.Path != "file:///given" {
		t.Errorf("intent %+v, rounds %q", w.status().Intent, w.log)
	}
}

func TestARedeployIsTheWayOutOfALostState(t *testing.T) {
	w := stable(t, stateful)
	w.lose()
	w.run()
	w.want(plan.StateLost, v1beta1.LifecycleFailed, v1beta1.JobManagerMissing, v1beta1.FlinkJobReconciling)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		nonce := int64(7)
		s.Job.InitialSavepointPath, s.Job.SavepointRedeployNonce = "file:///found", &nonce
	})
	w.run()
	if intent := w.status().Intent; intent == nil || intent.From.Path != "file:///found" {
		t.Errorf("intent %+v, rounds %q", w.status().Intent, w.log)
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
			given(highlyAvailable), v1beta1.FlinkJobCreated, v1beta1.StopLastState, "",
			"the data holds no checkpoint to go on from",
		},
		"highly available, runs": {
			given(highlyAvailable), v1beta1.FlinkJobRunning, v1beta1.StopLastState, "", "the same, whatever the job says",
		},
		"cancelled": {
			given(strings.Replace(stateful, `"savepoint"`, `"last-state"`, 1)), v1beta1.FlinkJobCreated, v1beta1.StopCancel,
			v1beta1.FlinkJobCanceled, "its statistics name none",
		},
		"ended behind our back":    {given(stateful), v1beta1.FlinkJobCanceled, v1beta1.StopNone, "", "the same"},
		"failed before it started": {given(stateful), v1beta1.FlinkJobFailed, v1beta1.StopNone, "", "the same"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, row.spec)
			w.s.HAData = plan.Present([]hadata.ConfigMap{})
			w.run()
			w.serveJob(row.state)
			w.s.HAData, w.s.Flink.Checkpoints = none, plan.Absent[world.Checkpoints]()
			w.edit(upgradeImage)
			w.run()
			if intent := w.status().Intent; intent == nil || intent.Stop != row.stop {
				t.Fatalf("intent %+v, want a stop by %s; rounds %q", intent, row.stop, w.log)
			}
			if row.ends != "" {
				jobs, _ := w.s.Flink.Jobs.Get()
				jobs[0].State = row.ends
				w.run()
			}
			w.terminate()
			w.run()
			if intent := w.status().Intent; intent == nil || intent.From == nil || intent.From.Path != "file:///given" {
				t.Errorf("the start is from %+v: %s; rounds %q", w.status().Intent, row.reason, w.log)
			}
		})
	}
}

func TestAnEmptyStartForgetsAnOlderState(t *testing.T) {
	w := stable(
		t, strings.Replace(highlyAvailable, `"parallelism":2`, `"parallelism":2,"initialSavepointPath":"file:///given"`, 1),
	)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.UpgradeMode, s.Job.Parallelism = v1beta1.UpgradeModeStateless, 4
	})
	w.run()
	w.terminate()
	w.s.HAData = plan.Present([]hadata.ConfigMap{})
	w.run()
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	w.s.HAData = plan.Present([]hadata.ConfigMap{
		{ObjectVersion: plan.ObjectVersion{Name: "demo-1-config-map", UID: "1", ResourceVersion: "5"}},
	})
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.UpgradeMode, s.Job.Parallelism = v1beta1.UpgradeModeLastState, 6
	})
	w.run()
	w.terminate()
	w.run()
	if intent := w.status().Intent; intent == nil || intent.From.Path != "" ||
		intent.From.Kind != v1beta1.StartLastState {
		t.Errorf("the job had begun empty, and starts from %+v; rounds %q", w.status().Intent, w.log)
	}
}
