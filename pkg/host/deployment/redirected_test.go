package deployment

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// redeploy asks for a start from a path.
func redeploy(path string, nonce int64) func(*v1beta1.FlinkDeploymentSpec) {
	return func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.InitialSavepointPath, s.Job.SavepointRedeployNonce = path, &nonce
	}
}

// What a start begins from may still be chosen until it is released.
func TestAStartIsRedirectedToAChosenState(t *testing.T) {
	refused := func(w *fixture) { w.s.JobManager = plan.Absent[*appsv1.Deployment]() } // its preparation, by a quota
	t.Run("the first", func(t *testing.T) {
		for name, edit := range map[string]func(*v1beta1.FlinkDeploymentSpec){
			"path":           func(s *v1beta1.FlinkDeploymentSpec) { s.Job.InitialSavepointPath = "file:///mine" },
			"path and nonce": redeploy("file:///mine", 1),
		} {
			w := newWorld(t, stateful)
			w.round()
			w.round()
			refused(w)
			w.edit(edit)
			w.run()
			if from := w.from(); from.Path != "file:///mine" {
				t.Errorf("%s: it starts from %+v", name, from)
			}
			w.runs()
			if w.status().JobStatus.UpgradeSavepointPath != "file:///mine" || w.status().Intent != nil {
				t.Errorf("%s: given %q, rounds %q", name, w.status().JobStatus.UpgradeSavepointPath, w.log)
			}
		}
	})
	t.Run("a recovery whose data is gone", func(t *testing.T) {
		w := stable(t, highlyAvailable)
		old := w.status().JobStatus.JobID
		w.lose()
		w.s.HAData = haMaps(old)
		w.round()
		refused(w)
		w.s.HAData = plan.Present([]hadata.ConfigMap{})
		w.run()
		w.want(plan.StateLost, v1beta1.LifecycleFailed, v1beta1.JobManagerMissing, v1beta1.FlinkJobReconciling)
		w.edit(redeploy("file:///found", 1))
		w.run()
		if from := w.from(); from.Path != "file:///found" || w.status().JobStatus.JobID == old {
			t.Errorf("from %+v, rounds %q", from, w.log)
		}
		w.runs()
		if w.told("Submit") != 3 {
			t.Errorf("%d starts, want the first, the recovery and the redeploy; rounds %q", w.told("Submit"), w.log)
		}
	})
}

// A newer choice counts as long as the old cluster ends, also when the job is to be suspended first.
func TestAStopUsesTheLastChosenState(t *testing.T) {
	suspend := func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended }
	rows := map[string][]func(*v1beta1.FlinkDeploymentSpec){
		"an upgrade":                           {upgradeImage, redeploy("file:///b", 2)},
		"a redeploy":                           {redeploy("file:///a", 1), redeploy("file:///b", 2)},
		"a redeploy, then suspended":           {redeploy("file:///a", 1), redeploy("file:///b", 2), suspend},
		"suspended, then another state chosen": {suspend, redeploy("file:///b", 2)},
	}
	for name, edits := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, highlyAvailable)
			w.s.HAData = haMaps(w.status().JobStatus.JobID)
			w.edit(edits[0])
			w.run()
			if jm := w.deployment(); jm.DeletionTimestamp == nil && !cluster.Retired(jm) {
				t.Fatalf("the old cluster does not end, rounds %q", w.log)
			}
			for _, edit := range edits[1:] {
				w.edit(edit)
				w.run()
			}
			w.terminate()
			w.s.HAData = plan.Present([]hadata.ConfigMap{})
			w.run()
			if w.status().JobStatus.UpgradeSavepointPath != "file:///b" {
				t.Fatalf("it has %q to start from, rounds %q", w.status().JobStatus.UpgradeSavepointPath, w.log)
			}
			if w.status().LifecycleState == v1beta1.LifecycleSuspended {
				w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
			}
			w.runs()
			if w.status().JobStatus.UpgradeSavepointPath != "file:///b" || w.told("Submit") != 2 {
				t.Errorf(
					"it runs from %q after %d starts, rounds %q", w.status().JobStatus.UpgradeSavepointPath, w.told("Submit"),
					w.log,
				)
			}
		})
	}
}

// A JobManager that stays after a suspension goes on telling what its job ended with.
func TestAStateChosenInASuspensionStays(t *testing.T) {
	w := stable(t, savesHighlyAvailable)
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
	w.run()
	w.edit(redeploy("file:///b", 1))
	w.stopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
	w.run()
	w.serveJob(v1beta1.FlinkJobFinished)
	jobs, _ := w.s.Flink.Jobs.Get()
	jobs[0].EndTime = w.s.Now.Add(-20 * time.Second)
	w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///s/1"})
	w.run()
	if s := w.status(); s.LifecycleState != v1beta1.LifecycleSuspended ||
		s.JobStatus.UpgradeSavepointPath != "file:///b" {
		t.Errorf("%s, to go on from %q, rounds %q", s.LifecycleState, s.JobStatus.UpgradeSavepointPath, w.log)
	}
}

