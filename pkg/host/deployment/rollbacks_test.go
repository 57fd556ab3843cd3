package deployment

import (
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// rolls switches rollbacks on.
func rolls(spec string) string {
	return with(
		spec, `"flinkConfiguration":{`,
		`"flinkConfiguration":{"kubernetes.operator.deployment.rollback.enabled":"true",`+
			`"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h",`,
	)
}

// late lets the readiness timeout pass.
func (w *fixture) late() {
	w.t.Helper()
	w.s.Now = w.s.Now.Add(6 * time.Minute)
	w.run()
}

// neverStarts leaves the newest start with a pod that cannot start.
func (w *fixture) neverStarts() {
	pod := waitingPod("ImagePullBackOff", "no such image", false)
	pod.CreationTimestamp = w.deployment().CreationTimestamp
	w.s.Pods = plan.Present([]corev1.Pod{pod})
}

func (w *fixture) state() v1beta1.ReconciliationState { return w.status().ReconciliationStatus.State }

func TestAfterARollback(t *testing.T) {
	t.Run("a second change that fails is rolled back, too", func(t *testing.T) {
		w := rolledBack(t)
		w.s.HAData = haMaps(w.status().JobStatus.JobID)
		w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:worse" })
		w.failsAndIsRolledBack()
		r := w.status().ReconciliationStatus
		if r.State != v1beta1.ReconciliationRolledBack || r.LastStableSpec == r.LastReconciledSpec ||
			w.runningImage() != "flink:1.20" {
			t.Errorf("state %s, image %s", r.State, w.runningImage())
		}
		w.serveJob(v1beta1.FlinkJobRunning)
		w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20" })
		w.run()
		r = w.status().ReconciliationStatus
		if r.State != v1beta1.ReconciliationDeployed || r.LastStableSpec != r.LastReconciledSpec ||
			w.status().Intent != nil {
			t.Errorf("the stable spec, written back, is what runs: %s", r.State)
		}
	})
	t.Run("suspended", func(t *testing.T) {
		w := rolledBack(t)
		w.s.HAData = haMaps(w.status().JobStatus.JobID)
		w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
		w.run()
		w.terminate()
		w.run()
		r := w.status().ReconciliationStatus
		if r.State != v1beta1.ReconciliationDeployed || r.LastStableSpec != r.LastReconciledSpec || w.status().Error != "" {
			t.Errorf("state %s, error %q", r.State, w.status().Error)
		}
	})
	t.Run("lost, then changed", func(t *testing.T) {
		w := rolledBack(t)
		w.lose()
		w.s.HAData = haMaps(w.status().JobStatus.JobID)
		w.run()
		if w.runningImage() != "flink:1.20" || w.state() != v1beta1.ReconciliationRolledBack {
			t.Fatalf("recovered with image %s in state %s", w.runningImage(), w.state())
		}
		w.serveJob(v1beta1.FlinkJobRunning)
		w.s.Flink.Checkpoints = restoredFromItsOwn
		w.run()
		w.edit(func(s *v1beta1.FlinkDeploymentSpec) { n := int64(1); s.RestartNonce, s.Image = &n, "flink:1.20.9" })
		w.run()
		w.terminate()
		w.run()
		if w.runningImage() != "flink:1.20.9" || w.state() != v1beta1.ReconciliationDeployed {
			t.Errorf("image %s, state %s", w.runningImage(), w.state())
		}
	})
}

func TestNoRollbackToASuspension(t *testing.T) {
	w := suspended(t, rollingBack)
	if r := w.status().ReconciliationStatus; r.LastStableSpec != r.LastReconciledSpec {
		t.Fatal("a suspension that was asked for is stable")
	}
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
	w.run()
	w.late()
	if w.state() != v1beta1.ReconciliationDeployed || w.told("Rollback") != 0 {
		t.Errorf("state %s", w.state())
	}
}

// savepointUpgrade brings a resource to a change that took a savepoint and is released, with rollbacks on.
func savepointUpgrade(t *testing.T) *fixture {
	t.Helper()
	return upgradedBySavepoint(t, rolls(stateful))
}

func upgradedBySavepoint(t *testing.T, spec string) *fixture {
	t.Helper()
	w := stable(t, spec)
	w.changesBySavepoint(upgradeImage)
	if w.runningImage() != "flink:1.20.5" || w.state() != v1beta1.ReconciliationDeployed {
		t.Fatalf("not deployed, rounds %q", w.log)
	}
	return w
}

// changesBySavepoint carries a change that takes a savepoint to its release.
func (w *fixture) changesBySavepoint(change func(*v1beta1.FlinkDeploymentSpec)) {
	w.t.Helper()
	w.s.HAData = plan.Present([]hadata.ConfigMap{})
	w.edit(change)
	w.run()
	w.stopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
	w.run()
	w.terminate()
	w.run()
}

func nextVersion(s *v1beta1.FlinkDeploymentSpec) {
	s.FlinkVersion, s.Image = v1beta1.FlinkV2_2, "flink:2.2"
}

func TestAnUnrunStartIsRolledBack(t *testing.T) {
	w := savepointUpgrade(t)
	w.neverStarts()
	w.late()
	w.terminate()
	w.run()
	if w.runningImage() != "flink:1.20" || w.state() != v1beta1.ReconciliationRolledBack ||
		w.from().Path != "file:///s/1" {
		t.Errorf("image %s, state %s, rounds %q", w.runningImage(), w.state(), w.log)
	}
	if w.status().JobStatus.State != v1beta1.FlinkJobReconciling || w.lastMode() != v1beta1.UpgradeModeSavepoint {
		t.Errorf("job %s, recorded %s", w.status().JobStatus.State, w.lastMode())
	}
}

func TestNoRollbackWithoutTheState(t *testing.T) {
	w := savepointUpgrade(t)
	w.serve(1, plan.Unknown[[]world.Job]("connection refused"))
	w.late()
	if w.state() != v1beta1.ReconciliationDeployed || w.told("Rollback") != 0 ||
		w.status().JobManagerDeploymentStatus != v1beta1.JobManagerDeployedNotReady {
		t.Errorf("state %s, rounds %q", w.state(), w.log)
	}
	if c := w.condition("Reconciling"); c.Reason != "RollbackImpossible" ||
		!strings.Contains(c.Message, "kubectl patch flinkdeployment demo") {
		t.Errorf("a person is not told why: %+v", c)
	}
}

// A job that failed for good leaves no high-availability data, but Flink tells what it ended with.
func TestAJobFailedByItsUpgradeRollsBack(t *testing.T) {
	const chk = "file:///c/chk-7"
	named := plan.Present(world.Checkpoints{Path: chk})
	rows := map[string]struct {
		checkpoints plan.Observed[world.Checkpoints]
		data        plan.Observed[[]hadata.ConfigMap]
		recorded    string
		from        string
		reason      string
	}{
		"it took a checkpoint": {
			named, plan.Present([]hadata.ConfigMap{}), "file:///s/1", chk, "its newest state",
		},
		"it took none": {
			plan.Absent[world.Checkpoints](), plan.Present([]hadata.ConfigMap{}), "file:///s/1", "file:///s/1",
			"what it was given",
		},
		"its data is not gone yet": {
			named, haMaps(""), "file:///s/1", chk, "Flink removes the data, and so it is no start",
		},
		"its end is not read": {
			plan.Unknown[world.Checkpoints]("time-out"), haMaps(""), "file:///s/1", "",
			"it may have gone further than what is known",
		},
		"it was given the data only": {
			plan.Absent[world.Checkpoints](), plan.Present([]hadata.ConfigMap{}), v1beta1.LastStatePlaceholder, "",
			"nobody knows what it had",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := savepointUpgrade(t)
			w.s.HAData = row.data
			w.s.Resource.Status.JobStatus.UpgradeSavepointPath = row.recorded
			w.serveJob(v1beta1.FlinkJobFailed)
			jobs, _ := w.s.Flink.Jobs.Get()
			jobs[0].EndTime = w.s.Now
			w.s.Flink.Checkpoints = row.checkpoints
			w.run()
			if w.told("Rollback") != 0 {
				t.Fatal("rolled back before the readiness timeout")
			}
			w.late()
			if row.from == "" {
				if w.state() != v1beta1.ReconciliationDeployed || w.told("Rollback") != 0 {
					t.Errorf("state %s, rounds %q: %s", w.state(), w.log, row.reason)
				}
				return
			}
			w.terminate()
			w.run()
			if w.runningImage() != "flink:1.20" || w.state() != v1beta1.ReconciliationRolledBack ||
				w.from().Path != row.from {
				t.Errorf(
					"image %s, state %s, from %+v, want %s: %s; rounds %q", w.runningImage(), w.state(), w.from(), row.from,
					row.reason, w.log,
				)
			}
		})
	}
}

