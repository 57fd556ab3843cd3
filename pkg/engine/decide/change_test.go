package decide_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

func TestChanges(t *testing.T) {
	image := func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.5" }
	rows := map[string]struct {
		spec   string
		change func(*v1beta1.FlinkDeploymentSpec)
		want   plan.Situation
		intent v1beta1.IntentPurpose
		reason string
	}{
		"another image, stateless": {
			enginetest.Application,
			image,
			plan.Upgrade,
			v1beta1.PurposeUpgrade,
			"an effective change",
		},
		"another image, stateful": {enginetest.Stateful, image, plan.Upgrade, v1beta1.PurposeUpgrade, "by a savepoint"},
		"another image, session": {
			enginetest.Session, image, plan.Upgrade, v1beta1.PurposeUpgrade, "a session cluster has no state of its own",
		},
		"suspended, stateless": {enginetest.Application,
			func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended },
			plan.Suspend, v1beta1.PurposeSuspend, "a stateless job is stopped"},
		"suspended, stateful": {
			enginetest.Stateful,
			func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended },
			plan.Suspend,
			v1beta1.PurposeSuspend,
			"with a savepoint",
		},
		"another upgrade mode only": {enginetest.Application, func(s *v1beta1.FlinkDeploymentSpec) {
			s.Job.UpgradeMode = v1beta1.UpgradeModeLastState
			s.FlinkConfiguration = v1beta1.FlinkConfiguration(
				`{"taskmanager.numberOfTaskSlots":"2","state.checkpoints.dir":"file:///c",` +
					`"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h"}`,
			)
		},
			plan.Upgrade, v1beta1.PurposeUpgrade, "the job gets its last checkpoint, and high availability with it"},
		"an operator option": {enginetest.Application, func(s *v1beta1.FlinkDeploymentSpec) {
			s.FlinkConfiguration = v1beta1.FlinkConfiguration(
				`{"taskmanager.numberOfTaskSlots":"2","kubernetes.operator.job.restart.failed":"true"}`,
			)
		},
			plan.Steady, "", "it counts without a new cluster"},
		"a nonce": {enginetest.Application, func(s *v1beta1.FlinkDeploymentSpec) { n := int64(1); s.RestartNonce = &n },
			plan.Upgrade, v1beta1.PurposeUpgrade, "that is what it is for"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			before := w.Status().ReconciliationStatus.LastStableSpec
			w.Edit(row.change)
			w.Round()
			status := w.Status()
			if status.Situation != string(row.want) {
				t.Fatalf("situation %s, want %s: %s\n%+v", status.Situation, row.want, row.reason, status.Conditions)
			}
			if row.intent == "" {
				jm, _ := w.Snapshot.JobManager.Get()
				if status.Intent != nil || jm.DeletionTimestamp != nil {
					t.Errorf("nothing may be begun: intent %+v", status.Intent)
				}
			} else if status.Intent == nil || status.Intent.Purpose != row.intent ||
				status.Intent.Step != v1beta1.StepStopping {
				t.Errorf("intent %+v, want %s stopping", status.Intent, row.intent)
			}
			if status.ReconciliationStatus.LastStableSpec != before {
				t.Error("lastStableSpec moved before anything ran")
			}
			if row.want == plan.Steady && status.ObservedGeneration != w.Snapshot.Resource.Generation {
				t.Errorf("observedGeneration %d, want %d", status.ObservedGeneration, w.Snapshot.Resource.Generation)
			}
		})
	}
}

