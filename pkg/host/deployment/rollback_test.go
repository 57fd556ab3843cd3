package deployment

import (
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

var rollingBack = strings.Replace(
	highlyAvailable, `"state.savepoints.dir"`,
	`"kubernetes.operator.deployment.rollback.enabled":"true","state.savepoints.dir"`, 1,
)

// failing brings a resource to a change that is deployed and does not run.
func failing(t *testing.T, spec string) *fixture {
	t.Helper()
	w := stable(t, spec)
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	w.edit(upgradeImage)
	w.run()
	w.terminate()
	w.run()
	if !w.released || w.status().ReconciliationStatus.State != v1beta1.ReconciliationDeployed {
		t.Fatalf("the change was not deployed, rounds %q, %+v", w.log, w.status().Conditions)
	}
	return w
}

func (w *fixture) runningImage() string {
	jm, _ := w.s.JobManager.Get()
	return jm.Spec.Template.Spec.Containers[0].Image
}

// What counts is how long the new cluster had its chance and how it does now, not how late a function looks.
func TestALateLookRollsNothingBack(t *testing.T) {
	rows := map[string]struct {
		late   func(w *fixture)
		rolls  bool
		reason string
	}{
		"it runs by now": {func(w *fixture) { w.serveJob(v1beta1.FlinkJobRunning) }, false, "nobody had looked"},
		"its first stage has ended": {
			func(w *fixture) { w.serveTasks(0, 1) }, false, "it does the work of this spec, as a batch job does stage by stage",
		},
		"some of its tasks run": {func(w *fixture) { w.serveTasks(1, 0) }, true, "the others have no slots"},
		"it was released late": {
			func(w *fixture) { w.releasedAt(w.s.Now.Add(-time.Minute)) }, false, "it has had a minute",
		},
		"it was released in time": {
			func(w *fixture) { w.releasedAt(w.s.Now.Add(-6 * time.Minute)) }, true, "it has had its time",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := failing(t, rollingBack)
			w.s.Now = w.s.Now.Add(7 * time.Minute)
			row.late(w)
			w.run()
			if rolls := w.told("Rollback") > 0; rolls != row.rolls {
				t.Errorf("rolled back: %t, want %t: %s; rounds %q", rolls, row.rolls, row.reason, w.log)
			}
		})
	}
}

func (w *fixture) releasedAt(at time.Time) {
	jm, _ := w.s.JobManager.Get()
	jm = jm.DeepCopy()
	jm.Annotations[v1beta1.AnnotationReleased] = at.UTC().Format(time.RFC3339)
	w.s.JobManager = plan.Present(jm)
}

func TestAFailedUpgradeIsRolledBack(t *testing.T) {
	w := failing(t, rollingBack)
	job := w.status().JobStatus.JobID
	w.s.Now = w.s.Now.Add(4 * 60e9)
	w.run()
	if w.status().Intent != nil && w.status().Intent.Purpose == v1beta1.PurposeRollback {
		t.Fatal("rolled back before the readiness timeout")
	}
	w.s.Now = w.s.Now.Add(2 * 60e9)
	w.run()
	w.want(plan.Stopping, v1beta1.LifecycleRollingBack, v1beta1.JobManagerDeploying, v1beta1.FlinkJobReconciling)
	w.terminate()
	w.run()
	w.want(plan.Waiting, v1beta1.LifecycleRolledBack, v1beta1.JobManagerDeploying, v1beta1.FlinkJobReconciling)
	if w.runningImage() != "flink:1.20" || w.status().JobStatus.JobID != job {
		t.Errorf("image %s, job %s; want the stable image and job %s", w.runningImage(), w.status().JobStatus.JobID, job)
	}
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	w.want(plan.Steady, v1beta1.LifecycleRolledBack, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if p := w.round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("a rolled back world must be quiet, got %s", p)
	}
	if n := w.told("Rollback"); n != 1 {
		t.Errorf("Rollback was told %d times", n)
	}
}

