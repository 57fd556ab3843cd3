package decide_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func TestALostClusterIsStartedAgain(t *testing.T) {
	off := func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(
			`{"taskmanager.numberOfTaskSlots":"2","kubernetes.operator.jm-deployment-recovery.enabled":"false"}`,
		)
	}
	rows := map[string]struct {
		spec   string
		edit   func(*v1beta1.FlinkDeploymentSpec)
		want   plan.Situation
		starts bool
		reason string
	}{
		"stateless": {
			enginetest.Application,
			nil,
			plan.Waiting,
			true,
			"it needs nothing from the one before",
		},
		"a session cluster":       {enginetest.Session, nil, plan.Waiting, true, "its jobs look after themselves"},
		"stateful":                {enginetest.Stateful, nil, plan.StateLost, false, "its state would be lost"},
		"stateless, switched off": {enginetest.Application, off, plan.Lost, false, "the option says so"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			if row.edit != nil {
				w.Edit(row.edit)
				w.Run()
			}
			recorded := w.Status().ReconciliationStatus
			w.Lose()
			w.Run()
			if w.Status().Situation != string(row.want) || w.Snapshot.JobManager.IsPresent() != row.starts {
				t.Errorf(
					"situation %s, started %t: %s; rounds %q",
					w.Status().Situation,
					w.Snapshot.JobManager.IsPresent(),
					row.reason,
					w.Log,
				)
			}
			if w.Status().ReconciliationStatus != recorded {
				t.Error("a recovery must not move what was reconciled")
			}
			if c := w.Condition("Stalled"); row.want == plan.Lost && (c.Reason != "RecoveryDisabled" ||
				!strings.Contains(c.Message, "restartNonce")) {
				t.Errorf("a person is not told what to do: %+v", c)
			}
			if w.Told("Missing") != 1 {
				t.Errorf("Missing was told %d times", w.Told("Missing"))
			}
		})
	}
}

func TestNothingStartsBesidePodsThatAreLeft(t *testing.T) {
	none, unseen := plan.Present([]corev1.Pod{}), plan.Unknown[[]corev1.Pod]("time-out")
	one := plan.Present([]corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "demo-1"}}})
	ended := plan.Present([]corev1.Pod{
		{ObjectMeta: metav1.ObjectMeta{Name: "demo-1"}, Status: corev1.PodStatus{Phase: corev1.PodFailed}},
	})
	rows := map[string]struct {
		jobManagers, taskManagers plan.Observed[[]corev1.Pod]
		starts                    bool
		situation                 plan.Situation
	}{
		"a JobManager":               {one, none, false, plan.Lost},
		"a TaskManager":              {none, one, false, plan.Lost},
		"nobody could look":          {unseen, none, false, plan.Unobservable},
		"nobody saw TaskManagers":    {none, unseen, false, plan.Unobservable},
		"nothing":                    {none, none, true, plan.Waiting},
		"objects of ended processes": {ended, ended, true, plan.Waiting},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.Application)
			w.Lose()
			w.Snapshot.Pods, w.Snapshot.TaskManagers = row.jobManagers, row.taskManagers
			w.Run()
			if w.Snapshot.JobManager.IsPresent() != row.starts || w.Status().Situation != string(row.situation) {
				t.Fatalf(
					"started %t in situation %s, want %t in %s; rounds %q",
					w.Snapshot.JobManager.IsPresent(),
					w.Status().Situation,
					row.starts,
					row.situation,
					w.Log,
				)
			}
		})
	}
}

func TestADyingDeploymentIsLostAtOnce(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	jm, _ := w.Snapshot.JobManager.Get()
	jm = jm.DeepCopy()
	now := metav1.NewTime(w.Snapshot.Now)
	jm.DeletionTimestamp = &now
	w.Snapshot.JobManager = plan.Present(jm)
	w.Run()
	w.Want(plan.Lost, v1beta1.LifecycleDeployed, v1beta1.JobManagerMissing, v1beta1.FlinkJobRunning)
}

// TestAJobThatFailsAfterEachStart is restarted at once, and then ever more seldom; a change of its spec does not wait.
func TestAJobThatFailsAfterEachStart(t *testing.T) {
	w := enginetest.Stable(
		t,
		strings.Replace(
			enginetest.Application,
			`"flinkConfiguration":{`,
			`"flinkConfiguration":{"kubernetes.operator.job.restart.failed":"true",`,
			1,
		),
	)
	fails := func() {
		t.Helper()
		w.ServeJob(v1beta1.FlinkJobFailed)
		w.Run()
	}
	restarts := func() {
		t.Helper()
		w.Run()
		if w.Status().Intent == nil {
			t.Fatalf("it is not restarted: %+v", w.Status().Conditions)
		}
		w.Terminate()
		w.Run()
		w.Run()
	}
	fails()
	restarts()
	for _, pause := range []time.Duration{10, 20, 40, 80} {
		last := w.Status().Restarts.Last
		fails()
		w.Snapshot.Now = last.Add(pause*time.Second - time.Second)
		w.Run()
		c := w.Condition(summary.Reconciling)
		if i := w.Status().Intent; (i != nil && i.Step == v1beta1.StepStopping) || c.Reason != "RestartPending" ||
			!strings.Contains(c.Message, last.Add(pause*time.Second).UTC().Format(time.RFC3339)) {
			t.Fatalf("%s after the last restart: intent %+v, %+v", pause*time.Second-time.Second, i, c)
		}
		if far := w.Status().Pace == v1beta1.PaceSlow; far {
			t.Errorf("a restart that is due in a second is left to the sweep")
		}
		w.Snapshot.Now = last.Add(pause * time.Second)
		restarts()
	}
	fails()
	if w.Status().Pace != v1beta1.PaceSlow {
		t.Errorf("a restart that is due in minutes keeps the clock %s", w.Status().Pace)
	}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 4 })
	w.Run()
	if i := w.Status().Intent; i == nil || i.Purpose != v1beta1.PurposeUpgrade {
		t.Errorf("a change waits for the restart: %+v", i)
	}
}