func TestAnInvalidChangeChangesNothing(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 0 })
	w.Run()
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if c := w.Condition(summary.SpecAccepted); c.Status != metav1.ConditionFalse ||
		w.Condition(summary.Stalled).Status != metav1.ConditionTrue {
		t.Errorf("SpecAccepted %+v", c)
	}
	if status := w.Status(); status.ObservedGeneration != 2 || w.DeployedGeneration() != 1 ||
		!strings.Contains(status.Error, "Job parallelism must be larger than 0") {
		t.Errorf(
			"observedGeneration %d, deployed %d, error %s", status.ObservedGeneration, w.DeployedGeneration(), status.Error,
		)
	}
	w.Run()
	if n := w.Told("ValidationError"); n != 1 {
		t.Errorf("told %d times", n)
	}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 2 })
	w.Run()
	if w.Status().Error != "" || w.Status().ObservedGeneration != 3 {
		t.Errorf(
			"the error must be cleared by what proves it gone: %q, observedGeneration %d", w.Status().Error,
			w.Status().ObservedGeneration,
		)
	}
}

func TestAnInterruptedUpgradesTarget(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 4 })
	w.Run()
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.LogConfiguration = map[string]string{"random": "x"} })
	w.Terminate()
	w.Run()
	if w.Status().TaskManager == nil || w.Status().TaskManager.Replicas != 2 {
		t.Errorf("the accepted target must be deployed, task managers %+v, rounds %q", w.Status().TaskManager, w.Log)
	}
}

func TestANewerSpecRedirectsAStart(t *testing.T) {
	w := enginetest.NewDeployment(t, enginetest.Application)
	w.Round()
	w.Round()
	first := w.Status().Intent.OperationID
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.5" })
	w.Snapshot.Companions = plan.Observed[[]cluster.Companion]{}
	w.Round()
	if w.Status().Intent.OperationID == first {
		t.Fatal("the newer spec needs an intent of its own")
	}
	w.Round()
	if jm, _ := w.Snapshot.JobManager.Get(); jm.DeletionTimestamp == nil {
		t.Fatalf("what the first operation prepared must be deleted, rounds %q", w.Log)
	}
	w.Terminate()
	w.Run()
	jm, _ := w.Snapshot.JobManager.Get()
	if image := jm.Spec.Template.Spec.Containers[0].Image; image != "flink:1.20.5" || !w.Released {
		t.Errorf("image %s, released %t", image, w.Released)
	}
}

func TestASuspensionOvertakesAStart(t *testing.T) {
	w := enginetest.NewDeployment(t, enginetest.Application)
	w.Round()
	w.Round()
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
	w.Round()
	w.Terminate()
	w.Run()
	w.Want(plan.NeverStarted, v1beta1.LifecycleSuspended, v1beta1.JobManagerMissing, "")
	if w.Released {
		t.Error("the start was released although the spec asks for a suspension")
	}
}

func TestAStatefulJobsImageIsFixed(t *testing.T) {
	w := enginetest.NewDeployment(t, enginetest.Stateful)
	w.Run()
	jm, _ := w.Snapshot.JobManager.Get()
	w.Snapshot.Pods = plan.Present([]corev1.Pod{{
		ObjectMeta: metav1.ObjectMeta{Name: "demo-1", CreationTimestamp: jm.CreationTimestamp},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			Name: "flink-main-container",
			State: corev1.ContainerState{
				Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such image"},
			},
		}}},
	}})
	w.Run()
	w.Want(plan.Broken, v1beta1.LifecycleDeployed, v1beta1.JobManagerError, v1beta1.FlinkJobReconciling)
	if c := w.Condition(summary.ClusterAvailable); c.Reason != "ImagePullBackOff" ||
		!strings.Contains(w.Status().Error, "[flink-main-container] no such image") {
		t.Errorf("ClusterAvailable %+v, error %s", c, w.Status().Error)
	}
	w.Run()
	if w.Told("ImagePullBackOff") != 1 {
		t.Errorf("told %d times", w.Told("ImagePullBackOff"))
	}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.5" })
	w.Run()
	w.Terminate()
	w.Run()
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if w.Status().Error != "" {
		t.Errorf("error %q is left", w.Status().Error)
	}
}

func TestAnInvalidSpecStartsNothingEmpty(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful) // recorded as stateless: its first start had no savepoint
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 0 })
	w.Snapshot.JobManager, w.Snapshot.Flink = plan.Absent[*appsv1.Deployment](), world.Flink{}
	w.Run()
	if w.Status().Situation != string(plan.StateLost) || w.Snapshot.JobManager.IsPresent() {
		t.Errorf("situation %s, rounds %q", w.Status().Situation, w.Log)
	}
}

