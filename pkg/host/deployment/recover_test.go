package deployment

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// lose takes the Deployment away, as somebody with kubectl would.
func (w *fixture) lose() {
	w.s.JobManager, w.s.Flink, w.s.Pods, w.s.Companions = plan.Absent[*appsv1.Deployment](), world.Flink{},
		plan.Observed[[]corev1.Pod]{}, plan.Observed[[]cluster.Companion]{}
}

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
		"stateless":               {application, nil, plan.Waiting, true, "it needs nothing from the one before"},
		"a session cluster":       {session, nil, plan.Waiting, true, "its jobs look after themselves"},
		"stateful":                {stateful, nil, plan.StateLost, false, "its state would be lost"},
		"stateless, switched off": {application, off, plan.Lost, false, "the option says so"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			if row.edit != nil {
				w.edit(row.edit)
				w.run()
			}
			recorded := w.status().ReconciliationStatus
			w.lose()
			w.run()
			if w.status().Situation != string(row.want) || w.s.JobManager.IsPresent() != row.starts {
				t.Errorf(
					"situation %s, started %t: %s; rounds %q", w.status().Situation, w.s.JobManager.IsPresent(), row.reason,
					w.log,
				)
			}
			if w.status().ReconciliationStatus != recorded {
				t.Error("a recovery must not move what was reconciled")
			}
			if c := w.condition("Stalled"); row.want == plan.Lost && (c.Reason != "RecoveryDisabled" ||
				!strings.Contains(c.Message, "restartNonce")) {
				t.Errorf("a person is not told what to do: %+v", c)
			}
			if w.told("Missing") != 1 {
				t.Errorf("Missing was told %d times", w.told("Missing"))
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
			w := stable(t, application)
			w.lose()
			w.s.Pods, w.s.TaskManagers = row.jobManagers, row.taskManagers
			w.run()
			if w.s.JobManager.IsPresent() != row.starts || w.status().Situation != string(row.situation) {
				t.Fatalf(
					"started %t in situation %s, want %t in %s; rounds %q", w.s.JobManager.IsPresent(), w.status().Situation,
					row.starts, row.situation, w.log,
				)
			}
		})
	}
}

func TestADyingDeploymentIsLostAtOnce(t *testing.T) {
	w := stable(t, application)
	jm, _ := w.s.JobManager.Get()
	jm = jm.DeepCopy()
	now := metav1.NewTime(w.s.Now)
	jm.DeletionTimestamp = &now
	w.s.JobManager = plan.Present(jm)
	w.run()
	w.want(plan.Lost, v1beta1.LifecycleDeployed, v1beta1.JobManagerMissing, v1beta1.FlinkJobRunning)
}

