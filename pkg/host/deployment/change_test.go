package deployment

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// stateful is an application whose state must be kept.
var stateful = strings.Replace(strings.Replace(
	application, `"upgradeMode":"stateless"`, `"upgradeMode":"savepoint"`, 1,
),
	`"flinkConfiguration":{`, `"flinkConfiguration":{"state.savepoints.dir":"file:///s",`+
		`"state.checkpoints.dir":"file:///c",`, 1)

func (w *fixture) condition(name string) metav1.Condition {
	for _, c := range w.status().Conditions {
		if c.Type == name {
			return c
		}
	}
	return metav1.Condition{}
}

func (w *fixture) told(reason string) int {
	n := 0
	for _, e := range w.events {
		if string(e.Reason) == reason {
			n++
		}
	}
	return n
}

func TestChanges(t *testing.T) {
	image := func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.5" }
	rows := map[string]struct {
		spec   string
		change func(*v1beta1.FlinkDeploymentSpec)
		want   plan.Situation
		intent v1beta1.IntentPurpose
		reason string
	}{
		"another image, stateless": {application, image, plan.Upgrade, v1beta1.PurposeUpgrade, "an effective change"},
		"another image, stateful":  {stateful, image, plan.Upgrade, v1beta1.PurposeUpgrade, "by a savepoint"},
		"another image, session": {
			session, image, plan.Upgrade, v1beta1.PurposeUpgrade, "a session cluster has no state of its own",
		},
		"suspended, stateless": {application,
			func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended },
			plan.Suspend, v1beta1.PurposeSuspend, "a stateless job is stopped"},
		"suspended, stateful": {stateful, func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended },
			plan.Suspend, v1beta1.PurposeSuspend, "with a savepoint"},
		"another upgrade mode only": {application, func(s *v1beta1.FlinkDeploymentSpec) {
			s.Job.UpgradeMode = v1beta1.UpgradeModeLastState
			s.FlinkConfiguration = v1beta1.FlinkConfiguration(
				`{"taskmanager.numberOfTaskSlots":"2","state.checkpoints.dir":"file:///c",` +
					`"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h"}`,
			)
		},
			plan.Upgrade, v1beta1.PurposeUpgrade, "the job gets its last checkpoint, and high availability with it"},
		"an operator option": {application, func(s *v1beta1.FlinkDeploymentSpec) {
			s.FlinkConfiguration = v1beta1.FlinkConfiguration(
				`{"taskmanager.numberOfTaskSlots":"2","kubernetes.operator.job.restart.failed":"true"}`,
			)
		},
			plan.Steady, "", "it counts without a new cluster"},
		"a nonce": {application, func(s *v1beta1.FlinkDeploymentSpec) { n := int64(1); s.RestartNonce = &n },
			plan.Upgrade, v1beta1.PurposeUpgrade, "that is what it is for"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			before := w.status().ReconciliationStatus.LastStableSpec
			w.edit(row.change)
			w.round()
			status := w.status()
			if status.Situation != string(row.want) {
				t.Fatalf("situation %s, want %s: %s\n%+v", status.Situation, row.want, row.reason, status.Conditions)
			}
			if row.intent == "" {
				jm, _ := w.s.JobManager.Get()
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
			if row.want == plan.Steady && status.ObservedGeneration != w.s.Resource.Generation {
				t.Errorf("observedGeneration %d, want %d", status.ObservedGeneration, w.s.Resource.Generation)
			}
		})
	}
}

func TestAnInvalidChangeChangesNothing(t *testing.T) {
	w := stable(t, application)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 0 })
	w.run()
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if c := w.condition(summary.SpecAccepted); c.Status != metav1.ConditionFalse ||
		w.condition(summary.Stalled).Status != metav1.ConditionTrue {
		t.Errorf("SpecAccepted %+v", c)
	}
	if status := w.status(); status.ObservedGeneration != 2 || w.deployedGeneration() != 1 ||
		!strings.Contains(status.Error, "Job parallelism must be larger than 0") {
		t.Errorf(
			"observedGeneration %d, deployed %d, error %s", status.ObservedGeneration, w.deployedGeneration(), status.Error,
		)
	}
	w.run()
	if n := w.told("ValidationError"); n != 1 {
		t.Errorf("told %d times", n)
	}
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 2 })
	w.run()
	if w.status().Error != "" || w.status().ObservedGeneration != 3 {
		t.Errorf(
			"the error must be cleared by what proves it gone: %q, observedGeneration %d", w.status().Error,
			w.status().ObservedGeneration,
		)
	}
}

