package decide_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

func TestWhatAFirstStartRecords(t *testing.T) {
	w := enginetest.NewDeployment(t, enginetest.Application)
	w.Run()
	w.Want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerDeploying, v1beta1.FlinkJobReconciling)
	r := w.Status().ReconciliationStatus
	if w.Status().Error != "" || r.LastStableSpec != "" || r.State != v1beta1.ReconciliationDeployed ||
		w.Status().ObservedGeneration != 1 {
		t.Errorf("after the release: error %q, %+v", w.Status().Error, r)
	}
	if last := w.Recorded(); !last.Meta.FirstDeployment || last.Spec.Job.State != v1beta1.JobStateRunning ||
		last.Spec.Job.Parallelism != 2 {
		t.Errorf("recorded %+v", last)
	}
	jm, _ := w.Snapshot.JobManager.Get()
	jm = jm.DeepCopy()
	jm.Status.Replicas, jm.Status.AvailableReplicas = 1, 1
	w.Snapshot.JobManager, w.Snapshot.Flink.Jobs = plan.Present(jm), plan.Unknown[[]world.Job]("connection refused")
	w.Run()
	w.Want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerDeployedNotReady, v1beta1.FlinkJobReconciling)
	if w.Status().Pace != v1beta1.PaceFast {
		t.Errorf("pace %s while it starts", w.Status().Pace)
	}
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if r := w.Status().ReconciliationStatus; r.LastStableSpec != r.LastReconciledSpec ||
		w.Status().Pace != v1beta1.PaceSlow {
		t.Errorf("stable %q, pace %s", r.LastStableSpec, w.Status().Pace)
	}
	if p := w.Round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("nothing changed, got %s", p)
	}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(
			`{"taskmanager.numberOfTaskSlots":"2","kubernetes.operator.reconcile.interval":"30 s"}`,
		)
	})
	w.Run()
	if w.Status().ObservedGeneration != 2 || !w.Recorded().Meta.FirstDeployment {
		t.Errorf(
			"an ignored change moves observedGeneration alone: %d, %+v", w.Status().ObservedGeneration, w.Recorded().Meta,
		)
	}
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	w.Terminate()
	w.Run()
	if w.Recorded().Meta.FirstDeployment || w.Status().ObservedGeneration != 3 {
		t.Errorf("after an upgrade: %+v, observedGeneration %d", w.Recorded().Meta, w.Status().ObservedGeneration)
	}
}

func TestWhatAClusterIsDoesNotChange(t *testing.T) {
	j := func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job = &v1beta1.JobSpec{JarURI: "local:///x.jar", Parallelism: 1}
	}
	none := func(s *v1beta1.FlinkDeploymentSpec) { s.Job = nil }
	rows := map[string]struct {
		spec  string
		edit  func(*v1beta1.FlinkDeploymentSpec)
		state v1beta1.FlinkJobState
		says  string
	}{
		"application to session": {
			enginetest.Application,
			none,
			v1beta1.FlinkJobRunning,
			"Cannot switch from job to session cluster",
		},
		"session to application": {enginetest.Session, j, "", "Cannot switch from session to job cluster"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			before := w.Status().ReconciliationStatus
			w.Edit(row.edit)
			w.Run()
			w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, row.state)
			if w.Status().ReconciliationStatus != before || !strings.Contains(w.Status().Error, row.says) {
				t.Errorf("error %q, %+v", w.Status().Error, w.Status().ReconciliationStatus)
			}
			w.Snapshot.Flink.Jobs = plan.Present([]world.Job{})
			w.Delete()
			w.Run()
			w.Terminate()
			if w.Run(); !w.Gone {
				t.Errorf("the deletion must end, rounds %q", w.Log)
			}
		})
	}
}

func TestASuspendedBeginning(t *testing.T) {
	for name, spec := range map[string]string{
		"stateless": enginetest.Application, "with a savepoint": enginetest.Given(enginetest.Stateful),
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewDeployment(t, enginetest.With(spec, `"parallelism":2`, `"parallelism":2,"state":"suspended"`))
			for range 3 {
				w.Run()
			}
			r := w.Status().ReconciliationStatus
			if w.Snapshot.JobManager.IsPresent() || r.LastReconciledSpec != "" || r.LastStableSpec != "" ||
				w.Status().Error != "" ||
				w.Status().JobStatus.State != "" {
				t.Fatalf("nothing is started or recorded, got %+v", w.Status())
			}
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
			w.Run()
			want := ""
			if strings.Contains(spec, "given") {
				want = "file:///given"
			}
			if w.Status().Intent.From.Path != want || w.Status().JobStatus.UpgradeSavepointPath != want {
				t.Errorf("starts from %+v", w.Status().Intent.From)
			}
			if tm := w.Status().TaskManager; tm.LabelSelector != "component=taskmanager,app=demo" || tm.Replicas != 1 {
				t.Errorf("task managers %+v", tm)
			}
			w.ServeJob(v1beta1.FlinkJobRunning)
			w.Run()
			w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
		})
	}
}