// TestAJobThatFailsAfterEachStart is restarted at once, and then ever more seldom; a change of its spec does not wait.
func TestAJobThatFailsAfterEachStart(t *testing.T) {
	w := stable(
		t,
		strings.Replace(
			application, `"flinkConfiguration":{`, `"flinkConfiguration":{"kubernetes.operator.job.restart.failed":"true",`,
			1,
		),
	)
	fails := func() {
		t.Helper()
		w.serveJob(v1beta1.FlinkJobFailed)
		w.run()
	}
	restarts := func() {
		t.Helper()
		w.run()
		if w.status().Intent == nil {
			t.Fatalf("it is not restarted: %+v", w.status().Conditions)
		}
		w.terminate()
		w.run()
		w.run()
	}
	fails()
	restarts()
	for _, pause := range []time.Duration{10, 20, 40, 80} {
		last := w.status().Restarts.Last
		fails()
		w.s.Now = last.Add(pause*time.Second - time.Second)
		w.run()
		c := w.condition(summary.Reconciling)
		if i := w.status().Intent; (i != nil && i.Step == v1beta1.StepStopping) || c.Reason != "RestartPending" ||
			!strings.Contains(c.Message, last.Add(pause*time.Second).UTC().Format(time.RFC3339)) {
			t.Fatalf("%s after the last restart: intent %+v, %+v", pause*time.Second-time.Second, i, c)
		}
		if far := w.status().Pace == v1beta1.PaceSlow; far {
			t.Errorf("a restart that is due in a second is left to the sweep")
		}
		w.s.Now = last.Add(pause * time.Second)
		restarts()
	}
	fails()
	if w.status().Pace != v1beta1.PaceSlow {
		t.Errorf("a restart that is due in minutes keeps the clock %s", w.status().Pace)
	}
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 4 })
	w.run()
	if i := w.status().Intent; i == nil || i.Purpose != v1beta1.PurposeUpgrade {
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
			application, nil, v1beta1.FlinkJobFinished, plan.Ended, v1beta1.LifecycleStable, "a batch job",
		},
		"failed": {
			application, nil, v1beta1.FlinkJobFailed, plan.Ended, v1beta1.LifecycleFailed, "nobody asked for a restart",
		},
		"failed, restart on": {
			application, restart, v1beta1.FlinkJobFailed, plan.Stopping, v1beta1.LifecycleFailed, "asked for",
		},
		"canceled, stateless": {
			application, nil, v1beta1.FlinkJobCanceled, plan.Stopping, v1beta1.LifecycleDeployed,
			"the spec asks for a running job",
		},
		"canceled, stateful": {
			stateful, nil, v1beta1.FlinkJobCanceled, plan.StateLost, v1beta1.LifecycleDeployed,
			"only from a state known to be its latest",
		},
		"restarting": {
			application, nil, v1beta1.FlinkJobRestarting, plan.Waiting, v1beta1.LifecycleDeployed, "Flink does it",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			if row.edit != nil {
				w.edit(row.edit)
				w.run()
			}
			w.serveJob(row.state)
			w.s.Flink.Failure = plan.Present("java.lang.RuntimeException: boom")
			w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{}) // it lies where nothing is restored from
			w.run()
			status := w.status()
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
			w := stable(t, savesHighlyAvailable)
			w.s.Resource.Status.JobStatus.UpgradeSavepointPath = recorded
			w.s.HAData = haMaps(w.status().JobStatus.JobID)
			w.lose()
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
				s.FlinkConfiguration = v1beta1.FlinkConfiguration(
					`{"taskmanager.numberOfTaskSlots":"2","state.savepoints.dir":"file:///s",` +
						`"state.checkpoints.dir":"file:///c"}`,
				)
			})
			w.run()
			if from := w.from(); from.Kind != v1beta1.StartLastState || w.status().Intent.Purpose != v1beta1.PurposeRecover {
				t.Fatalf("%s from %+v, rounds %q", w.status().Intent.Purpose, from, w.log)
			}
			w.run()
			w.s.Pods = plan.Present([]corev1.Pod{
				{ObjectMeta: metav1.ObjectMeta{Name: "demo-2", CreationTimestamp: w.deployment().CreationTimestamp}},
			})
			w.run()
			if !w.released || w.status().JobManagerDeploymentStatus != v1beta1.JobManagerDeploying {
				t.Fatalf("its JobManager is %s, rounds %q", w.status().JobManagerDeploymentStatus, w.log)
			}
			if w.told("UpgradeFailed")+w.told("LastStateUnknown") > 0 || w.status().Error != "" {
				t.Errorf("a person is called, and it fixes itself: %q, %+v", w.status().Error, w.events)
			}
			w.serveJob(v1beta1.FlinkJobRunning)
			w.s.Flink.Checkpoints = restoredFromItsOwn
			w.run()
			if intent := w.status().Intent; intent == nil || intent.Purpose != v1beta1.PurposeUpgrade ||
				intent.Stop != v1beta1.StopSavepoint {
				t.Errorf("the change follows by savepoint: intent %+v, rounds %q", intent, w.log)
			}
		})
	}
}