func TestFirstStates(t *testing.T) {
	rows := map[string]struct {
		edit      func(*v1beta1.FlinkDeploymentSpec)
		situation plan.Situation
		lifecycle v1beta1.LifecycleState
		reason    string
	}{
		"suspended": {func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended },
			plan.NeverStarted, v1beta1.LifecycleSuspended, "it is what the spec asks for"},
		"invalid": {func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = -1 },
			plan.Invalid, v1beta1.LifecycleFailed, "nothing was ever deployed"},
		"an old version": {func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkVersion = v1beta1.FlinkV1_14 },
			plan.Invalid, v1beta1.LifecycleFailed, "1.15 is the oldest"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewDeployment(t, enginetest.Application)
			w.Edit(row.edit)
			w.Run()
			status := w.Status()
			if status.Situation != string(row.situation) || status.LifecycleState != row.lifecycle ||
				w.Snapshot.JobManager.IsPresent() {
				t.Errorf(
					"situation %s, lifecycle %s, want %s, %s: %s; rounds %q, error %s", status.Situation, status.LifecycleState,
					row.situation, row.lifecycle, row.reason, w.Log, status.Error,
				)
			}
			if p := w.Round(); !p.IsQuiet() || p.Status != nil {
				t.Errorf("the second look must be quiet, got %s", p)
			}
		})
	}
}

func TestWhatStandsInTheWay(t *testing.T) {
	foreign := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "demo", UID: "other"}}
	checkpoint := plan.Present([]hadata.ConfigMap{
		{ObjectVersion: plan.ObjectVersion{Name: "demo-1-config-map"}, Checkpoint: true},
	})
	ha := strings.Replace(
		enginetest.Stateful, `"state.savepoints.dir"`,
		`"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h","state.savepoints.dir"`, 1,
	)
	rows := map[string]struct {
		spec    string
		prepare func(*enginetest.Deployment)
		want    plan.Situation
		reason  string
	}{
		"somebody else's Deployment": {
			enginetest.Application, func(w *enginetest.Deployment) { w.Snapshot.JobManager = plan.Present(foreign) },
			plan.Unaccounted,
			"it is not ours to touch",
		},
		"a Deployment nobody could look at": {
			enginetest.Application, func(w *enginetest.Deployment) {
				w.Snapshot.JobManager = plan.Unknown[*appsv1.Deployment]("time-out")
			}, plan.Unobservable,
			"nothing is done on a guess",
		},
		"a checkpoint of an earlier life": {
			ha, func(w *enginetest.Deployment) { w.Snapshot.HAData = checkpoint }, plan.Unaccounted,
			"the job would start from it, or lose it",
		},
		"the same, and told to ignore it": {ha, func(w *enginetest.Deployment) {
			w.Snapshot.HAData = checkpoint
			w.Snapshot.Resource.Annotations = map[string]string{v1beta1.AnnotationIgnoreState: "true"}
		}, plan.Waiting, "a person decided"},
		"the same, with a savepoint named": {ha, func(w *enginetest.Deployment) {
			w.Snapshot.HAData = checkpoint
			w.Snapshot.Resource.Spec.Job.InitialSavepointPath = "file:///s/1"
		}, plan.Waiting, "the state to start from is certain"},
		"HA data that could not be looked at": {
			ha, func(w *enginetest.Deployment) { w.Snapshot.HAData = plan.Unknown[[]hadata.ConfigMap]("time-out") },
			plan.Unobservable,
			"nothing is done on a guess",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewDeployment(t, row.spec)
			row.prepare(w)
			for range 4 {
				p := deployment.Make(w.Snapshot)
				if row.want != plan.Waiting && enginetest.Touches(p) {
					t.Fatalf("nothing may be touched, got %s", p)
				}
				w.Round()
			}
			if w.Status().Situation != string(row.want) {
				t.Errorf("situation %s, want %s: %s", w.Status().Situation, row.want, row.reason)
			}
			if row.want == plan.Unaccounted && (w.Condition(summary.StateSafe).Status != metav1.ConditionFalse ||
				!strings.Contains(w.Condition(summary.Stalled).Message, v1beta1.AnnotationIgnoreState)) {
				t.Errorf("conditions %+v", w.Status().Conditions)
			}
		})
	}
}