func TestJobsThatEnd(t *testing.T) {
	restart := func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(
			`{"taskmanager.numberOfTaskSlots":"2","kubernetes.operator.job.restart.failed":"true"}`,
		)
	}
	rows := map[string]struct {
		spec      string
		edit      func(*v1beta1.FlinkDeploymentSpec)
		state     v1beta1.FlinkJobState
		situation plan.Situation
		lifecycle v1beta1.LifecycleState
		reason    string
	}{
		"finished": {
			enginetest.Application, nil, v1beta1.FlinkJobFinished, plan.Ended, v1beta1.LifecycleStable, "a batch job",
		},
		"failed": {
			enginetest.Application, nil, v1beta1.FlinkJobFailed, plan.Ended, v1beta1.LifecycleFailed,
			"nobody asked for a restart",
		},
		"failed, restart on": {
			enginetest.Application, restart, v1beta1.FlinkJobFailed, plan.Stopping, v1beta1.LifecycleFailed, "asked for",
		},
		"canceled, stateless": {
			enginetest.Application, nil, v1beta1.FlinkJobCanceled, plan.Stopping, v1beta1.LifecycleDeployed,
			"the spec asks for a running job",
		},
		"canceled, stateful": {
			enginetest.Stateful, nil, v1beta1.FlinkJobCanceled, plan.StateLost, v1beta1.LifecycleDeployed,
			"only from a state known to be its latest",
		},
		"restarting": {
			enginetest.Application, nil, v1beta1.FlinkJobRestarting, plan.Waiting, v1beta1.LifecycleDeployed, "Flink does it",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			if row.edit != nil {
				w.Edit(row.edit)
				w.Run()
			}
			w.ServeJob(row.state)
			w.Snapshot.Flink.Failure = plan.Present("java.lang.RuntimeException: boom")
			w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{}) // it lies where nothing is restored from
			w.Run()
			status := w.Status()
			if status.Situation != string(row.situation) || status.LifecycleState != row.lifecycle {
				t.Errorf(
					"situation %s, lifecycle %s, want %s, %s: %s", status.Situation, status.LifecycleState, row.situation,
					row.lifecycle, row.reason,
				)
			}
			if row.state == v1beta1.FlinkJobFailed && row.edit == nil && status.Error == "" {
				t.Error("the cause of the failure must be in status")
			}
		})
	}
}

// What is recovered runs by its own spec, so its data counts, also when a newer spec would not look for it. Nobody is
// called for what fixes itself, neither before the recovery nor before its JobManager runs.
func TestALostClustersOwnData(t *testing.T) {
	for name, recorded := range map[string]string{
		"began empty": "", "began from data": v1beta1.LastStatePlaceholder, "began from a savepoint": "file:///older",
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.SavesHighlyAvailable)
			w.Snapshot.Resource.Status.JobStatus.UpgradeSavepointPath = recorded
			w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
			w.Lose()
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
				s.FlinkConfiguration = v1beta1.FlinkConfiguration(
					`{"taskmanager.numberOfTaskSlots":"2","state.savepoints.dir":"file:///s",` +
						`"state.checkpoints.dir":"file:///c"}`,
				)
			})
			w.Run()
			if from := w.From(); from.Kind != v1beta1.StartLastState || w.Status().Intent.Purpose != v1beta1.PurposeRecover {
				t.Fatalf("%s from %+v, rounds %q", w.Status().Intent.Purpose, from, w.Log)
			}
			w.Run()
			w.Snapshot.Pods = plan.Present([]corev1.Pod{
				{ObjectMeta: metav1.ObjectMeta{Name: "demo-2", CreationTimestamp: w.Deployment().CreationTimestamp}},
			})
			w.Run()
			if !w.Released || w.Status().JobManagerDeploymentStatus != v1beta1.JobManagerDeploying {
				t.Fatalf("its JobManager is %s, rounds %q", w.Status().JobManagerDeploymentStatus, w.Log)
			}
			if w.Told("UpgradeFailed")+w.Told("LastStateUnknown") > 0 || w.Status().Error != "" {
				t.Errorf("a person is called, and it fixes itself: %q, %+v", w.Status().Error, w.Events)
			}
			w.ServeJob(v1beta1.FlinkJobRunning)
			w.Snapshot.Flink.Checkpoints = enginetest.RestoredFromItsOwn
			w.Run()
			if intent := w.Status().Intent; intent == nil || intent.Purpose != v1beta1.PurposeUpgrade ||
				intent.Stop != v1beta1.StopSavepoint {
				t.Errorf("the change follows by savepoint: intent %+v, rounds %q", intent, w.Log)
			}
		})
	}
}