// A change that is refused says what a person can do, also where recovery is switched off.
func TestARefusedChangeWithoutRecovery(t *testing.T) {
	w := stable(
		t,
		with(
			stateful, `"flinkConfiguration":{`,
			`"flinkConfiguration":{"kubernetes.operator.jm-deployment-recovery.enabled":"false",`,
		),
	)
	w.lose()
	w.run()
	if c := w.condition("Stalled"); c.Reason != "RecoveryDisabled" {
		t.Fatalf("stalled: %+v", c)
	}
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { n := int64(1); s.RestartNonce = &n })
	w.run()
	w.run()
	if c := w.condition("Stalled"); c.Reason != "UpgradeFailed" || !strings.Contains(c.Message, "initialSavepointPath") ||
		!strings.Contains(w.status().Error, "Manual restore required") {
		t.Errorf("stalled %+v, error %q", c, w.status().Error)
	}
	if w.told("UpgradeFailed") != 1 {
		t.Errorf("told %d times", w.told("UpgradeFailed"))
	}
}

// What a person asked for and cannot have, and what else is wrong, do not take turns in status and events.
func TestWhatIsWrongIsToldOnce(t *testing.T) {
	fails := func(w *fixture) {
		w.serveJob(v1beta1.FlinkJobFailed)
		w.s.Flink.Failure = plan.Present("it fell over")
		w.run()
		w.s.Resource.Status.JobStatus.UpgradeSavepointPath = v1beta1.LastStatePlaceholder
	}
	lost := func(w *fixture) { w.lose(); w.run() }
	invalid := func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = -1 }
	rows := map[string]struct {
		goesWrong func(*fixture)
		edit      func(*v1beta1.FlinkDeploymentSpec)
		error     string
	}{
		"a failed job, and a change that is refused": {fails, upgradeImage, "last checkpoint is unknown"},
		"a failed job, and an invalid spec":          {fails, invalid, "parallelism"},
		"a lost state, and a change that is refused": {lost, upgradeImage, "make stateful upgrades"},
		"a lost state, and an invalid spec":          {lost, invalid, "parallelism"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, stateful)
			row.goesWrong(w)
			w.edit(row.edit)
			w.run()
			told := len(w.events)
			for range 3 {
				w.run()
			}
			if len(w.events) != told || !strings.Contains(w.status().Error, row.error) {
				t.Errorf("told again %+v, shown %q, want %q", w.events[told:], w.status().Error, row.error)
			}
		})
	}
}

func TestAFailureIsToldBesideAnInvalidSpec(t *testing.T) {
	w := stable(t, stateful)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = -1 })
	w.run()
	w.serveJob(v1beta1.FlinkJobFailed)
	w.s.Flink.Failure = plan.Present("it fell over")
	for range 3 {
		w.run()
	}
	if w.told("Error") != 1 || !strings.Contains(w.status().Error, "parallelism") {
		t.Errorf("the failure was told %d times, shown is %q", w.told("Error"), w.status().Error)
	}
}

// A recovery from high-availability data that is not released yet is not led to a spec that keeps its data elsewhere:
// the job would not find its state. The change follows once the job runs.
func TestARecoveryIsNotLedAwayFromItsData(t *testing.T) {
	w := stable(t, savesHighlyAvailable)
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	w.lose()
	w.round() // its intent is stored, and nothing prepared yet
	if i := w.status().Intent; i == nil || i.Purpose != v1beta1.PurposeRecover {
		t.Fatalf("intent %+v, rounds %q", i, w.log)
	}
	w.lose()
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(
			`{"taskmanager.numberOfTaskSlots":"2","state.savepoints.dir":"file:///s","state.checkpoints.dir":"file:///c"}`,
		)
	})
	w.run()
	if w.status().Situation == string(plan.StateLost) || !w.released {
		t.Fatalf("%s, rounds %q", w.status().Situation, w.log)
	}
	w.serveJob(v1beta1.FlinkJobRunning)
	w.s.Flink.Checkpoints = restoredFromItsOwn
	w.run()
	if i := w.status().Intent; i == nil || i.Purpose != v1beta1.PurposeUpgrade || i.Stop != v1beta1.StopSavepoint {
		t.Errorf("the change follows by savepoint: intent %+v, rounds %q", i, w.log)
	}
}