// What a job that is not looked at right now has ended with is not known: its cluster is the only one that could tell.
func TestARollbackWaitsForTheEndOfAJob(t *testing.T) {
	rows := map[string]struct {
		state  v1beta1.FlinkJobState
		spoil  func(w *fixture)
		from   string
		reason string
	}{
		"failed, and nobody answers": {
			v1beta1.FlinkJobFailed, func(w *fixture) { w.s.Flink.Jobs = plan.Unknown[[]world.Job]("time-out") }, "",
			"its newest state may not be read",
		},
		"failed, and it answers": {v1beta1.FlinkJobFailed, func(*fixture) {}, "file:///c/chk-7", "it is read"},
		"canceled": {
			v1beta1.FlinkJobCanceled, func(*fixture) {}, "file:///c/chk-7", "Flink removes the data of this one, too",
		},
		"failing": {v1beta1.FlinkJobFailing, func(*fixture) {}, "", "Flink is about to remove the data"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := savepointUpgrade(t)
			w.s.HAData = haMaps(w.status().JobStatus.JobID)
			w.serveJob(v1beta1.FlinkJobFailing)
			w.run()
			w.s.Now = w.s.Now.Add(6 * time.Minute)
			w.serveJob(row.state)
			jobs, _ := w.s.Flink.Jobs.Get()
			jobs[0].EndTime = w.s.Now.Add(-time.Minute)
			w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/chk-7"})
			if row.state.IsTerminal() {
				w.s.Resource.Status.JobStatus.State = row.state
				w.s.Resource.Status.JobStatus.LastStateUnread = true
			}
			row.spoil(w)
			w.run()
			if row.from == "" {
				if w.told("Rollback") != 0 || w.s.JobManager.IsAbsent() {
					t.Errorf("rounds %q: %s", w.log, row.reason)
				}
				return
			}
			w.terminate()
			w.run()
			if w.state() != v1beta1.ReconciliationRolledBack || w.from().Path != row.from {
				t.Errorf("state %s, from %+v, want %s: %s; rounds %q", w.state(), w.from(), row.from, row.reason, w.log)
			}
		})
	}
}

