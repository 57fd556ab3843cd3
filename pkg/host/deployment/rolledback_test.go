package deployment

import (
	"bytes"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// recordedImage is the image of a recorded spec.
func (w *fixture) recordedImage(text string) string {
	w.t.Helper()
	r, err := v1beta1.ParseReconciledDeployment(text)
	if err != nil {
		w.t.Fatal(err)
	}
	return r.Spec.Image
}

func thirdBySavepoint(s *v1beta1.FlinkDeploymentSpec) {
	s.Job.UpgradeMode, s.Image = v1beta1.UpgradeModeSavepoint, "flink:third"
}

// stopFails lets the savepoint fail that the job is stopped with.
func (w *fixture) stopFails() {
	w.t.Helper()
	w.stopWith(world.StopProgress{State: world.StopFailed, Cause: "disk full"})
	w.run()
	w.s.Flink.Stop = plan.Observed[world.StopProgress]{}
}

// failsAndIsRolledBack takes a change that is under way to its release, and back again when it does not become stable.
func (w *fixture) failsAndIsRolledBack() {
	w.t.Helper()
	w.run()
	w.terminate()
	w.run()
	w.late()
	w.terminate()
	w.run()
}

// A change after a rollback begins from what runs. If it comes to nothing, that is what still runs, and not the spec
// that failed.
func TestAChangeAfterAVainRollback(t *testing.T) {
	w := rolledBack(t)
	failed := w.s.Resource.Spec.Image
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	w.edit(thirdBySavepoint)
	w.run()
	w.stopFails()
	w.run()
	r := w.status().ReconciliationStatus
	if recorded, stable := w.recordedImage(r.LastReconciledSpec),
		w.recordedImage(r.LastStableSpec); recorded != "flink:1.20" || stable != "flink:1.20" {
		t.Fatalf("%s is recorded and %s is stable, and flink:1.20 runs", recorded, stable)
	}
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.UpgradeMode, s.Image = v1beta1.UpgradeModeLastState, failed
	})
	w.run()
	if intent := w.status().Intent; intent == nil || intent.Purpose != v1beta1.PurposeUpgrade {
		t.Errorf("the spec that failed does not run, so asking for it is a change; rounds %q", w.log)
	}
}

// A failed stop is no reason to roll back to what runs, also when the spec that failed had chosen another state.
func TestNoSecondRollbackForAFailedStop(t *testing.T) {
	w, _ := chosenThenFailed(t)
	w.run()
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	told := w.told("Rollback")
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	w.s.Now = w.s.Now.Add(time.Hour)
	w.edit(thirdBySavepoint)
	w.run()
	w.stopFails()
	w.serveJob(v1beta1.FlinkJobRestarting)
	jobs, _ := w.s.Flink.Jobs.Get()
	jobs[0].Running = 0
	w.run()
	if w.told("Rollback") != told || w.status().Retry == nil || w.runningImage() != "flink:1.20" {
		t.Errorf("told %d times, %d before, retry %+v, rounds %q", w.told("Rollback"), told, w.status().Retry, w.log)
	}
}

// What the stable spec's cluster is asked while it is stopped is asked where it answers.
func TestAStopAfterARollbackAsksWhatRuns(t *testing.T) {
	w := failing(t, rollingBack)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = bytes.Replace(
			s.FlinkConfiguration, []byte(`"state.savepoints.dir"`), []byte(`"rest.port":"9999","state.savepoints.dir"`), 1,
		)
	})
	w.failsAndIsRolledBack()
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	before := Open(w.s).First().Flink.URL
	w.edit(thirdBySavepoint)
	w.run()
	if intent := w.status().Intent; intent == nil || intent.Stop != v1beta1.StopSavepoint {
		t.Fatalf("no stop with savepoint, rounds %q", w.log)
	}
	if after := Open(w.s).First().Flink.URL; after != before {
		t.Errorf("the savepoint was asked for at %s and is looked for at %s", before, after)
	}
}

// The stable spec cannot start from high-availability data where it does not look for any.
func TestNoRollbackToHADataWithoutHA(t *testing.T) {
	on := `"kubernetes.operator.deployment.rollback.enabled":"true","high-availability.type":"kubernetes",` +
		`"high-availability.storageDir":"file:///h",`
	w := stable(t, stateful)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Image = "flink:bad"
		s.FlinkConfiguration = bytes.Replace(
			s.FlinkConfiguration, []byte(`"state.savepoints.dir"`), []byte(on+`"state.savepoints.dir"`), 1,
		)
	})
	w.run()
	w.stopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
	w.run()
	w.terminate()
	w.run()
	w.serveJob(v1beta1.FlinkJobRestarting)
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	w.run()
	w.s.Now = w.s.Now.Add(6 * time.Minute)
	w.run()
	if w.runningImage() != "flink:bad" || w.told("Rollback") != 0 ||
		w.status().JobStatus.UpgradeSavepointPath != "file:///s/1" {
		t.Fatalf("image %s, given %s, rounds %q", w.runningImage(), w.status().JobStatus.UpgradeSavepointPath, w.log)
	}
	if c := w.condition("Reconciling"); c.Reason != "RollbackImpossible" {
		t.Errorf("a person is not told: %+v", c)
	}
}
