package decide_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

func TestAfterARollback(t *testing.T) {
	t.Run("a second change that fails is rolled back, too", func(t *testing.T) {
		w := enginetest.RolledBack(t)
		w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
		w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:worse" })
		failsAndIsRolledBack(w)
		r := w.Status().ReconciliationStatus
		if r.State != v1beta1.ReconciliationRolledBack || r.LastStableSpec == r.LastReconciledSpec ||
			w.RunningImage() != "flink:1.20" {
			t.Errorf("state %s, image %s", r.State, w.RunningImage())
		}
		w.ServeJob(v1beta1.FlinkJobRunning)
		w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20" })
		w.Run()
		r = w.Status().ReconciliationStatus
		if r.State != v1beta1.ReconciliationDeployed || r.LastStableSpec != r.LastReconciledSpec ||
			w.Status().Intent != nil {
			t.Errorf("the stable spec, written back, is what runs: %s", r.State)
		}
	})
	t.Run("suspended", func(t *testing.T) {
		w := enginetest.RolledBack(t)
		w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
		w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
		w.Run()
		w.Terminate()
		w.Run()
		r := w.Status().ReconciliationStatus
		if r.State != v1beta1.ReconciliationDeployed || r.LastStableSpec != r.LastReconciledSpec || w.Status().Error != "" {
			t.Errorf("state %s, error %q", r.State, w.Status().Error)
		}
	})
	t.Run("lost, then changed", func(t *testing.T) {
		w := enginetest.RolledBack(t)
		w.Lose()
		w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
		w.Run()
		if w.RunningImage() != "flink:1.20" || w.State() != v1beta1.ReconciliationRolledBack {
			t.Fatalf("recovered with image %s in state %s", w.RunningImage(), w.State())
		}
		w.ServeJob(v1beta1.FlinkJobRunning)
		w.Snapshot.Flink.Checkpoints = enginetest.RestoredFromItsOwn
		w.Run()
		w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { n := int64(1); s.RestartNonce, s.Image = &n, "flink:1.20.9" })
		w.Run()
		w.Terminate()
		w.Run()
		if w.RunningImage() != "flink:1.20.9" || w.State() != v1beta1.ReconciliationDeployed {
			t.Errorf("image %s, state %s", w.RunningImage(), w.State())
		}
	})
}

func TestNoRollbackToASuspension(t *testing.T) {
	w := enginetest.Suspended(t, enginetest.RollingBack)
	if r := w.Status().ReconciliationStatus; r.LastStableSpec != r.LastReconciledSpec {
		t.Fatal("a suspension that was asked for is stable")
	}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
	w.Run()
	w.Late()
	if w.State() != v1beta1.ReconciliationDeployed || w.Told("Rollback") != 0 {
		t.Errorf("state %s", w.State())
	}
}

// savepointUpgrade brings a resource to a change that took a savepoint and is released, with rollbacks on.
func savepointUpgrade(t *testing.T) *enginetest.Deployment {
	t.Helper()
	return enginetest.UpgradedBySavepoint(t, enginetest.Rolls(enginetest.Stateful))
}

func nextVersion(s *v1beta1.FlinkDeploymentSpec) {
	s.FlinkVersion, s.Image = v1beta1.FlinkV2_2, "flink:2.2"
}

func TestAnUnrunStartIsRolledBack(t *testing.T) {
	w := savepointUpgrade(t)
	w.NeverStarts()
	w.Late()
	w.Terminate()
	w.Run()
	if w.RunningImage() != "flink:1.20" || w.State() != v1beta1.ReconciliationRolledBack ||
		w.From().Path != "file:///s/1" {
		t.Errorf("image %s, state %s, rounds %q", w.RunningImage(), w.State(), w.Log)
	}
	if w.Status().JobStatus.State != v1beta1.FlinkJobReconciling || w.LastMode() != v1beta1.UpgradeModeSavepoint {
		t.Errorf("job %s, recorded %s", w.Status().JobStatus.State, w.LastMode())
	}
}

