package decide_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

func TestAChangeOfALostClusterUsesItsData(t *testing.T) {
	w := enginetest.Stable(t, enginetest.SavesHighlyAvailable)
	job := w.Status().JobStatus.JobID
	w.Lose()
	w.Snapshot.HAData = enginetest.HaMaps(job)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { n := int64(1); s.RestartNonce = &n })
	w.Run()
	if from := w.From(); from.Kind != v1beta1.StartLastState || w.LastMode() != v1beta1.UpgradeModeLastState ||
		w.Status().JobStatus.JobID != job {
		t.Errorf("from %+v, recorded %s", from, w.LastMode())
	}
	if w.Recorded().Spec.RestartNonce == nil {
		t.Error("the nonce is handled with it")
	}
}

func TestAResumptionUsesWhatTheSuspensionLeft(t *testing.T) {
	w := enginetest.Stable(t, enginetest.SavesHighlyAvailable)
	old := w.Status().JobStatus.JobID
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
	w.Run()
	w.StopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
	w.Run()
	w.Want(plan.Suspended, v1beta1.LifecycleSuspended, v1beta1.JobManagerMissing, v1beta1.FlinkJobFinished)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.State, s.Job.UpgradeMode, s.Image = v1beta1.JobStateRunning, v1beta1.UpgradeModeLastState, "flink:1.20.5"
	})
	w.Snapshot.HAData = enginetest.HaMaps(old)
	w.Run()
	w.Terminate()
	w.Run()
	if data, _ := w.Snapshot.HAData.Get(); len(data) != 0 {
		t.Errorf("the data of the old job would be run again: %+v", data)
	}
	if from := w.From(); from.Path != "file:///s/1" || w.RunningImage() != "flink:1.20.5" ||
		w.Status().JobStatus.JobID == old {
		t.Errorf("from %+v as job %s", from, w.Status().JobStatus.JobID)
	}
	cluster := ""
	for _, line := range w.Log {
		cluster += line
	}
	if !strings.Contains(cluster, "prepare start") {
		t.Errorf("rounds %q", w.Log)
	}
}

func TestFromStatelessToLastState(t *testing.T) {
	w := enginetest.Stable(
		t,
		enginetest.With(enginetest.HighlyAvailable, `"upgradeMode":"last-state"`, `"upgradeMode":"stateless"`),
	)
	job := w.Status().JobStatus.JobID
	w.Snapshot.HAData = enginetest.HaMaps(job)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.UpgradeMode, s.Job.Parallelism = v1beta1.UpgradeModeLastState, 4
	})
	p := w.Run()
	if strings.Contains(p.String(), "savepoint") {
		t.Errorf("no savepoint is taken, got %s", p)
	}
	w.Terminate()
	w.Run()
	if from := w.From(); from.Path != v1beta1.LastStatePlaceholder || w.Status().JobStatus.JobID != job {
		t.Errorf("from %+v", from)
	}
}

func TestAnotherVersionWaitsForTheJobToRun(t *testing.T) {
	w := enginetest.Stable(t, enginetest.HighlyAvailable)
	w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
	before := w.Status().ReconciliationStatus
	w.Serve(1, plan.Unknown[[]world.Job]("connection refused"))
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkVersion = v1beta1.FlinkV2_0 })
	w.Run()
	if w.Status().Intent != nil || w.Status().ReconciliationStatus != before {
		t.Fatalf("nothing is begun, got %+v", w.Status().Intent)
	}
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	if intent := w.Status().Intent; intent == nil || intent.Stop != v1beta1.StopSavepoint ||
		w.Status().ReconciliationStatus.State != v1beta1.ReconciliationUpgrading {
		t.Errorf("intent %+v", intent)
	}
}

