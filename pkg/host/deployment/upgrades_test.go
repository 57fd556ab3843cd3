package deployment

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// savesHighlyAvailable is a job with high availability that is upgraded by savepoints.
var savesHighlyAvailable = with(highlyAvailable, `"upgradeMode":"last-state"`, `"upgradeMode":"savepoint"`)

func (w *fixture) from() v1beta1.StartPoint {
	w.t.Helper()
	if intent := w.status().Intent; intent != nil && intent.From != nil {
		return *intent.From
	}
	w.t.Fatalf("no start is open, rounds %q, conditions %+v", w.log, w.status().Conditions)
	return v1beta1.StartPoint{}
}

// runs brings a prepared or released start to a running job.
func (w *fixture) runs() {
	w.t.Helper()
	w.run()
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
}

func TestAChangeOfALostClusterUsesItsData(t *testing.T) {
	w := stable(t, savesHighlyAvailable)
	job := w.status().JobStatus.JobID
	w.lose()
	w.s.HAData = haMaps(job)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { n := int64(1); s.RestartNonce = &n })
	w.run()
	if from := w.from(); from.Kind != v1beta1.StartLastState || w.lastMode() != v1beta1.UpgradeModeLastState ||
		w.status().JobStatus.JobID != job {
		t.Errorf("from %+v, recorded %s", from, w.lastMode())
	}
	if w.recorded().Spec.RestartNonce == nil {
		t.Error("the nonce is handled with it")
	}
}

func TestAResumptionUsesWhatTheSuspensionLeft(t *testing.T) {
	w := stable(t, savesHighlyAvailable)
	old := w.status().JobStatus.JobID
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
	w.run()
	w.stopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
	w.run()
	w.want(plan.Suspended, v1beta1.LifecycleSuspended, v1beta1.JobManagerMissing, v1beta1.FlinkJobFinished)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.State, s.Job.UpgradeMode, s.Image = v1beta1.JobStateRunning, v1beta1.UpgradeModeLastState, "flink:1.20.5"
	})
	w.s.HAData = haMaps(old)
	w.run()
	w.terminate()
	w.run()
	if data, _ := w.s.HAData.Get(); len(data) != 0 {
		t.Errorf("the data of the old job would be run again: %+v", data)
	}
	if from := w.from(); from.Path != "file:///s/1" || w.runningImage() != "flink:1.20.5" ||
		w.status().JobStatus.JobID == old {
		t.Errorf("from %+v as job %s", from, w.status().JobStatus.JobID)
	}
	cluster := ""
	for _, line := range w.log {
		cluster += line
	}
	if !strings.Contains(cluster, "prepare start") {
		t.Errorf("rounds %q", w.log)
	}
}

func TestFromStatelessToLastState(t *testing.T) {
	w := stable(t, with(highlyAvailable, `"upgradeMode":"last-state"`, `"upgradeMode":"stateless"`))
	job := w.status().JobStatus.JobID
	w.s.HAData = haMaps(job)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.UpgradeMode, s.Job.Parallelism = v1beta1.UpgradeModeLastState, 4
	})
	p := w.run()
	if strings.Contains(p.String(), "savepoint") {
		t.Errorf("no savepoint is taken, got %s", p)
	}
	w.terminate()
	w.run()
	if from := w.from(); from.Path != v1beta1.LastStatePlaceholder || w.status().JobStatus.JobID != job {
		t.Errorf("from %+v", from)
	}
}

func TestAnotherVersionWaitsForTheJobToRun(t *testing.T) {
	w := stable(t, highlyAvailable)
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	before := w.status().ReconciliationStatus
	w.serve(1, plan.Unknown[[]world.Job]("connection refused"))
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkVersion = v1beta1.FlinkV2_0 })
	w.run()
	if w.status().Intent != nil || w.status().ReconciliationStatus != before {
		t.Fatalf("nothing is begun, got %+v", w.status().Intent)
	}
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	if intent := w.status().Intent; intent == nil || intent.Stop != v1beta1.StopSavepoint ||
		w.status().ReconciliationStatus.State != v1beta1.ReconciliationUpgrading {
		t.Errorf("intent %+v", intent)
	}
}