func TestNoRollbackWithoutTheState(t *testing.T) {
	w := savepointUpgrade(t)
	w.Serve(1, plan.Unknown[[]world.Job]("connection refused"))
	w.Late()
	if w.State() != v1beta1.ReconciliationDeployed || w.Told("Rollback") != 0 ||
		w.Status().JobManagerDeploymentStatus != v1beta1.JobManagerDeployedNotReady {
		t.Errorf("state %s, rounds %q", w.State(), w.Log)
	}
	if c := w.Condition("Reconciling"); c.Reason != "RollbackImpossible" ||
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
			named, enginetest.HaMaps(""), "file:///s/1", chk, "Flink removes the data, and so it is no start",
		},
		"its end is not read": {
			plan.Unknown[world.Checkpoints]("time-out"), enginetest.HaMaps(""), "file:///s/1", "",
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
			w.Snapshot.HAData = row.data
			w.Snapshot.Resource.Status.JobStatus.UpgradeSavepointPath = row.recorded
			w.ServeJob(v1beta1.FlinkJobFailed)
			jobs, _ := w.Snapshot.Flink.Jobs.Get()
			jobs[0].EndTime = w.Snapshot.Now
			w.Snapshot.Flink.Checkpoints = row.checkpoints
			w.Run()
			if w.Told("Rollback") != 0 {
				t.Fatal("rolled back before the readiness timeout")
			}
			w.Late()
			if row.from == "" {
				if w.State() != v1beta1.ReconciliationDeployed || w.Told("Rollback") != 0 {
					t.Errorf("state %s, rounds %q: %s", w.State(), w.Log, row.reason)
				}
				return
			}
			w.Terminate()
			w.Run()
			if w.RunningImage() != "flink:1.20" || w.State() != v1beta1.ReconciliationRolledBack ||
				w.From().Path != row.from {
				t.Errorf(
					"image %s, state %s, from %+v, want %s: %s; rounds %q", w.RunningImage(), w.State(), w.From(), row.from,
					row.reason, w.Log,
				)
			}
		})
	}
}

// What a job that is not looked at right now has ended with is not known: its cluster is the only one that could tell.
func TestARollbackWaitsForTheEndOfAJob(t *testing.T) {
	rows := map[string]struct {
		state  v1beta1.FlinkJobState
		spoil  func(w *enginetest.Deployment)
		from   string
		reason string
	}{
		"failed, and nobody answers": {
			v1beta1.FlinkJobFailed, func(w *enginetest.Deployment) {
				w.Snapshot.Flink.Jobs = plan.Unknown[[]world.Job]("time-out")
			}, "",
			"its newest state may not be read",
		},
		"failed, and it answers": {
			v1beta1.FlinkJobFailed,
			func(*enginetest.Deployment) {},
			"file:///c/chk-7",
			"it is read",
		},
		"canceled": {
			v1beta1.FlinkJobCanceled, func(*enginetest.Deployment) {}, "file:///c/chk-7",
			"Flink removes the data of this one, too",
		},
		"failing": {v1beta1.FlinkJobFailing, func(*enginetest.Deployment) {}, "", "Flink is about to remove the data"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := savepointUpgrade(t)
			w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			w.ServeJob(v1beta1.FlinkJobFailing)
			w.Run()
			w.Snapshot.Now = w.Snapshot.Now.Add(6 * time.Minute)
			w.ServeJob(row.state)
			jobs, _ := w.Snapshot.Flink.Jobs.Get()
			jobs[0].EndTime = w.Snapshot.Now.Add(-time.Minute)
			w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/chk-7"})
			if row.state.IsTerminal() {
				w.Snapshot.Resource.Status.JobStatus.State = row.state
				w.Snapshot.Resource.Status.JobStatus.LastStateUnread = true
			}
			row.spoil(w)
			w.Run()
			if row.from == "" {
				if w.Told("Rollback") != 0 || w.Snapshot.JobManager.IsAbsent() {
					t.Errorf("rounds %q: %s", w.Log, row.reason)
				}
				return
			}
			w.Terminate()
			w.Run()
			if w.State() != v1beta1.ReconciliationRolledBack || w.From().Path != row.from {
				t.Errorf("state %s, from %+v, want %s: %s; rounds %q", w.State(), w.From(), row.from, row.reason, w.Log)
			}
		})
	}
}