func TestAnInterruptedUpgradesTarget(t *testing.T) {
	w := stable(t, application)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 4 })
	w.run()
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.LogConfiguration = map[string]string{"random": "x"} })
	w.terminate()
	w.run()
	if w.status().TaskManager == nil || w.status().TaskManager.Replicas != 2 {
		t.Errorf("the accepted target must be deployed, task managers %+v, rounds %q", w.status().TaskManager, w.log)
	}
}

func TestANewerSpecRedirectsAStart(t *testing.T) {
	w := newWorld(t, application)
	w.round()
	w.round()
	first := w.status().Intent.OperationID
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.5" })
	w.s.Companions = plan.Observed[[]cluster.Companion]{}
	w.round()
	if w.status().Intent.OperationID == first {
		t.Fatal("the newer spec needs an intent of its own")
	}
	w.round()
	if jm, _ := w.s.JobManager.Get(); jm.DeletionTimestamp == nil {
		t.Fatalf("what the first operation prepared must be deleted, rounds %q", w.log)
	}
	w.terminate()
	w.run()
	jm, _ := w.s.JobManager.Get()
	if image := jm.Spec.Template.Spec.Containers[0].Image; image != "flink:1.20.5" || !w.released {
		t.Errorf("image %s, released %t", image, w.released)
	}
}

func TestASuspensionOvertakesAStart(t *testing.T) {
	w := newWorld(t, application)
	w.round()
	w.round()
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
	w.round()
	w.terminate()
	w.run()
	w.want(plan.NeverStarted, v1beta1.LifecycleSuspended, v1beta1.JobManagerMissing, "")
	if w.released {
		t.Error("the start was released although the spec asks for a suspension")
	}
}

func TestAStatefulJobsImageIsFixed(t *testing.T) {
	w := newWorld(t, stateful)
	w.run()
	jm, _ := w.s.JobManager.Get()
	w.s.Pods = plan.Present([]corev1.Pod{{
		ObjectMeta: metav1.ObjectMeta{Name: "demo-1", CreationTimestamp: jm.CreationTimestamp},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			Name: "flink-main-container",
			State: corev1.ContainerState{
				Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such image"},
			},
		}}},
	}})
	w.run()
	w.want(plan.Broken, v1beta1.LifecycleDeployed, v1beta1.JobManagerError, v1beta1.FlinkJobReconciling)
	if c := w.condition(summary.ClusterAvailable); c.Reason != "ImagePullBackOff" ||
		!strings.Contains(w.status().Error, "[flink-main-container] no such image") {
		t.Errorf("ClusterAvailable %+v, error %s", c, w.status().Error)
	}
	w.run()
	if w.told("ImagePullBackOff") != 1 {
		t.Errorf("told %d times", w.told("ImagePullBackOff"))
	}
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.5" })
	w.run()
	w.terminate()
	w.run()
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if w.status().Error != "" {
		t.Errorf("error %q is left", w.status().Error)
	}
}

