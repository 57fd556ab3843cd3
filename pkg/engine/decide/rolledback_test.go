package decide_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func thirdBySavepoint(s *v1beta1.FlinkDeploymentSpec) {
	s.Job.UpgradeMode, s.Image = v1beta1.UpgradeModeSavepoint, "flink:third"
}

// stopFails lets the savepoint fail that the job is stopped with.
func stopFails(w *enginetest.Deployment) {
	w.T.Helper()
	w.StopWith(world.StopProgress{State: world.StopFailed, Cause: "disk full"})
	w.Run()
	w.Snapshot.Flink.Stop = plan.Observed[world.StopProgress]{}
}

// failsAndIsRolledBack takes a change that is under way to its release, and back again when it does not become stable.
func failsAndIsRolledBack(w *enginetest.Deployment) {
	w.T.Helper()
	w.Run()
	w.Terminate()
	w.Run()
	w.Late()
	w.Terminate()
	w.Run()
}

// A change after a rollback begins from what runs. If it comes to nothing, that is what still runs, and not the spec
// that failed.
func TestAChangeAfterAVainRollback(t *testing.T) {
	w := enginetest.RolledBack(t)
	failed := w.Snapshot.Resource.Spec.Image
	w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
	w.Edit(thirdBySavepoint)
	w.Run()
	stopFails(w)
	w.Run()
	r := w.Status().ReconciliationStatus
	if recorded, stable := w.RecordedImage(r.LastReconciledSpec),
		w.RecordedImage(r.LastStableSpec); recorded != "flink:1.20" || stable != "flink:1.20" {
		t.Fatalf("%s is recorded and %s is stable, and flink:1.20 runs", recorded, stable)
	}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.UpgradeMode, s.Image = v1beta1.UpgradeModeLastState, failed
	})
	w.Run()
	if intent := w.Status().Intent; intent == nil || intent.Purpose != v1beta1.PurposeUpgrade {
		t.Errorf("the spec that failed does not run, so asking for it is a change; rounds %q", w.Log)
	}
}

// A failed stop is no reason to roll back to what runs, also when the spec that failed had chosen another state.
func TestNoSecondRollbackForAFailedStop(t *testing.T) {
	w, _ := enginetest.ChosenThenFailed(t)
	w.Run()
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	told := w.Told("Rollback")
	w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
	w.Snapshot.Now = w.Snapshot.Now.Add(time.Hour)
	w.Edit(thirdBySavepoint)
	w.Run()
	stopFails(w)
	w.ServeJob(v1beta1.FlinkJobRestarting)
	jobs, _ := w.Snapshot.Flink.Jobs.Get()
	jobs[0].Running = 0
	w.Run()
	if w.Told("Rollback") != told || w.Status().Retry == nil || w.RunningImage() != "flink:1.20" {
		t.Errorf("told %d times, %d before, retry %+v, rounds %q", w.Told("Rollback"), told, w.Status().Retry, w.Log)
	}
}

// What the stable spec's cluster is asked while it is stopped is asked where it answers.
func TestAStopAfterARollbackAsksWhatRuns(t *testing.T) {
	w := enginetest.Failing(t, enginetest.RollingBack)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = bytes.Replace(
			s.FlinkConfiguration, []byte(`"state.savepoints.dir"`), []byte(`"rest.port":"9999","state.savepoints.dir"`), 1,
		)
	})
	failsAndIsRolledBack(w)
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	before := deployment.Open(w.Snapshot).First().Flink.URL
	w.Edit(thirdBySavepoint)
	w.Run()
	if intent := w.Status().Intent; intent == nil || intent.Stop != v1beta1.StopSavepoint {
		t.Fatalf("no stop with savepoint, rounds %q", w.Log)
	}
	if after := deployment.Open(w.Snapshot).First().Flink.URL; after != before {
		t.Errorf("the savepoint was asked for at %s and is looked for at %s", before, after)
	}
}

// The stable spec cannot start from high-availability data where it does not look for any.
func TestNoRollbackToHADataWithoutHA(t *testing.T) {
	on := `"kubernetes.operator.deployment.rollback.enabled":"true","high-availability.type":"kubernetes",` +
		`"high-availability.storageDir":"file:///h",`
	w := enginetest.Stable(t, enginetest.Stateful)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Image = "flink:bad"
		s.FlinkConfiguration = bytes.Replace(
			s.FlinkConfiguration, []byte(`"state.savepoints.dir"`), []byte(on+`"state.savepoints.dir"`), 1,
		)
	})
	w.Run()
	w.StopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
	w.Run()
	w.Terminate()
	w.Run()
	w.ServeJob(v1beta1.FlinkJobRestarting)
	w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
	w.Run()
	w.Snapshot.Now = w.Snapshot.Now.Add(6 * time.Minute)
	w.Run()
	if w.RunningImage() != "flink:bad" || w.Told("Rollback") != 0 ||
		w.Status().JobStatus.UpgradeSavepointPath != "file:///s/1" {
		t.Fatalf("image %s, given %s, rounds %q", w.RunningImage(), w.Status().JobStatus.UpgradeSavepointPath, w.Log)
	}
	if c := w.Condition("Reconciling"); c.Reason != "RollbackImpossible" {
		t.Errorf("a person is not told: %+v", c)
	}
}