func TestARecoveryGoesBeforeAChange(t *testing.T) {
	w := enginetest.Stable(
		t,
		enginetest.With(
			enginetest.SavesHighlyAvailable, `"state.savepoints.dir"`,
			`"kubernetes.operator.job.upgrade.last-state-fallback.enabled":"false","state.savepoints.dir"`,
		),
	)
	job := w.Status().JobStatus.JobID
	w.Lose()
	w.Snapshot.HAData = enginetest.HaMaps(job)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { n := int64(1); s.RestartNonce = &n })
	w.Run()
	if intent := w.Status().Intent; intent == nil || intent.Purpose != v1beta1.PurposeRecover ||
		intent.From.Path != v1beta1.LastStatePlaceholder || w.Recorded().Spec.RestartNonce != nil {
		t.Fatalf("intent %+v, recorded %+v", intent, w.Recorded().Spec.RestartNonce)
	}
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Snapshot.Flink.Checkpoints = enginetest.RestoredFromItsOwn
	w.Run()
	if intent := w.Status().Intent; intent == nil || intent.Stop != v1beta1.StopSavepoint {
		t.Errorf("once it runs the change is made, got %+v, rounds %q", intent, w.Log)
	}
}

func TestANonceRestarts(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { n := int64(1); s.RestartNonce = &n })
	w.Run()
	w.Terminate()
	w.Runs()
	if n := w.Recorded().Spec.RestartNonce; n == nil || *n != 1 || w.Told("Submit") != 2 {
		t.Errorf("recorded %v, submitted %d times", n, w.Told("Submit"))
	}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.RestartNonce = nil })
	if w.Run(); w.Status().Intent != nil {
		t.Error("taking the nonce away is no change")
	}
}

func TestAnEndedJobsClusterGoes(t *testing.T) {
	rows := map[string]func(w *enginetest.Deployment){
		"finished": func(w *enginetest.Deployment) { w.ServeJob(v1beta1.FlinkJobFinished); w.Run() },
		"failed":   func(w *enginetest.Deployment) { w.ServeJob(v1beta1.FlinkJobFailed); w.Run() },
		"suspended by a savepoint, and kept": func(w *enginetest.Deployment) {
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
			w.Run()
			w.StopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
			w.Run()
			w.ServeJob(v1beta1.FlinkJobFinished)
		},
	}
	for name, ends := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.KeptSuspended(enginetest.Ttl(enginetest.SavesHighlyAvailable)))
			ends(w)
			w.Snapshot.Now = w.Snapshot.Now.Add(5 * time.Minute)
			w.Run()
			if jm, ok := w.Snapshot.JobManager.Get(); !ok || jm.DeletionTimestamp != nil {
				t.Fatalf("it went before its time, rounds %q", w.Log)
			}
			w.Snapshot.Now = w.Snapshot.Now.Add(time.Second)
			w.Rules()
			if jm, ok := w.Snapshot.JobManager.Get(); ok && jm.DeletionTimestamp == nil {
				t.Fatalf("it is still there, rounds %q", w.Log)
			}
			w.Terminate()
			w.Run()
			if w.Snapshot.JobManager.IsPresent() || w.Status().JobManagerDeploymentStatus != v1beta1.JobManagerMissing {
				t.Errorf("it came back, rounds %q", w.Log)
			}
		})
	}
}