func TestAnInitialSavepointIsUsedOnce(t *testing.T) {
	w := enginetest.NewDeployment(t, enginetest.Given(enginetest.Application))
	w.Run()
	if from := w.Status().Intent.From; from.Path != "file:///given" {
		t.Fatalf("the first start is from %+v", from)
	}
	if got := w.Reasons(); got != "Submit" {
		t.Errorf("told %q", got)
	}
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	if got := w.Reasons(); got != "JobStatusChanged" {
		t.Errorf("told %q", got)
	}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 4 })
	w.Run()
	if got := w.Reasons(); got != "SpecChanged Suspended" {
		t.Errorf("told %q", got)
	}
	w.Terminate()
	w.Run()
	if from := w.Status().Intent.From; from.Path != "" || w.Reasons() != "Submit" {
		t.Errorf("an upgrade of a stateless job starts empty, got %+v", from)
	}
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
	w.Run()
	w.Terminate()
	w.Run()
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
	w.Run()
	if from := w.Status().Intent.From; from.Path != "" {
		t.Errorf("and so does its resumption, got %+v", from)
	}
}

func TestAnInterruptedFirstStartKeepsItsState(t *testing.T) {
	w := enginetest.NewDeployment(t, enginetest.Given(enginetest.Stateful))
	w.Round()
	w.Look()
	p := deployment.Make(w.Snapshot) // what it would prepare never comes about
	for _, a := range p.Actions {
		if r, ok := a.(plan.Record); ok {
			w.Do(r)
		}
	}
	if w.Snapshot.JobManager.IsPresent() || w.Status().Intent == nil {
		t.Fatalf("the intent is stored and nothing is there, got %+v", w.Status().Intent)
	}
	w.Run()
	if from := w.Status().Intent.From; !w.Released || from.Path != "file:///given" {
		t.Errorf("released %t from %+v", w.Released, from)
	}
	if !w.Recorded().Meta.FirstDeployment {
		t.Error("it is still the first deployment")
	}
}