// A change that is refused says what a person can do, also where recovery is switched off.
func TestARefusedChangeWithoutRecovery(t *testing.T) {
	w := enginetest.Stable(
		t,
		enginetest.With(
			enginetest.Stateful, `"flinkConfiguration":{`,
			`"flinkConfiguration":{"kubernetes.operator.jm-deployment-recovery.enabled":"false",`,
		),
	)
	w.Lose()
	w.Run()
	if c := w.Condition("Stalled"); c.Reason != "RecoveryDisabled" {
		t.Fatalf("stalled: %+v", c)
	}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { n := int64(1); s.RestartNonce = &n })
	w.Run()
	w.Run()
	if c := w.Condition("Stalled"); c.Reason != "UpgradeFailed" || !strings.Contains(c.Message, "initialSavepointPath") ||
		!strings.Contains(w.Status().Error, "Manual restore required") {
		t.Errorf("stalled %+v, error %q", c, w.Status().Error)
	}
	if w.Told("UpgradeFailed") != 1 {
		t.Errorf("told %d times", w.Told("UpgradeFailed"))
	}
}

// What a person asked for and cannot have, and what else is wrong, do not take turns in status and events.
func TestWhatIsWrongIsToldOnce(t *testing.T) {
	fails := func(w *enginetest.Deployment) {
		w.ServeJob(v1beta1.FlinkJobFailed)
		w.Snapshot.Flink.Failure = plan.Present("it fell over")
		w.Run()
		w.Snapshot.Resource.Status.JobStatus.UpgradeSavepointPath = v1beta1.LastStatePlaceholder
	}
	lost := func(w *enginetest.Deployment) { w.Lose(); w.Run() }
	invalid := func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = -1 }
	rows := map[string]struct {
		goesWrong func(*enginetest.Deployment)
		edit      func(*v1beta1.FlinkDeploymentSpec)
		error     string
	}{
		"a failed job, and a change that is refused": {fails, enginetest.UpgradeImage, "last checkpoint is unknown"},
		"a failed job, and an invalid spec":          {fails, invalid, "parallelism"},
		"a lost state, and a change that is refused": {lost, enginetest.UpgradeImage, "make stateful upgrades"},
		"a lost state, and an invalid spec":          {lost, invalid, "parallelism"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.Stateful)
			row.goesWrong(w)
			w.Edit(row.edit)
			w.Run()
			told := len(w.Events)
			for range 3 {
				w.Run()
			}
			if len(w.Events) != told || !strings.Contains(w.Status().Error, row.error) {
				t.Errorf("told again %+v, shown %q, want %q", w.Events[told:], w.Status().Error, row.error)
			}
		})
	}
}

func TestAFailureIsToldBesideAnInvalidSpec(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = -1 })
	w.Run()
	w.ServeJob(v1beta1.FlinkJobFailed)
	w.Snapshot.Flink.Failure = plan.Present("it fell over")
	for range 3 {
		w.Run()
	}
	if w.Told("Error") != 1 || !strings.Contains(w.Status().Error, "parallelism") {
		t.Errorf("the failure was told %d times, shown is %q", w.Told("Error"), w.Status().Error)
	}
}

// A recovery from high-availability data that is not released yet is not led to a spec that keeps its data elsewhere:
// the job would not find its state. The change follows once the job runs.
func TestARecoveryIsNotLedAwayFromItsData(t *testing.T) {
	w := enginetest.Stable(t, enginetest.SavesHighlyAvailable)
	w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
	w.Lose()
	w.Round() // its intent is stored, and nothing prepared yet
	if i := w.Status().Intent; i == nil || i.Purpose != v1beta1.PurposeRecover {
		t.Fatalf("intent %+v, rounds %q", i, w.Log)
	}
	w.Lose()
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(
			`{"taskmanager.numberOfTaskSlots":"2","state.savepoints.dir":"file:///s","state.checkpoints.dir":"file:///c"}`,
		)
	})
	w.Run()
	if w.Status().Situation == string(plan.StateLost) || !w.Released {
		t.Fatalf("%s, rounds %q", w.Status().Situation, w.Log)
	}
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Snapshot.Flink.Checkpoints = enginetest.RestoredFromItsOwn
	w.Run()
	if i := w.Status().Intent; i == nil || i.Purpose != v1beta1.PurposeUpgrade || i.Stop != v1beta1.StopSavepoint {
		t.Errorf("the change follows by savepoint: intent %+v, rounds %q", i, w.Log)
	}
}