// A recovery that is on its way runs a newer spec only as that spec's upgrade, so that what runs is what is recorded.
func TestARecoveryBecomesAnUpgrade(t *testing.T) {
	restarts := with(
		stateful, `"flinkConfiguration":{`, `"flinkConfiguration":{"kubernetes.operator.job.restart.failed":"true",`,
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
			w := stable(t, restarts)
			w.serveJob(v1beta1.FlinkJobFailed)
			w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///chk"})
			w.run()
			if intent := w.status().Intent; intent == nil || intent.Purpose != v1beta1.PurposeRecover {
				t.Fatalf("no recovery, rounds %q", w.log)
			}
			w.edit(row.edit)
			w.terminate()
			w.run()
			recorded := w.recordedImage(w.status().ReconciliationStatus.LastReconciledSpec)
			if upgrades := w.status().Intent.Purpose == v1beta1.PurposeUpgrade; w.runningImage() != row.image ||
				recorded != row.image || upgrades != row.upgrades {
				t.Errorf("%s runs, %s is recorded, an upgrade: %v; rounds %q", w.runningImage(), recorded, upgrades, w.log)
			}
			if w.from().Path != "file:///chk" {
				t.Errorf("from %+v", w.from())
			}
		})
	}
}

// A recovery after a rollback starts the stable spec, also when the failed one is edited where it does not matter.
func TestARecoveryKeepsWhatWasRolledBackTo(t *testing.T) {
	w := rolledBack(t)
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	w.lose()
	w.round()
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { n := int64(4); s.Job.SavepointTriggerNonce = &n })
	w.run()
	if w.deployment().DeletionTimestamp != nil {
		w.terminate()
		w.run()
	}
	if w.runningImage() != "flink:1.20" || w.state() != v1beta1.ReconciliationRolledBack {
		t.Errorf("image %s, state %s, rounds %q", w.runningImage(), w.state(), w.log)
	}
}

// chosenThenFailed is a stable spec that was redeployed from file:///p1, and a change that fails and is rolled back;
// the rollback's old cluster is gone.
func chosenThenFailed(t *testing.T) (w *fixture, before *v1beta1.FlinkDeploymentSpec) {
	t.Helper()
	w = stable(t, rollingBack)
	replace := func(edit func(*v1beta1.FlinkDeploymentSpec)) {
		w.edit(edit)
		w.run()
		w.terminate()
		w.run()
	}
	replace(redeploy("file:///p1", 1))
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	before = w.s.Resource.Spec.DeepCopy()
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	replace(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:bad" })
	w.late()
	w.terminate()
	return w, before
}

// The spec before a change that was rolled back, written back, is no choice of the state that it once chose.
func TestARestoredSpecChoosesNothing(t *testing.T) {
	for when, rounds := range map[string]int{
		"while the old cluster ends": 0, "while the rollback starts": 1, "after it": 5,
	} {
		for what, image := range map[string]string{"as it was": "", "with another image": "flink:third"} {
			t.Run(when+", "+what, func(t *testing.T) {
				w, before := chosenThenFailed(t)
				for range rounds {
					w.round()
				}
				if rounds > 1 {
					w.serveJob(v1beta1.FlinkJobRunning)
					w.run()
				}
				job := w.status().JobStatus.JobID
				w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
					*s = *before.DeepCopy()
					if image != "" {
						s.Image = image
					}
				})
				for range 3 {
					w.run()
					if jm, present := w.s.JobManager.Get(); present && jm.DeletionTimestamp != nil {
						w.terminate()
					}
				}
				if path := w.status().JobStatus.UpgradeSavepointPath; path == "file:///p1" ||
					w.status().JobStatus.JobID != job || image != "" && w.runningImage() != image {
					t.Errorf("image %s, given %q, rounds %q", w.runningImage(), path, w.log)
				}
			})
		}
	}
}

// A stop that is open stays so when the spec that would redirect it cannot be carried out.
func TestAnUnrenderableSpecKeepsAnOpenStop(t *testing.T) {
	w := stable(t, stateful)
	w.edit(upgradeImage)
	w.run()
	w.stopWith(world.StopProgress{State: world.StopInProgress})
	trigger := w.status().Intent.TriggerID
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { redeploy("file:///p1", 1)(s); s.ImagePullPolicy = "Foo" })
	w.run()
	if intent := w.status().Intent; intent == nil || intent.TriggerID != trigger ||
		w.condition("Stalled").Reason != string(plan.ReasonValidationFailed) {
		t.Errorf("intent %+v, stalled %+v", intent, w.condition("Stalled"))
	}
}

// The pass that stored a start may have ended before it dropped the job graphs. A newer spec that redirects the start
// drops them too, and waits while nobody knows which there are: Flink would run the graph of the job before.
func TestARedirectedStartWaitsForTheJobGraphs(t *testing.T) {
	w := stable(t, highlyAvailable)
	w.lose()
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	w.round()
	w.s.JobManager = plan.Absent[*appsv1.Deployment]()
	w.s.HAData = plan.Unknown[[]hadata.ConfigMap]("time-out")
	w.edit(upgradeImage)
	if p := w.round(); strings.Contains(p.String(), "prepare start") || p.Situation != plan.Unobservable {
		t.Errorf("without a word of the data: %q", p)
	}
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	if p := w.round(); !strings.Contains(p.String(), "drop job graphs from 2 ConfigMaps, prepare start") {
		t.Errorf("once it is known: %q", p)
	}
}