// The stable spec that the user writes back is what runs; that it fails, too, is no reason to go back to it.
func TestTheStableSpecIsNotRolledBackToItself(t *testing.T) {
	w := enginetest.RolledBack(t)
	w.ServeJob(v1beta1.FlinkJobFailed)
	w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/chk-7"})
	w.Run()
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20" })
	w.Run()
	before := w.Told("Rollback")
	for range 3 {
		w.Late()
	}
	if w.Told("Rollback") != before || w.State() != v1beta1.ReconciliationDeployed ||
		w.Status().Situation != string(plan.Ended) {
		t.Errorf(
			"told %d times, %d before, state %s, situation %s, rounds %q", w.Told("Rollback"), before, w.State(),
			w.Status().Situation, w.Log,
		)
	}
}

func TestARollbackThatCannotBeIsTold(t *testing.T) {
	w := savepointUpgrade(t)
	w.Snapshot.Resource.Status.JobStatus.UpgradeSavepointPath = v1beta1.LastStatePlaceholder
	w.Fails()
	w.Late()
	c := w.Condition("Stalled")
	if c.Reason != "RollbackImpossible" || !strings.Contains(c.Message, "kubectl patch flinkdeployment demo") {
		t.Errorf("a person is not told why: %+v", c)
	}
	w.PersonDecides(true)
	w.Want(plan.Ended, v1beta1.LifecycleFailed, v1beta1.JobManagerReady, v1beta1.FlinkJobFailed)
	if p := w.Round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("a second look must be quiet, got %s", p)
	}
}

// An older Flink may not read what a newer one wrote, so going back is a person's decision, and they are told so.
func TestNoRollbackOfAFlinkVersion(t *testing.T) {
	for _, asked := range []bool{false, true} {
		w := enginetest.Stable(t, enginetest.Rolls(enginetest.Stateful))
		w.ChangesBySavepoint(nextVersion)
		if asked {
			w.Snapshot.Resource.Annotations = map[string]string{
				v1beta1.AnnotationRollback: strconv.FormatInt(w.Status().ObservedGeneration, 10),
			}
			w.Run()
		} else {
			w.Late()
		}
		if w.RunningImage() != "flink:2.2" || w.Told("Rollback") != 0 {
			t.Fatalf("asked %v: image %s, rounds %q", asked, w.RunningImage(), w.Log)
		}
		if c := w.Condition("Reconciling"); c.Reason != "RollbackUnsupported" || !strings.Contains(c.Message, "v1_20") {
			t.Errorf("asked %v: a person is not told why: %+v", asked, c)
		}
		w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
		w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkVersion, s.Image = v1beta1.FlinkV1_20, "flink:1.20" })
		w.Late()
		if w.RunningImage() != "flink:2.2" || w.Told("Rollback") != 0 {
			t.Errorf("asked %v: the old spec, written back, starts from what a newer Flink wrote; rounds %q", asked, w.Log)
		}
	}
}

func TestRollbacksThatNeedNoState(t *testing.T) {
	for name, spec := range map[string]string{
		"stateless": enginetest.Rolls(enginetest.Application),
		"session": enginetest.With(
			enginetest.Session, `"serviceAccount":"flink",`,
			`"serviceAccount":"flink","flinkConfiguration":{"kubernetes.operator.deployment.rollback.enabled":"true",`+
				`"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h"},`,
		),
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, spec)
			w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{})
			w.Edit(enginetest.UpgradeImage)
			failsAndIsRolledBack(w)
			if w.RunningImage() != "flink:1.20" || w.State() != v1beta1.ReconciliationRolledBack {
				t.Errorf("image %s, state %s, rounds %q", w.RunningImage(), w.State(), w.Log)
			}
			if name == "stateless" && w.From().Kind != v1beta1.StartEmpty {
				t.Errorf("from %+v", w.From())
			}
		})
	}
}
