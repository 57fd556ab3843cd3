package decide_test

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// What counts is how long the new cluster had its chance and how it does now, not how late a function looks.
func TestALateLookRollsNothingBack(t *testing.T) {
	rows := map[string]struct {
		late   func(w *enginetest.Deployment)
		rolls  bool
		reason string
	}{
		"it runs by now": {
			func(w *enginetest.Deployment) { w.ServeJob(v1beta1.FlinkJobRunning) },
			false,
			"nobody had looked",
		},
		"its first stage has ended": {
			func(w *enginetest.Deployment) { w.ServeTasks(0, 1) }, false,
			"it does the work of this spec, as a batch job does stage by stage",
		},
		"some of its tasks run": {func(w *enginetest.Deployment) { w.ServeTasks(1, 0) }, true, "the others have no slots"},
		"it was released late": {
			func(w *enginetest.Deployment) { w.ReleasedAt(w.Snapshot.Now.Add(-time.Minute)) }, false, "it has had a minute",
		},
		"it was released in time": {
			func(w *enginetest.Deployment) { w.ReleasedAt(w.Snapshot.Now.Add(-6 * time.Minute)) }, true, "it has had its time",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Failing(t, enginetest.RollingBack)
			w.Snapshot.Now = w.Snapshot.Now.Add(7 * time.Minute)
			row.late(w)
			w.Run()
			if rolls := w.Told("Rollback") > 0; rolls != row.rolls {
				t.Errorf("rolled back: %t, want %t: %s; rounds %q", rolls, row.rolls, row.reason, w.Log)
			}
		})
	}
}

func TestAFailedUpgradeIsRolledBack(t *testing.T) {
	w := enginetest.Failing(t, enginetest.RollingBack)
	job := w.Status().JobStatus.JobID
	w.Snapshot.Now = w.Snapshot.Now.Add(4 * 60e9)
	w.Run()
	if w.Status().Intent != nil && w.Status().Intent.Purpose == v1beta1.PurposeRollback {
		t.Fatal("rolled back before the readiness timeout")
	}
	w.Snapshot.Now = w.Snapshot.Now.Add(2 * 60e9)
	w.Run()
	w.Want(plan.Stopping, v1beta1.LifecycleRollingBack, v1beta1.JobManagerDeploying, v1beta1.FlinkJobReconciling)
	w.Terminate()
	w.Run()
	w.Want(plan.Waiting, v1beta1.LifecycleRolledBack, v1beta1.JobManagerDeploying, v1beta1.FlinkJobReconciling)
	if w.RunningImage() != "flink:1.20" || w.Status().JobStatus.JobID != job {
		t.Errorf("image %s, job %s; want the stable image and job %s", w.RunningImage(), w.Status().JobStatus.JobID, job)
	}
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	w.Want(plan.Steady, v1beta1.LifecycleRolledBack, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if p := w.Round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("a rolled back world must be quiet, got %s", p)
	}
	if n := w.Told("Rollback"); n != 1 {
		t.Errorf("Rollback was told %d times", n)
	}
}

// As in the reference, a redeploy counts as stable at once. What a person chose is not taken back by itself.
func TestARedeployIsNotRolledBack(t *testing.T) {
	for name, edit := range map[string]func(*v1beta1.FlinkDeploymentSpec){
		"from a wrong path": enginetest.Redeploy("file:///nowhere", 1),
		"from a wrong path, with a new image": func(s *v1beta1.FlinkDeploymentSpec) {
			enginetest.Redeploy("file:///nowhere", 1)(s)
			enginetest.UpgradeImage(s)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.RollingBack)
			w.Edit(edit)
			w.Run()
			w.Terminate()
			w.Run()
			w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			w.Snapshot.Now = w.Snapshot.Now.Add(time.Hour)
			w.Run()
			if n := w.Told("Rollback"); n != 0 || w.Status().ReconciliationStatus.State != v1beta1.ReconciliationDeployed {
				t.Errorf("Rollback was told %d times, state %s, rounds %q", n, w.Status().ReconciliationStatus.State, w.Log)
			}
			if r := w.Status().ReconciliationStatus; r.LastStableSpec != r.LastReconciledSpec {
				t.Errorf("the stable spec is\n%s, want the redeployed one\n%s", r.LastStableSpec, r.LastReconciledSpec)
			}
		})
	}
}

func TestARollbackEnds(t *testing.T) {
	rows := map[string]struct {
		edit    func(*v1beta1.FlinkDeploymentSpec)
		restart bool
		state   v1beta1.ReconciliationState
		reason  string
	}{
		"the stable spec is written back": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20" }, false, v1beta1.ReconciliationDeployed,
			"it is what runs",
		},
		"another spec": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.6" }, true, v1beta1.ReconciliationUpgrading,
			"an upgrade like any other",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.RolledBack(t)
			w.Edit(row.edit)
			w.Run()
			if restarts := w.Status().Intent != nil; restarts != row.restart ||
				w.Status().ReconciliationStatus.State != row.state {
				t.Errorf("restarts %t, state %s: %s", restarts, w.Status().ReconciliationStatus.State, row.reason)
			}
		})
	}
}

func TestANewSpecOvertakesARollback(t *testing.T) {
	w := enginetest.Failing(t, enginetest.RollingBack)
	w.Snapshot.Now = w.Snapshot.Now.Add(6 * 60e9)
	w.Run()
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.6" })
	w.Terminate()
	w.Run()
	if w.RunningImage() != "flink:1.20.6" || w.Status().ReconciliationStatus.State != v1beta1.ReconciliationDeployed {
		t.Errorf("image %s, state %s, rounds %q", w.RunningImage(), w.Status().ReconciliationStatus.State, w.Log)
	}
}

func TestAnInvalidSpecDoesNotStopARollback(t *testing.T) {
	w := enginetest.Failing(t, enginetest.RollingBack)
	w.Snapshot.Now = w.Snapshot.Now.Add(6 * 60e9)
	w.Run()
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.LogConfiguration = map[string]string{"random": "x"} })
	w.Terminate()
	w.Run()
	if w.RunningImage() != "flink:1.20" || w.Status().ReconciliationStatus.State != v1beta1.ReconciliationRolledBack {
		t.Errorf("image %s, state %s, rounds %q", w.RunningImage(), w.Status().ReconciliationStatus.State, w.Log)
	}
}

func TestARollbackOnDemand(t *testing.T) {
	w := enginetest.Failing(t, enginetest.HighlyAvailable)
	w.Snapshot.Now = w.Snapshot.Now.Add(60 * 60e9)
	w.Run()
	if w.Status().Intent != nil {
		t.Fatal("rollback is not enabled")
	}
	w.Snapshot.Resource.Annotations = map[string]string{v1beta1.AnnotationRollback: "2"}
	w.Run()
	if intent := w.Status().Intent; intent == nil || intent.Purpose != v1beta1.PurposeRollback {
		t.Errorf("intent %+v", intent)
	}
}

func TestALostClusterComesBackRolledBack(t *testing.T) {
	w := enginetest.RolledBack(t)
	w.Lose()
	w.Run()
	if w.RunningImage() != "flink:1.20" {
		t.Errorf("image %s", w.RunningImage())
	}
}