func TestAForeignIntentIsLeftAlone(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	w.Snapshot.Resource.Status.Intent = &v1beta1.Intent{
		OperationID: "0123", OverResourceVersion: "1", Step: v1beta1.StepStopping,
	}
	p := w.Round()
	if enginetest.Touches(p) || w.Status().Situation != string(plan.NotOurs) ||
		!strings.Contains(w.Condition(summary.Stalled).Message, "kubectl patch") {
		t.Errorf("got %s, %+v", p, w.Status().Conditions)
	}
}

func TestAnIncompleteIntentIsLeftAlone(t *testing.T) {
	damages := map[string]func(i *v1beta1.Intent){
		"nothing to stop": func(i *v1beta1.Intent) { i.Step = v1beta1.StepStopping; i.Stop = v1beta1.StopSavepoint },
		"no state to keep": func(i *v1beta1.Intent) {
			i.Step = v1beta1.StepStopping
			i.Stop = v1beta1.StopCancel
			i.Ended = true
		},
		"no start point": func(i *v1beta1.Intent) { i.Step = v1beta1.StepStarting },
		"no release":     func(i *v1beta1.Intent) { i.Step = v1beta1.StepReleased; i.From = &v1beta1.StartPoint{} },
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.Application)
			const over = "1@1767268802"
			i := v1beta1.Intent{
				OperationID: plan.DeriveID(w.Snapshot.Resource.UID, over, plan.PurposeOperation), OverResourceVersion: over,
				Purpose: v1beta1.PurposeUpgrade, Spec: "{}",
			}
			damage(&i)
			w.Snapshot.Resource.Status.Intent = &i
			p := w.Round()
			if told := w.Condition(summary.Stalled); enginetest.Touches(p) || told.Reason != "IntentIncomplete" ||
				!strings.Contains(told.Message, "kubectl patch") {
				t.Errorf("got %s, %+v", p, told)
			}
			w.Snapshot.Resource.DeletionTimestamp = &metav1.Time{Time: w.Snapshot.Now}
			if w.Run(); w.Snapshot.Resource.Status.Intent != nil &&
				w.Snapshot.Resource.Status.Intent.Purpose != v1beta1.PurposeDelete {
				t.Errorf("a deletion goes on with %+v", w.Snapshot.Resource.Status.Intent)
			}
		})
	}
}

func TestAdoption(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	jobID := w.Status().JobStatus.JobID
	w.Snapshot.Resource.Status = v1beta1.FlinkDeploymentStatus{}
	w.Run()
	w.Want(plan.Unaccounted, v1beta1.LifecycleCreated, v1beta1.JobManagerMissing, "")
	w.Snapshot.Resource.Annotations = map[string]string{v1beta1.AnnotationAdopt: "true"}
	w.Run()
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if w.Status().JobStatus.JobID != jobID {
		t.Errorf("job %s, want %s", w.Status().JobStatus.JobID, jobID)
	}
}

func TestOperatorDefaultsCount(t *testing.T) {
	w := enginetest.NewDeployment(t, enginetest.Application)
	w.Snapshot.Operator = flinkconf.NewOperator(flinkconf.Config{
		"kubernetes.operator.default-configuration.flink-version.v1_19+.rest.port": "9999",
	})
	w.Run()
	w.ServeJob(v1beta1.FlinkJobRunning)
	if q := deployment.Open(w.Snapshot).First(); q.Flink == nil || q.Flink.URL != "http://demo-rest.default.svc:9999" {
		t.Errorf("Flink is asked at %+v", q.Flink)
	}
}