// The stable spec that the user writes back is what runs; that it fails, too, is no reason to go back to it.
func TestTheStableSpecIsNotRolledBackToItself(t *testing.T) {
	w := rolledBack(t)
	w.serveJob(v1beta1.FlinkJobFailed)
	w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/chk-7"})
	w.run()
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20" })
	w.run()
	before := w.told("Rollback")
	for range 3 {
		w.late()
	}
	if w.told("Rollback") != before || w.state() != v1beta1.ReconciliationDeployed ||
		w.status().Situation != string(plan.Ended) {
		t.Errorf(
			"told %d times, %d before, state %s, situation %s, rounds %q", w.told("Rollback"), before, w.state(),
			w.status().Situation, w.log,
		)
	}
}

func TestARollbackThatCannotBeIsTold(t *testing.T) {
	w := savepointUpgrade(t)
	w.s.Resource.Status.JobStatus.UpgradeSavepointPath = v1beta1.LastStatePlaceholder
	w.fails()
	w.late()
	c := w.condition("Stalled")
	if c.Reason != "RollbackImpossible" || !strings.Contains(c.Message, "kubectl patch flinkdeployment demo") {
		t.Errorf("a person is not told why: %+v", c)
	}
	w.personDecides(true)
	w.want(plan.Ended, v1beta1.LifecycleFailed, v1beta1.JobManagerReady, v1beta1.FlinkJobFailed)
	if p := w.round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("a second look must be quiet, got %s", p)
	}
}

// An older Flink may not read what a newer one wrote, so going back is a person's decision, and they are told so.
func TestNoRollbackOfAFlinkVersion(t *testing.T) {
	for _, asked := range []bool{false, true} {
		w := stable(t, rolls(stateful))
		w.changesBySavepoint(nextVersion)
		if asked {
			w.s.Resource.Annotations = map[string]string{
				v1beta1.AnnotationRollback: strconv.FormatInt(w.status().ObservedGeneration, 10),
			}
			w.run()
		} else {
			w.late()
		}
		if w.runningImage() != "flink:2.2" || w.told("Rollback") != 0 {
			t.Fatalf("asked %v: image %s, rounds %q", asked, w.runningImage(), w.log)
		}
		if c := w.condition("Reconciling"); c.Reason != "RollbackUnsupported" || !strings.Contains(c.Message, "v1_20") {
			t.Errorf("asked %v: a person is not told why: %+v", asked, c)
		}
		w.s.HAData = haMaps(w.status().JobStatus.JobID)
		w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkVersion, s.Image = v1beta1.FlinkV1_20, "flink:1.20" })
		w.late()
		if w.runningImage() != "flink:2.2" || w.told("Rollback") != 0 {
			t.Errorf("asked %v: the old spec, written back, starts from what a newer Flink wrote; rounds %q", asked, w.log)
		}
	}
}

func TestRollbacksThatNeedNoState(t *testing.T) {
	for name, spec := range map[string]string{
		"stateless": rolls(application),
		"session": with(
			session, `"serviceAccount":"flink",`,
			`"serviceAccount":"flink","flinkConfiguration":{"kubernetes.operator.deployment.rollback.enabled":"true",`+
				`"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h"},`,
		),
	} {
		t.Run(name, func(t *testing.T) {
			w := stable(t, spec)
			w.s.HAData = plan.Present([]hadata.ConfigMap{})
			w.edit(upgradeImage)
			w.failsAndIsRolledBack()
			if w.runningImage() != "flink:1.20" || w.state() != v1beta1.ReconciliationRolledBack {
				t.Errorf("image %s, state %s, rounds %q", w.runningImage(), w.state(), w.log)
			}
			if name == "stateless" && w.from().Kind != v1beta1.StartEmpty {
				t.Errorf("from %+v", w.from())
			}
		})
	}
}