func TestWhatRunsIsAskedWhereItWasDeployed(t *testing.T) {
	w := enginetest.NewDeployment(
		t,
		enginetest.With(enginetest.Application, `"flinkConfiguration":{`, `"flinkConfiguration":{"rest.port":"8088",`),
	)
	w.Run()
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"rest.port":"12345"}`)
		s.Job.Parallelism = 0
	})
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	if q := deployment.Open(w.Snapshot).First(); q.Flink == nil || q.Flink.URL != "http://demo-rest.default.svc:8088" {
		t.Errorf("Flink is asked at %+v", q.Flink)
	}
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if !strings.Contains(w.Status().Error, "Job parallelism must be larger than 0") {
		t.Errorf("error %q", w.Status().Error)
	}
}

func TestAnInvalidFirstSpecIsToldOnce(t *testing.T) {
	w := enginetest.NewDeployment(t, enginetest.With(enginetest.Application, `"parallelism":2`, `"parallelism":-1`))
	w.Run()
	w.Run()
	if len(w.Events) != 1 || !w.Events[0].Warning || w.Events[0].Reason != "ValidationError" ||
		!strings.HasPrefix(w.Events[0].Message, "Job parallelism ") {
		t.Errorf("told %+v", w.Events)
	}
	if w.Status().LifecycleState != v1beta1.LifecycleFailed {
		t.Errorf("lifecycle state %s", w.Status().LifecycleState)
	}
}

func TestAStartThatIsRefusedIsTold(t *testing.T) {
	w := enginetest.NewDeployment(t, enginetest.Application)
	w.Round()
	p := enginetest.Denied(
		w.Snapshot,
		plan.Retire{},
		"Deployment Failure -> IllegalStateException -> actual failure reason",
	)
	status := p.Status.(*v1beta1.FlinkDeploymentStatus)
	if len(p.Events) != 1 || p.Events[0].Reason != "Error" ||
		p.Events[0].Message != "Deployment Failure -> IllegalStateException -> actual failure reason" {
		t.Errorf("told %+v", p.Events)
	}
	if !strings.Contains(status.Error, "actual failure reason") || enginetest.Touches(p) {
		t.Errorf("error %q, plan %s", status.Error, p)
	}
	w.Store(status)
	if again := enginetest.Denied(
		w.Snapshot, plan.Retire{}, "Deployment Failure -> IllegalStateException -> actual failure reason",
	); len(again.Events) != 0 {
		t.Errorf("told again: %+v", again.Events)
	}
}

func TestEveryFlinkVersion(t *testing.T) {
	rows := map[v1beta1.FlinkVersion]bool{
		v1beta1.FlinkV1_13: false, v1beta1.FlinkV1_14: false, v1beta1.FlinkV1_15: true, v1beta1.FlinkV1_16: true,
		v1beta1.FlinkV1_17: true,
		v1beta1.FlinkV1_18: true, v1beta1.FlinkV1_19: true, v1beta1.FlinkV1_20: true, v1beta1.FlinkV2_0: true,
		v1beta1.FlinkV2_1: true, v1beta1.FlinkV2_2: true,
	}
	for kind, spec := range map[string]string{"application": enginetest.Application,
		"session cluster": enginetest.Session} {
		for version, runs := range rows {
			t.Run(kind+" "+string(version), func(t *testing.T) {
				w := enginetest.NewDeployment(t, enginetest.With(spec, "v1_20", string(version)))
				w.Run()
				if w.Released != runs {
					t.Errorf("released %t, want %t; rounds %q", w.Released, runs, w.Log)
				}
				says := "Flink version " + string(version) + " is not supported"
				if !runs && (w.Told("Submit") > 0 || !strings.Contains(w.Status().Error, says) ||
					w.Status().ReconciliationStatus.LastReconciledSpec != "" ||
					!w.Condition(summary.SpecAccepted).LastTransitionTime.Time.Equal(enginetest.Start)) {
					t.Errorf("an old version is refused and told, got %+v", w.Status())
				}
			})
		}
	}
}

// The label of a canary on a resource that was deployed changes nothing of how its job is looked after, and that is
// told.
func TestAJobIsNoCanary(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	w.Snapshot.Resource.Labels = map[string]string{v1beta1.LabelCanary: "true"}
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	if i := w.Status().Intent; i == nil || i.Purpose != v1beta1.PurposeUpgrade {
		t.Errorf("an edit is not acted on: %+v, rounds %q", i, w.Log)
	}
	if told := w.Told("OptionWithoutEffect"); told != 1 {
		t.Errorf("told %d times that the label has no effect, want once", told)
	}
	w.Snapshot.Resource.DeletionTimestamp = &w.Snapshot.Resource.CreationTimestamp
	if p := w.Round(); p.Situation == plan.Canary {
		t.Errorf("the deletion is that of a canary: %s", p)
	}
}

func TestACanaryIsLeftAlone(t *testing.T) {
	w := enginetest.NewDeployment(t, enginetest.Application)
	w.Snapshot.Resource.Labels = map[string]string{v1beta1.LabelCanary: "true"}
	if p := w.Round(); enginetest.Touches(p) || p.Status != nil {
		t.Errorf("got %s with status %+v", p, p.Status)
	}
	w.Snapshot.Resource.Finalizers = []string{v1beta1.FinalizerFlinkDeployment}
	if p := w.Run(); w.Gone || p.Status != nil {
		t.Errorf("of one that another operator has held: %s", p)
	}
	w.Delete()
	if w.Run(); !w.Gone {
		t.Error("its deletion must end")
	}
	if p := w.Round(); enginetest.Touches(p) || len(p.Finish) > 0 {
		t.Errorf("nothing is left to do, got %s", p)
	}
}

func TestADeletionBeforeAnythingWasDeployed(t *testing.T) {
	w := enginetest.NewDeployment(t, enginetest.Application)
	w.Round()
	w.Delete()
	w.Run()
	if !w.Gone || w.Snapshot.JobManager.IsPresent() {
		t.Errorf("gone %t, rounds %q", w.Gone, w.Log)
	}
}

func TestAResumptionWaitsForItsLastState(t *testing.T) {
	w := enginetest.Suspended(t, enginetest.HighlyAvailable)
	j := w.Status().JobStatus.JobID
	w.Want(plan.Suspended, v1beta1.LifecycleSuspended, v1beta1.JobManagerMissing, v1beta1.FlinkJobFinished)
	w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{})
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
	w.Run()
	w.Run()
	if w.Snapshot.JobManager.IsPresent() || !strings.Contains(
		w.Status().Error, "HA metadata is not available to restore from last state.",
	) || w.Told("RestoreFailed") != 1 {
		t.Fatalf("error %q, RestoreFailed told %d times", w.Status().Error, w.Told("RestoreFailed"))
	}
	w.Snapshot.HAData = enginetest.HaMaps(j)
	w.Run()
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if w.Status().JobStatus.JobID != j {
		t.Error("the job goes on under its ID")
	}
}

// notReady brings a resource to a first start whose JobManager pod runs and does not answer.
func notReady(t *testing.T, spec string) *enginetest.Deployment {
	t.Helper()
	w := enginetest.NewDeployment(t, spec)
	w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{})
	w.Run()
	w.Snapshot.Now = w.Snapshot.Now.Add(time.Minute)
	w.Snapshot.Pods = enginetest.RanPods()
	w.Run()
	if w.Status().JobManagerDeploymentStatus != v1beta1.JobManagerDeploying {
		t.Fatalf("the JobManager is %s", w.Status().JobManagerDeploymentStatus)
	}
	return w
}

func TestAChangeOfAClusterThatDoesNotAnswer(t *testing.T) {
	saves := enginetest.With(enginetest.HighlyAvailable, `"upgradeMode":"last-state"`, `"upgradeMode":"savepoint"`)
	noFallback := enginetest.With(
		saves, `"state.savepoints.dir"`,
		`"kubernetes.operator.job.upgrade.last-state-fallback.enabled":"false","state.savepoints.dir"`,
	)
	none := plan.Present([]hadata.ConfigMap{})
	rows := map[string]struct {
		spec   string
		data   func(j string) plan.Observed[[]hadata.ConfigMap]
		stop   v1beta1.StopKind
		mode   v1beta1.UpgradeMode
		reason string
	}{
		"stateless": {
			enginetest.Application, nil, v1beta1.StopStateless, v1beta1.UpgradeModeStateless, "it needs nothing of the old one",
		},
		"session": {enginetest.Session, nil, v1beta1.StopStateless, v1beta1.UpgradeModeStateless, "the same"},
		"last-state with data": {
			enginetest.HighlyAvailable, enginetest.HaMaps, v1beta1.StopLastState, v1beta1.UpgradeModeLastState,
			"the data has its last state",
		},
		"savepoint with data": {
			saves, enginetest.HaMaps, v1beta1.StopLastState, v1beta1.UpgradeModeLastState, "it falls back to the data",
		},
		"last-state without data": {
			enginetest.HighlyAvailable, func(string) plan.Observed[[]hadata.ConfigMap] { return none }, "", "",
			"its state would be lost",
		},
		"savepoint without data": {
			saves, func(string) plan.Observed[[]hadata.ConfigMap] { return none }, "", "", "the same",
		},
		"savepoint, no fallback, data": {noFallback, enginetest.HaMaps, "", "", "a savepoint needs a running job"},
		"savepoint, no HA":             {enginetest.Stateful, nil, "", "", "there is nothing to go on from"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := notReady(t, row.spec)
			before := w.Status().ReconciliationStatus
			if row.data != nil {
				w.Snapshot.HAData = row.data(w.Status().JobStatus.JobID)
			}
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			intent := w.Status().Intent
			if row.stop == "" {
				jm, _ := w.Snapshot.JobManager.Get()
				if intent != nil || jm.DeletionTimestamp != nil || w.Status().ReconciliationStatus != before {
					t.Fatalf("intent %+v: %s", intent, row.reason)
				}
				if row.data == nil {
					return
				}
				w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
				w.ServeJob(v1beta1.FlinkJobRunning)
				if w.Run(); w.Status().Intent == nil {
					t.Errorf("the change is made once it can be, rounds %q", w.Log)
				}
				return
			}
			if intent == nil || intent.Stop != row.stop || intent.Restore != row.mode {
				t.Fatalf("intent %+v, want stop %s, restore %s: %s", intent, row.stop, row.mode, row.reason)
			}
			w.Terminate()
			w.Run()
			if w.RunningImage() != "flink:1.20.5" || !w.Snapshot.JobManager.IsPresent() {
				t.Errorf("not started with the new spec, rounds %q", w.Log)
			}
		})
	}
}

func TestTheEndOfAJobOutlivesItsCluster(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	w.ServeJob(v1beta1.FlinkJobFinished)
	w.Run()
	w.Snapshot.JobManager, w.Snapshot.Flink = plan.Absent[*appsv1.Deployment](), world.Flink{}
	w.Run()
	w.Want(plan.Ended, v1beta1.LifecycleStable, v1beta1.JobManagerMissing, v1beta1.FlinkJobFinished)
	if w.Snapshot.JobManager.IsPresent() {
		t.Error("a finished job is not started again")
	}
}

func TestAResumptionWithoutHANamesTheWayBack(t *testing.T) {
	w := enginetest.Suspended(t, enginetest.HighlyAvailable)
	with := w.Snapshot.Resource.Spec.FlinkConfiguration
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.State = v1beta1.JobStateRunning
		s.FlinkConfiguration = bytes.Replace(
			with, []byte(`"high-availability.type":"kubernetes"`), []byte(`"high-availability.type":"NONE"`), 1,
		)
	})
	w.Run()
	if w.Snapshot.JobManager.IsPresent() || !strings.Contains(
		w.Status().Error, "set them back to start from the data that it left",
	) {
		t.Fatalf("situation %s, error %q", w.Status().Situation, w.Status().Error)
	}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkConfiguration = with })
	w.Run()
	if from := w.From(); from.Kind != v1beta1.StartLastState {
		t.Errorf("started from %+v, rounds %q", from, w.Log)
	}
}
