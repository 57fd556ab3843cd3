package operation_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// What a start begins from may still be chosen until it is released.
func TestAStartIsRedirectedToAChosenState(t *testing.T) {
	// its preparation, by a quota
	refused := func(w *enginetest.Deployment) { w.Snapshot.JobManager = plan.Absent[*appsv1.Deployment]() }
	t.Run("the first", func(t *testing.T) {
		for name, edit := range map[string]func(*v1beta1.FlinkDeploymentSpec){
			"path":           func(s *v1beta1.FlinkDeploymentSpec) { s.Job.InitialSavepointPath = "file:///mine" },
			"path and nonce": enginetest.Redeploy("file:///mine", 1),
		} {
			w := enginetest.NewDeployment(t, enginetest.Stateful)
			w.Round()
			w.Round()
			refused(w)
			w.Edit(edit)
			w.Run()
			if from := w.From(); from.Path != "file:///mine" {
				t.Errorf("%s: it starts from %+v", name, from)
			}
			w.Runs()
			if w.Status().JobStatus.UpgradeSavepointPath != "file:///mine" || w.Status().Intent != nil {
				t.Errorf("%s: given %q, rounds %q", name, w.Status().JobStatus.UpgradeSavepointPath, w.Log)
			}
		}
	})
	t.Run("a recovery whose data is gone", func(t *testing.T) {
		w := enginetest.Stable(t, enginetest.HighlyAvailable)
		old := w.Status().JobStatus.JobID
		w.Lose()
		w.Snapshot.HAData = enginetest.HaMaps(old)
		w.Round()
		refused(w)
		w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{})
		w.Run()
		w.Want(plan.StateLost, v1beta1.LifecycleFailed, v1beta1.JobManagerMissing, v1beta1.FlinkJobReconciling)
		w.Edit(enginetest.Redeploy("file:///found", 1))
		w.Run()
		if from := w.From(); from.Path != "file:///found" || w.Status().JobStatus.JobID == old {
			t.Errorf("from %+v, rounds %q", from, w.Log)
		}
		w.Runs()
		if w.Told("Submit") != 3 {
			t.Errorf("%d starts, want the first, the recovery and the redeploy; rounds %q", w.Told("Submit"), w.Log)
		}
	})
}

// A newer choice counts as long as the old cluster ends, also when the job is to be suspended first.
func TestAStopUsesTheLastChosenState(t *testing.T) {
	suspend := func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended }
	rows := map[string][]func(*v1beta1.FlinkDeploymentSpec){
		"an upgrade": {enginetest.UpgradeImage, enginetest.Redeploy("file:///b", 2)},
		"a redeploy": {enginetest.Redeploy("file:///a", 1), enginetest.Redeploy("file:///b", 2)},
		"a redeploy, then suspended": {
			enginetest.Redeploy("file:///a", 1),
			enginetest.Redeploy("file:///b", 2),
			suspend,
		},
		"suspended, then another state chosen": {suspend, enginetest.Redeploy("file:///b", 2)},
	}
	for name, edits := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.HighlyAvailable)
			w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			w.Edit(edits[0])
			w.Run()
			if jm := w.Deployment(); jm.DeletionTimestamp == nil && !cluster.Retired(jm) {
				t.Fatalf("the old cluster does not end, rounds %q", w.Log)
			}
			for _, edit := range edits[1:] {
				w.Edit(edit)
				w.Run()
			}
			w.Terminate()
			w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{})
			w.Run()
			if w.Status().JobStatus.UpgradeSavepointPath != "file:///b" {
				t.Fatalf("it has %q to start from, rounds %q", w.Status().JobStatus.UpgradeSavepointPath, w.Log)
			}
			if w.Status().LifecycleState == v1beta1.LifecycleSuspended {
				w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
			}
			w.Runs()
			if w.Status().JobStatus.UpgradeSavepointPath != "file:///b" || w.Told("Submit") != 2 {
				t.Errorf(
					"it runs from %q after %d starts, rounds %q", w.Status().JobStatus.UpgradeSavepointPath, w.Told("Submit"),
					w.Log,
				)
			}
		})
	}
}

// A JobManager that stays after a suspension goes on telling what its job ended with.
func TestAStateChosenInASuspensionStays(t *testing.T) {
	w := enginetest.Stable(t, enginetest.SavesHighlyAvailable)
	w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
	w.Run()
	w.Edit(enginetest.Redeploy("file:///b", 1))
	w.StopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
	w.Run()
	w.ServeJob(v1beta1.FlinkJobFinished)
	jobs, _ := w.Snapshot.Flink.Jobs.Get()
	jobs[0].EndTime = w.Snapshot.Now.Add(-20 * time.Second)
	w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///s/1"})
	w.Run()
	if s := w.Status(); s.LifecycleState != v1beta1.LifecycleSuspended ||
		s.JobStatus.UpgradeSavepointPath != "file:///b" {
		t.Errorf("%s, to go on from %q, rounds %q", s.LifecycleState, s.JobStatus.UpgradeSavepointPath, w.Log)
	}
}