func TestARecoveryGoesBeforeAChange(t *testing.T) {
	w := stable(
		t,
		with(
			savesHighlyAvailable, `"state.savepoints.dir"`,
			`"kubernetes.operator.job.upgrade.last-state-fallback.enabled":"false","state.savepoints.dir"`,
		),
	)
	job := w.status().JobStatus.JobID
	w.lose()
	w.s.HAData = haMaps(job)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { n := int64(1); s.RestartNonce = &n })
	w.run()
	if intent := w.status().Intent; intent == nil || intent.Purpose != v1beta1.PurposeRecover ||
		intent.From.Path != v1beta1.LastStatePlaceholder || w.recorded().Spec.RestartNonce != nil {
		t.Fatalf("intent %+v, recorded %+v", intent, w.recorded().Spec.RestartNonce)
	}
	w.serveJob(v1beta1.FlinkJobRunning)
	w.s.Flink.Checkpoints = restoredFromItsOwn
	w.run()
	if intent := w.status().Intent; intent == nil || intent.Stop != v1beta1.StopSavepoint {
		t.Errorf("once it runs the change is made, got %+v, rounds %q", intent, w.log)
	}
}

func TestANonceRestarts(t *testing.T) {
	w := stable(t, application)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { n := int64(1); s.RestartNonce = &n })
	w.run()
	w.terminate()
	w.runs()
	if n := w.recorded().Spec.RestartNonce; n == nil || *n != 1 || w.told("Submit") != 2 {
		t.Errorf("recorded %v, submitted %d times", n, w.told("Submit"))
	}
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.RestartNonce = nil })
	if w.run(); w.status().Intent != nil {
		t.Error("taking the nonce away is no change")
	}
}

// ttl lets the cluster of a job that has ended stay for five minutes.
func ttl(spec string) string {
	return with(
		spec, `"flinkConfiguration":{`, `"flinkConfiguration":{"kubernetes.operator.jm-deployment.shutdown-ttl":"5 min",`,
	)
}

// keptSuspended keeps the JobManager of a suspended job.
func keptSuspended(spec string) string {
	return with(spec, `"flinkConfiguration":{`,
		`"flinkConfiguration":{"kubernetes.operator.jm-deployment.keep-suspended.enabled":"true",`)
}

func TestAnEndedJobsClusterGoes(t *testing.T) {
	rows := map[string]func(w *fixture){
		"finished": func(w *fixture) { w.serveJob(v1beta1.FlinkJobFinished); w.run() },
		"failed":   func(w *fixture) { w.serveJob(v1beta1.FlinkJobFailed); w.run() },
		"suspended by a savepoint, and kept": func(w *fixture) {
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
			w.run()
			w.stopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
			w.run()
			w.serveJob(v1beta1.FlinkJobFinished)
		},
	}
	for name, ends := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, keptSuspended(ttl(savesHighlyAvailable)))
			ends(w)
			w.s.Now = w.s.Now.Add(5 * time.Minute)
			w.run()
			if jm, ok := w.s.JobManager.Get(); !ok || jm.DeletionTimestamp != nil {
				t.Fatalf("it went before its time, rounds %q", w.log)
			}
			w.s.Now = w.s.Now.Add(time.Second)
			w.rules()
			if jm, ok := w.s.JobManager.Get(); ok && jm.DeletionTimestamp == nil {
				t.Fatalf("it is still there, rounds %q", w.log)
			}
			w.terminate()
			w.run()
			if w.s.JobManager.IsPresent() || w.status().JobManagerDeploymentStatus != v1beta1.JobManagerMissing {
				t.Errorf("it came back, rounds %q", w.log)
			}
		})
	}
}