func TestAnInvalidSpecStartsNothingEmpty(t *testing.T) {
	w := stable(t, stateful) // recorded as stateless: its first start had no savepoint
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 0 })
	w.s.JobManager, w.s.Flink = plan.Absent[*appsv1.Deployment](), world.Flink{}
	w.run()
	if w.status().Situation != string(plan.StateLost) || w.s.JobManager.IsPresent() {
		t.Errorf("situation %s, rounds %q", w.status().Situation, w.log)
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
			w := newWorld(t, application)
			w.edit(row.edit)
			w.run()
			status := w.status()
			if status.Situation != string(row.situation) || status.LifecycleState != row.lifecycle ||
				w.s.JobManager.IsPresent() {
				t.Errorf(
					"situation %s, lifecycle %s, want %s, %s: %s; rounds %q, error %s", status.Situation, status.LifecycleState,
					row.situation, row.lifecycle, row.reason, w.log, status.Error,
				)
			}
			if p := w.round(); !p.IsQuiet() || p.Status != nil {
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
		stateful, `"state.savepoints.dir"`,
		`"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h","state.savepoints.dir"`, 1,
	)
	rows := map[string]struct {
		spec    string
		prepare func(*fixture)
		want    plan.Situation
		reason  string
	}{
		"somebody else's Deployment": {
			application, func(w *fixture) { w.s.JobManager = plan.Present(foreign) }, plan.Unaccounted,
			"it is not ours to touch",
		},
		"a Deployment nobody could look at": {
			application, func(w *fixture) { w.s.JobManager = plan.Unknown[*appsv1.Deployment]("time-out") }, plan.Unobservable,
			"nothing is done on a guess",
		},
		"a checkpoint of an earlier life": {
			ha, func(w *fixture) { w.s.HAData = checkpoint }, plan.Unaccounted, "the job would start from it, or lose it",
		},
		"the same, and told to ignore it": {ha, func(w *fixture) {
			w.s.HAData = checkpoint
			w.s.Resource.Annotations = map[string]string{v1beta1.AnnotationIgnoreState: "true"}
		}, plan.Waiting, "a person decided"},
		"the same, with a savepoint named": {ha, func(w *fixture) {
			w.s.HAData = checkpoint
			w.s.Resource.Spec.Job.InitialSavepointPath = "file:///s/1"
		}, plan.Waiting, "the state to start from is certain"},
		"HA data that could not be looked at": {
			ha, func(w *fixture) { w.s.HAData = plan.Unknown[[]hadata.ConfigMap]("time-out") }, plan.Unobservable,
			"nothing is done on a guess",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, row.spec)
			row.prepare(w)
			for range 4 {
				p := Make(w.s)
				if row.want != plan.Waiting && touches(p) {
					t.Fatalf("nothing may be touched, got %s", p)
				}
				w.round()
			}
			if w.status().Situation != string(row.want) {
				t.Errorf("situation %s, want %s: %s", w.status().Situation, row.want, row.reason)
			}
			if row.want == plan.Unaccounted && (w.condition(summary.StateSafe).Status != metav1.ConditionFalse ||
				!strings.Contains(w.condition(summary.Stalled).Message, v1beta1.AnnotationIgnoreState)) {
				t.Errorf("conditions %+v", w.status().Conditions)
			}
		})
	}
}

func TestAForeignIntentIsLeftAlone(t *testing.T) {
	w := stable(t, application)
	w.s.Resource.Status.Intent = &v1beta1.Intent{
		OperationID: "0123", OverResourceVersion: "1", Step: v1beta1.StepStopping,
	}
	p := w.round()
	if touches(p) || w.status().Situation != string(plan.NotOurs) ||
		!strings.Contains(w.condition(summary.Stalled).Message, "kubectl patch") {
		t.Errorf("got %s, %+v", p, w.status().Conditions)
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
			w := stable(t, application)
			const over = "1@1767268802"
			i := v1beta1.Intent{
				OperationID: plan.DeriveID(w.s.Resource.UID, over, plan.PurposeOperation), OverResourceVersion: over,
				Purpose: v1beta1.PurposeUpgrade, Spec: "{}",
			}
			damage(&i)
			w.s.Resource.Status.Intent = &i
			p := w.round()
			if told := w.condition(summary.Stalled); touches(p) || told.Reason != "IntentIncomplete" ||
				!strings.Contains(told.Message, "kubectl patch") {
				t.Errorf("got %s, %+v", p, told)
			}
			w.s.Resource.DeletionTimestamp = &metav1.Time{Time: w.s.Now}
			if w.run(); w.s.Resource.Status.Intent != nil && w.s.Resource.Status.Intent.Purpose != v1beta1.PurposeDelete {
				t.Errorf("a deletion goes on with %+v", w.s.Resource.Status.Intent)
			}
		})
	}
}

func TestAdoption(t *testing.T) {
	w := stable(t, application)
	jobID := w.status().JobStatus.JobID
	w.s.Resource.Status = v1beta1.FlinkDeploymentStatus{}
	w.run()
	w.want(plan.Unaccounted, v1beta1.LifecycleCreated, v1beta1.JobManagerMissing, "")
	w.s.Resource.Annotations = map[string]string{v1beta1.AnnotationAdopt: "true"}
	w.run()
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if w.status().JobStatus.JobID != jobID {
		t.Errorf("job %s, want %s", w.status().JobStatus.JobID, jobID)
	}
}

func TestOperatorDefaultsCount(t *testing.T) {
	w := newWorld(t, application)
	w.s.Operator = flinkconf.NewOperator(flinkconf.Config{
		"kubernetes.operator.default-configuration.flink-version.v1_19+.rest.port": "9999",
	})
	w.run()
	w.serveJob(v1beta1.FlinkJobRunning)
	if q := Open(w.s).First(); q.Flink == nil || q.Flink.URL != "http://demo-rest.default.svc:9999" {
		t.Errorf("Flink is asked at %+v", q.Flink)
	}
}