func TestSavepointRedeploys(t *testing.T) {
	for _, mode := range []string{"stateless", "savepoint", "last-state"} {
		t.Run(mode, func(t *testing.T) {
			w := enginetest.Stable(
				t,
				enginetest.With(enginetest.Stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"`+mode+`"`),
			)
			redeploy := func(path string, nonce int64, state v1beta1.JobState) {
				w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
					s.Job.InitialSavepointPath, s.Job.SavepointRedeployNonce, s.Job.State = path, &nonce, state
				})
				w.Run()
				w.Terminate()
				w.Run()
				if w.Status().JobStatus.UpgradeSavepointPath != path || w.LastMode() != v1beta1.UpgradeModeSavepoint {
					t.Fatalf(
						"redeploy %d: path %s, recorded %s, rounds %q", nonce, w.Status().JobStatus.UpgradeSavepointPath,
						w.LastMode(), w.Log,
					)
				}
			}
			redeploy("file:///1", 1, v1beta1.JobStateRunning)
			w.Runs()
			redeploy("file:///2", 2, v1beta1.JobStateRunning)
			redeploy("file:///2", 3, v1beta1.JobStateRunning)
			w.Runs()
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.InitialSavepointPath = "file:///other" })
			if w.Run(); w.Status().Intent != nil {
				t.Error("another path alone is no change")
			}
		})
	}
}

func TestAFailedJobIsRestartedWhenAskedFor(t *testing.T) {
	restarts := func(spec string) string {
		return enginetest.With(
			spec, `"flinkConfiguration":{`, `"flinkConfiguration":{"kubernetes.operator.job.restart.failed":"true",`,
		)
	}
	rows := map[string]struct {
		spec   string
		path   string
		want   string
		reason string
	}{
		"stateless": {restarts(enginetest.Application), "file:///chk", "", "it keeps none"},
		"stateful": {
			restarts(enginetest.Stateful), "file:///chk", "file:///chk", "from its newest checkpoint",
		},
		"stateful, without any checkpoint": {restarts(enginetest.Stateful), "", "", "there is nothing to lose"},
		"with the savepoint it was given": {
			restarts(enginetest.Given(enginetest.Stateful)),
			"",
			"file:///given",
			"it had not read it",
		},
		"given a savepoint, and went beyond": {
			restarts(enginetest.Given(enginetest.Stateful)),
			"file:///chk",
			"file:///chk",
			"that is newer",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			w.ServeJob(v1beta1.FlinkJobFailed)
			w.Snapshot.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
			if row.path != "" {
				w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: row.path})
			}
			w.Run()
			w.Terminate()
			w.Run()
			if from := w.From(); from.Path != row.want || w.Told("RecoverDeployment") != 1 {
				t.Errorf("from %+v: %s; RecoverDeployment told %d times", from, row.reason, w.Told("RecoverDeployment"))
			}
			w.Runs()
		})
	}
}

func TestAJobSomebodyCancelledStartsAgain(t *testing.T) {
	for _, state := range []v1beta1.FlinkJobState{
		v1beta1.FlinkJobInitializing, v1beta1.FlinkJobCreated, v1beta1.FlinkJobRunning, v1beta1.FlinkJobFailing,
		v1beta1.FlinkJobCancelling,
		v1beta1.FlinkJobRestarting, v1beta1.FlinkJobReconciling,
	} {
		t.Run(string(state), func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.Stateful)
			w.ServeJob(state)
			w.Run()
			w.Events = nil
			w.ServeJob(v1beta1.FlinkJobCanceled)
			w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///chk"})
			w.Run()
			if w.Told("JobStatusChanged") != 1 {
				t.Errorf("told %+v", w.Events)
			}
			w.Terminate()
			w.Run()
			if from := w.From(); from.Path != "file:///chk" {
				t.Errorf("from %+v", from)
			}
		})
	}
}

func TestAFailingJobIsCancelledFirst(t *testing.T) {
	w := enginetest.Stable(
		t,
		enginetest.With(enginetest.Stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`),
	)
	w.ServeJob(v1beta1.FlinkJobFailing)
	w.Edit(enginetest.UpgradeImage)
	p := w.Run()
	jm, _ := w.Snapshot.JobManager.Get()
	if !strings.Contains(p.String(), "cancel job") || w.Status().JobStatus.State != v1beta1.FlinkJobCancelling ||
		jm.DeletionTimestamp != nil {
		t.Errorf("got %s, job %s", p, w.Status().JobStatus.State)
	}
}

func TestAnUnstartedJobManagerIsReplaced(t *testing.T) {
	rows := map[string]struct {
		spec, want string
		mode       v1beta1.UpgradeMode
	}{
		"stateless": {enginetest.Application, "", v1beta1.UpgradeModeStateless},
		"savepoint": {enginetest.Stateful, "", v1beta1.UpgradeModeStateless},
		"savepoint, given one": {
			enginetest.Given(enginetest.Stateful),
			"file:///given",
			v1beta1.UpgradeModeSavepoint,
		},
		"last-state": {enginetest.HighlyAvailable, "", v1beta1.UpgradeModeStateless},
		"last-state, given a path": {
			enginetest.Given(enginetest.HighlyAvailable),
			"file:///given",
			v1beta1.UpgradeModeSavepoint,
		},
		"savepoint, HA, given a path": {
			enginetest.Given(enginetest.SavesHighlyAvailable),
			"file:///given",
			v1beta1.UpgradeModeSavepoint,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewDeployment(t, row.spec)
			w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{})
			w.Run()
			pod := enginetest.WaitingPod("ImagePullBackOff", "no such image", false)
			pod.CreationTimestamp = w.Deployment().CreationTimestamp
			w.Snapshot.Pods = plan.Present([]corev1.Pod{pod})
			w.Run()
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			w.Terminate()
			w.Run()
			if from := w.From(); from.Path != row.want || w.LastMode() != row.mode || w.RunningImage() != "flink:1.20.5" {
				t.Errorf("from %+v, recorded %s, image %s", from, w.LastMode(), w.RunningImage())
			}
		})
	}
	t.Run("suspended with last-state, resumed, never started, data gone", func(t *testing.T) {
		w := enginetest.Suspended(t, enginetest.HighlyAvailable)
		w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
		w.Run()
		pod := enginetest.WaitingPod("ImagePullBackOff", "no such image", false)
		jm, _ := w.Snapshot.JobManager.Get()
		pod.CreationTimestamp = jm.CreationTimestamp
		w.Snapshot.Pods, w.Snapshot.HAData = plan.Present([]corev1.Pod{pod}), plan.Present([]hadata.ConfigMap{})
		w.Edit(enginetest.UpgradeImage)
		w.Run()
		if jm, _ := w.Snapshot.JobManager.Get(); jm.DeletionTimestamp != nil || w.Status().Intent != nil &&
			w.Status().Intent.Step == v1beta1.StepStopping {
			t.Errorf("its last state is not known, nothing may be taken down; rounds %q", w.Log)
		}
		w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.UpgradeMode = v1beta1.UpgradeModeStateless })
		w.Run()
		w.Terminate()
		w.Run()
		if from := w.From(); from.Kind != v1beta1.StartEmpty {
			t.Errorf("told to give it up, it starts empty; from %+v", from)
		}
	})
}

// An error of a change that is withdrawn is no error of what runs.
func TestAChangeThatIsWithdrawnLeavesNoError(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	stopFails(w)
	if w.Status().Error == "" || w.Status().Retry == nil {
		t.Fatalf("the failed attempt is not told: %+v", w.Status())
	}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20" })
	w.Run()
	if s := w.Status(); s.Error != "" || s.Retry != nil {
		t.Errorf("error %q, retry %+v", s.Error, s.Retry)
	}
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
}

// A JobManager that took long to get its pod has its minute to answer from when that is ready.
func TestAReadyPodHasTimeToAnswer(t *testing.T) {
	cancels := enginetest.With(
		enginetest.HighlyAvailable, `"flinkConfiguration":{`,
		`"flinkConfiguration":{"kubernetes.operator.job.upgrade.last-state.job-cancel.enabled":"true",`,
	)
	w := enginetest.Stable(t, cancels)
	w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
	w.Serve(1, plan.Unknown[[]world.Job]("connection refused"))
	w.Run()
	w.Snapshot.Now = w.Snapshot.Now.Add(10 * time.Minute)
	jm := w.Deployment().DeepCopy()
	jm.Status.Conditions = []appsv1.DeploymentCondition{
		{
			Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue,
			LastTransitionTime: metav1.NewTime(w.Snapshot.Now.Add(-10 * time.Second)),
		},
	}
	w.Snapshot.JobManager = plan.Present(jm)
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	if intent := w.Status().Intent; intent != nil {
		t.Fatalf("it is stopped by %s before it could say what its job does", intent.Stop)
	}
	w.Snapshot.Now = w.Snapshot.Now.Add(time.Minute)
	w.Run()
	if intent := w.Status().Intent; intent == nil || intent.Stop != v1beta1.StopLastState {
		t.Errorf("it had its time: intent %+v", intent)
	}
}