func TestSavepointRedeploys(t *testing.T) {
	for _, mode := range []string{"stateless", "savepoint", "last-state"} {
		t.Run(mode, func(t *testing.T) {
			w := stable(t, with(stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"`+mode+`"`))
			redeploy := func(path string, nonce int64, state v1beta1.JobState) {
				w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
					s.Job.InitialSavepointPath, s.Job.SavepointRedeployNonce, s.Job.State = path, &nonce, state
				})
				w.run()
				w.terminate()
				w.run()
				if w.status().JobStatus.UpgradeSavepointPath != path || w.lastMode() != v1beta1.UpgradeModeSavepoint {
					t.Fatalf(
						"redeploy %d: path %s, recorded %s, rounds %q", nonce, w.status().JobStatus.UpgradeSavepointPath,
						w.lastMode(), w.log,
					)
				}
			}
			redeploy("file:///1", 1, v1beta1.JobStateRunning)
			w.runs()
			redeploy("file:///2", 2, v1beta1.JobStateRunning)
			redeploy("file:///2", 3, v1beta1.JobStateRunning)
			w.runs()
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.InitialSavepointPath = "file:///other" })
			if w.run(); w.status().Intent != nil {
				t.Error("another path alone is no change")
			}
		})
	}
}

func TestAFailedJobIsRestartedWhenAskedFor(t *testing.T) {
	restarts := func(spec string) string {
		return with(
			spec, `"flinkConfiguration":{`, `"flinkConfiguration":{"kubernetes.operator.job.restart.failed":"true",`,
		)
	}
	rows := map[string]struct {
		spec   string
		path   string
		want   string
		reason string
	}{
		"stateless": {restarts(application), "file:///chk", "", "it keeps none"},
		"stateful": {
			restarts(stateful), "file:///chk", "file:///chk", "from its newest checkpoint",
		},
		"stateful, without any checkpoint":   {restarts(stateful), "", "", "there is nothing to lose"},
		"with the savepoint it was given":    {restarts(given(stateful)), "", "file:///given", "it had not read it"},
		"given a savepoint, and went beyond": {restarts(given(stateful)), "file:///chk", "file:///chk", "that is newer"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			w.serveJob(v1beta1.FlinkJobFailed)
			w.s.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
			if row.path != "" {
				w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: row.path})
			}
			w.run()
			w.terminate()
			w.run()
			if from := w.from(); from.Path != row.want || w.told("RecoverDeployment") != 1 {
				t.Errorf("from %+v: %s; RecoverDeployment told %d times", from, row.reason, w.told("RecoverDeployment"))
			}
			w.runs()
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
			w := stable(t, stateful)
			w.serveJob(state)
			w.run()
			w.events = nil
			w.serveJob(v1beta1.FlinkJobCanceled)
			w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///chk"})
			w.run()
			if w.told("JobStatusChanged") != 1 {
				t.Errorf("told %+v", w.events)
			}
			w.terminate()
			w.run()
			if from := w.from(); from.Path != "file:///chk" {
				t.Errorf("from %+v", from)
			}
		})
	}
}

func TestAFailingJobIsCancelledFirst(t *testing.T) {
	w := stable(t, with(stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`))
	w.serveJob(v1beta1.FlinkJobFailing)
	w.edit(upgradeImage)
	p := w.run()
	jm, _ := w.s.JobManager.Get()
	if !strings.Contains(p.String(), "cancel job") || w.status().JobStatus.State != v1beta1.FlinkJobCancelling ||
		jm.DeletionTimestamp != nil {
		t.Errorf("got %s, job %s", p, w.status().JobStatus.State)
	}
}

func TestAnUnstartedJobManagerIsReplaced(t *testing.T) {
	rows := map[string]struct {
		spec, want string
		mode       v1beta1.UpgradeMode
	}{
		"stateless":                   {application, "", v1beta1.UpgradeModeStateless},
		"savepoint":                   {stateful, "", v1beta1.UpgradeModeStateless},
		"savepoint, given one":        {given(stateful), "file:///given", v1beta1.UpgradeModeSavepoint},
		"last-state":                  {highlyAvailable, "", v1beta1.UpgradeModeStateless},
		"last-state, given a path":    {given(highlyAvailable), "file:///given", v1beta1.UpgradeModeSavepoint},
		"savepoint, HA, given a path": {given(savesHighlyAvailable), "file:///given", v1beta1.UpgradeModeSavepoint},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, row.spec)
			w.s.HAData = plan.Present([]hadata.ConfigMap{})
			w.run()
			pod := waitingPod("ImagePullBackOff", "no such image", false)
			pod.CreationTimestamp = w.deployment().CreationTimestamp
			w.s.Pods = plan.Present([]corev1.Pod{pod})
			w.run()
			w.edit(upgradeImage)
			w.run()
			w.terminate()
			w.run()
			if from := w.from(); from.Path != row.want || w.lastMode() != row.mode || w.runningImage() != "flink:1.20.5" {
				t.Errorf("from %+v, recorded %s, image %s", from, w.lastMode(), w.runningImage())
			}
		})
	}
	t.Run("suspended with last-state, resumed, never started, data gone", func(t *testing.T) {
		w := suspended(t, highlyAvailable)
		w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
		w.run()
		pod := waitingPod("ImagePullBackOff", "no such image", false)
		jm, _ := w.s.JobManager.Get()
		pod.CreationTimestamp = jm.CreationTimestamp
		w.s.Pods, w.s.HAData = plan.Present([]corev1.Pod{pod}), plan.Present([]hadata.ConfigMap{})
		w.edit(upgradeImage)
		w.run()
		if jm, _ := w.s.JobManager.Get(); jm.DeletionTimestamp != nil || w.status().Intent != nil &&
			w.status().Intent.Step == v1beta1.StepStopping {
			t.Errorf("its last state is not known, nothing may be taken down; rounds %q", w.log)
		}
		w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.UpgradeMode = v1beta1.UpgradeModeStateless })
		w.run()
		w.terminate()
		w.run()
		if from := w.from(); from.Kind != v1beta1.StartEmpty {
			t.Errorf("told to give it up, it starts empty; from %+v", from)
		}
	})
}