// As in the reference, a redeploy counts as stable at once. What a person chose is not taken back by itself.
func TestARedeployIsNotRolledBack(t *testing.T) {
	for name, edit := range map[string]func(*v1beta1.FlinkDeploymentSpec){
		"from a wrong path": redeploy("file:///nowhere", 1),
		"from a wrong path, with a new image": func(s *v1beta1.FlinkDeploymentSpec) {
			redeploy("file:///nowhere", 1)(s)
			upgradeImage(s)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := stable(t, rollingBack)
			w.edit(edit)
			w.run()
			w.terminate()
			w.run()
			w.s.HAData = haMaps(w.status().JobStatus.JobID)
			w.s.Now = w.s.Now.Add(time.Hour)
			w.run()
			if n := w.told("Rollback"); n != 0 || w.status().ReconciliationStatus.State != v1beta1.ReconciliationDeployed {
				t.Errorf("Rollback was told %d times, state %s, rounds %q", n, w.status().ReconciliationStatus.State, w.log)
			}
			if r := w.status().ReconciliationStatus; r.LastStableSpec != r.LastReconciledSpec {
				t.Errorf("the stable spec is\n%s, want the redeployed one\n%s", r.LastStableSpec, r.LastReconciledSpec)
			}
		})
	}
}

// rolledBack is the end of the story above.
func rolledBack(t *testing.T) *fixture {
	t.Helper()
	w := failing(t, rollingBack)
	w.s.Now = w.s.Now.Add(6 * 60e9)
	w.run()
	w.terminate()
	w.run()
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	return w
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
			w := rolledBack(t)
			w.edit(row.edit)
			w.run()
			if restarts := w.status().Intent != nil; restarts != row.restart ||
				w.status().ReconciliationStatus.State != row.state {
				t.Errorf("restarts %t, state %s: %s", restarts, w.status().ReconciliationStatus.State, row.reason)
			}
		})
	}
}

func TestANewSpecOvertakesARollback(t *testing.T) {
	w := failing(t, rollingBack)
	w.s.Now = w.s.Now.Add(6 * 60e9)
	w.run()
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.6" })
	w.terminate()
	w.run()
	if w.runningImage() != "flink:1.20.6" || w.status().ReconciliationStatus.State != v1beta1.ReconciliationDeployed {
		t.Errorf("image %s, state %s, rounds %q", w.runningImage(), w.status().ReconciliationStatus.State, w.log)
	}
}

func TestAnInvalidSpecDoesNotStopARollback(t *testing.T) {
	w := failing(t, rollingBack)
	w.s.Now = w.s.Now.Add(6 * 60e9)
	w.run()
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.LogConfiguration = map[string]string{"random": "x"} })
	w.terminate()
	w.run()
	if w.runningImage() != "flink:1.20" || w.status().ReconciliationStatus.State != v1beta1.ReconciliationRolledBack {
		t.Errorf("image %s, state %s, rounds %q", w.runningImage(), w.status().ReconciliationStatus.State, w.log)
	}
}

func TestARollbackOnDemand(t *testing.T) {
	w := failing(t, highlyAvailable)
	w.s.Now = w.s.Now.Add(60 * 60e9)
	w.run()
	if w.status().Intent != nil {
		t.Fatal("rollback is not enabled")
	}
	w.s.Resource.Annotations = map[string]string{v1beta1.AnnotationRollback: "2"}
	w.run()
	if intent := w.status().Intent; intent == nil || intent.Purpose != v1beta1.PurposeRollback {
		t.Errorf("intent %+v", intent)
	}
}

func TestALostClusterComesBackRolledBack(t *testing.T) {
	w := rolledBack(t)
	w.lose()
	w.run()
	if w.runningImage() != "flink:1.20" {
		t.Errorf("image %s", w.runningImage())
	}
}