// A recovery that is on its way runs a newer spec only as that spec's upgrade, so that what runs is what is recorded.
func TestARecoveryBecomesAnUpgrade(t *testing.T) {
	restarts := enginetest.With(
		enginetest.Stateful,
		`"flinkConfiguration":{`,
		`"flinkConfiguration":{"kubernetes.operator.job.restart.failed":"true",`,
	)
	rows := map[string]struct {
		edit     func(*v1beta1.FlinkDeploymentSpec)
		image    string
		upgrades bool
	}{
		"another image": {
			func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:newer" }, "flink:newer", true,
		},
		"nothing that needs a new start": {
			func(s *v1beta1.FlinkDeploymentSpec) { n := int64(4); s.Job.SavepointTriggerNonce = &n }, "flink:1.20", false,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, restarts)
			w.ServeJob(v1beta1.FlinkJobFailed)
			w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///chk"})
			w.Run()
			if intent := w.Status().Intent; intent == nil || intent.Purpose != v1beta1.PurposeRecover {
				t.Fatalf("no recovery, rounds %q", w.Log)
			}
			w.Edit(row.edit)
			w.Terminate()
			w.Run()
			recorded := w.RecordedImage(w.Status().ReconciliationStatus.LastReconciledSpec)
			if upgrades := w.Status().Intent.Purpose == v1beta1.PurposeUpgrade; w.RunningImage() != row.image ||
				recorded != row.image || upgrades != row.upgrades {
				t.Errorf("%s runs, %s is recorded, an upgrade: %v; rounds %q", w.RunningImage(), recorded, upgrades, w.Log)
			}
			if w.From().Path != "file:///chk" {
				t.Errorf("from %+v", w.From())
			}
		})
	}
}

// A recovery after a rollback starts the stable spec, also when the failed one is edited where it does not matter.
func TestARecoveryKeepsWhatWasRolledBackTo(t *testing.T) {
	w := enginetest.RolledBack(t)
	w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
	w.Lose()
	w.Round()
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { n := int64(4); s.Job.SavepointTriggerNonce = &n })
	w.Run()
	if w.Deployment().DeletionTimestamp != nil {
		w.Terminate()
		w.Run()
	}
	if w.RunningImage() != "flink:1.20" || w.State() != v1beta1.ReconciliationRolledBack {
		t.Errorf("image %s, state %s, rounds %q", w.RunningImage(), w.State(), w.Log)
	}
}

// The spec before a change that was rolled back, written back, is no choice of the state that it once chose.
func TestARestoredSpecChoosesNothing(t *testing.T) {
	for when, rounds := range map[string]int{
		"while the old cluster ends": 0, "while the rollback starts": 1, "after it": 5,
	} {
		for what, image := range map[string]string{"as it was": "", "with another image": "flink:third"} {
			t.Run(when+", "+what, func(t *testing.T) {
				w, before := enginetest.ChosenThenFailed(t)
				for range rounds {
					w.Round()
				}
				if rounds > 1 {
					w.ServeJob(v1beta1.FlinkJobRunning)
					w.Run()
				}
				job := w.Status().JobStatus.JobID
				w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
					*s = *before.DeepCopy()
					if image != "" {
						s.Image = image
					}
				})
				for range 3 {
					w.Run()
					if jm, present := w.Snapshot.JobManager.Get(); present && jm.DeletionTimestamp != nil {
						w.Terminate()
					}
				}
				if path := w.Status().JobStatus.UpgradeSavepointPath; path == "file:///p1" ||
					w.Status().JobStatus.JobID != job || image != "" && w.RunningImage() != image {
					t.Errorf("image %s, given %q, rounds %q", w.RunningImage(), path, w.Log)
				}
			})
		}
	}
}

// A stop that is open stays so when the spec that would redirect it cannot be carried out.
func TestAnUnrenderableSpecKeepsAnOpenStop(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	w.StopWith(world.StopProgress{State: world.StopInProgress})
	trigger := w.Status().Intent.TriggerID
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		enginetest.Redeploy("file:///p1", 1)(s)
		s.ImagePullPolicy = "Foo"
	})
	w.Run()
	if intent := w.Status().Intent; intent == nil || intent.TriggerID != trigger ||
		w.Condition("Stalled").Reason != string(plan.ReasonValidationFailed) {
		t.Errorf("intent %+v, stalled %+v", intent, w.Condition("Stalled"))
	}
}

// The pass that stored a start may have ended before it dropped the job graphs. A newer spec that redirects the start
// drops them too, and waits while nobody knows which there are: Flink would run the graph of the job before.
func TestARedirectedStartWaitsForTheJobGraphs(t *testing.T) {
	w := enginetest.Stable(t, enginetest.HighlyAvailable)
	w.Lose()
	w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
	w.Round()
	w.Snapshot.JobManager = plan.Absent[*appsv1.Deployment]()
	w.Snapshot.HAData = plan.Unknown[[]hadata.ConfigMap]("time-out")
	w.Edit(enginetest.UpgradeImage)
	if p := w.Round(); strings.Contains(p.String(), "prepare start") || p.Situation != plan.Unobservable {
		t.Errorf("without a word of the data: %q", p)
	}
	w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
	if p := w.Round(); !strings.Contains(p.String(), "drop job graphs from 2 ConfigMaps, prepare start") {
		t.Errorf("once it is known: %q", p)
	}
}