func (w *fixture) deployment() *appsv1.Deployment { jm, _ := w.s.JobManager.Get(); return jm }

// An error of a change that is withdrawn is no error of what runs.
func TestAChangeThatIsWithdrawnLeavesNoError(t *testing.T) {
	w := stable(t, stateful)
	w.edit(upgradeImage)
	w.run()
	w.stopFails()
	if w.status().Error == "" || w.status().Retry == nil {
		t.Fatalf("the failed attempt is not told: %+v", w.status())
	}
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20" })
	w.run()
	if s := w.status(); s.Error != "" || s.Retry != nil {
		t.Errorf("error %q, retry %+v", s.Error, s.Retry)
	}
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
}

// A JobManager that took long to get its pod has its minute to answer from when that is ready.
func TestAReadyPodHasTimeToAnswer(t *testing.T) {
	cancels := with(
		highlyAvailable, `"flinkConfiguration":{`,
		`"flinkConfiguration":{"kubernetes.operator.job.upgrade.last-state.job-cancel.enabled":"true",`,
	)
	w := stable(t, cancels)
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	w.serve(1, plan.Unknown[[]world.Job]("connection refused"))
	w.run()
	w.s.Now = w.s.Now.Add(10 * time.Minute)
	jm := w.deployment().DeepCopy()
	jm.Status.Conditions = []appsv1.DeploymentCondition{
		{
			Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue,
			LastTransitionTime: metav1.NewTime(w.s.Now.Add(-10 * time.Second)),
		},
	}
	w.s.JobManager = plan.Present(jm)
	w.edit(upgradeImage)
	w.run()
	if intent := w.status().Intent; intent != nil {
		t.Fatalf("it is stopped by %s before it could say what its job does", intent.Stop)
	}
	w.s.Now = w.s.Now.Add(time.Minute)
	w.run()
	if intent := w.status().Intent; intent == nil || intent.Stop != v1beta1.StopLastState {
		t.Errorf("it had its time: intent %+v", intent)
	}
}
