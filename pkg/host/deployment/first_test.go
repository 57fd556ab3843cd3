package deployment

import (
	"bytes"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// with replaces a part of a specification.
func with(spec, old, new string) string { return strings.Replace(spec, old, new, 1) }

// given makes the first start begin from a savepoint.
func given(spec string) string {
	return with(spec, `"parallelism":2`, `"parallelism":2,"initialSavepointPath":"file:///given"`)
}

func (w *fixture) reasons() string {
	var all []string
	for _, e := range w.events {
		all = append(all, string(e.Reason))
	}
	w.events = nil
	return strings.Join(all, " ")
}

func (w *fixture) recorded() v1beta1.ReconciledDeployment {
	w.t.Helper()
	last, err := v1beta1.ParseReconciledDeployment(w.status().ReconciliationStatus.LastReconciledSpec)
	if err != nil || last.Meta == nil {
		w.t.Fatalf("lastReconciledSpec: %v", err)
	}
	return last
}

func TestWhatAFirstStartRecords(t *testing.T) {
	w := newWorld(t, application)
	w.run()
	w.want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerDeploying, v1beta1.FlinkJobReconciling)
	r := w.status().ReconciliationStatus
	if w.status().Error != "" || r.LastStableSpec != "" || r.State != v1beta1.ReconciliationDeployed ||
		w.status().ObservedGeneration != 1 {
		t.Errorf("after the release: error %q, %+v", w.status().Error, r)
	}
	if last := w.recorded(); !last.Meta.FirstDeployment || last.Spec.Job.State != v1beta1.JobStateRunning ||
		last.Spec.Job.Parallelism != 2 {
		t.Errorf("recorded %+v", last)
	}
	jm, _ := w.s.JobManager.Get()
	jm = jm.DeepCopy()
	jm.Status.Replicas, jm.Status.AvailableReplicas = 1, 1
	w.s.JobManager, w.s.Flink.Jobs = plan.Present(jm), plan.Unknown[[]world.Job]("connection refused")
	w.run()
	w.want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerDeployedNotReady, v1beta1.FlinkJobReconciling)
	if w.status().Pace != v1beta1.PaceFast {
		t.Errorf("pace %s while it starts", w.status().Pace)
	}
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if r := w.status().ReconciliationStatus; r.LastStableSpec != r.LastReconciledSpec ||
		w.status().Pace != v1beta1.PaceSlow {
		t.Errorf("stable %q, pace %s", r.LastStableSpec, w.status().Pace)
	}
	if p := w.round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("nothing changed, got %s", p)
	}
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(
			`{"taskmanager.numberOfTaskSlots":"2","kubernetes.operator.reconcile.interval":"30 s"}`,
		)
	})
	w.run()
	if w.status().ObservedGeneration != 2 || !w.recorded().Meta.FirstDeployment {
		t.Errorf(
			"an ignored change moves observedGeneration alone: %d, %+v", w.status().ObservedGeneration, w.recorded().Meta,
		)
	}
	w.edit(upgradeImage)
	w.run()
	w.terminate()
	w.run()
	if w.recorded().Meta.FirstDeployment || w.status().ObservedGeneration != 3 {
		t.Errorf("after an upgrade: %+v, observedGeneration %d", w.recorded().Meta, w.status().ObservedGeneration)
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
		"application to session": {application, none, v1beta1.FlinkJobRunning, "Cannot switch from job to session cluster"},
		"session to application": {session, j, "", "Cannot switch from session to job cluster"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			before := w.status().ReconciliationStatus
			w.edit(row.edit)
			w.run()
			w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, row.state)
			if w.status().ReconciliationStatus != before || !strings.Contains(w.status().Error, row.says) {
				t.Errorf("error %q, %+v", w.status().Error, w.status().ReconciliationStatus)
			}
			w.s.Flink.Jobs = plan.Present([]world.Job{})
			w.delete()
			w.run()
			w.terminate()
			if w.run(); !w.gone {
				t.Errorf("the deletion must end, rounds %q", w.log)
			}
		})
	}
}

func TestASuspendedBeginning(t *testing.T) {
	for name, spec := range map[string]string{
		"stateless": application, "with a savepoint": given(stateful),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, with(spec, `"parallelism":2`, `"parallelism":2,"state":"suspended"`))
			for range 3 {
				w.run()
			}
			r := w.status().ReconciliationStatus
			if w.s.JobManager.IsPresent() || r.LastReconciledSpec != "" || r.LastStableSpec != "" || w.status().Error != "" ||
				w.status().JobStatus.State != "" {
				t.Fatalf("nothing is started or recorded, got %+v", w.status())
			}
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
			w.run()
			want := ""
			if strings.Contains(spec, "given") {
				want = "file:///given"
			}
			if w.status().Intent.From.Path != want || w.status().JobStatus.UpgradeSavepointPath != want {
				t.Errorf("starts from %+v", w.status().Intent.From)
			}
			if tm := w.status().TaskManager; tm.LabelSelector != "component=taskmanager,app=demo" || tm.Replicas != 1 {
				t.Errorf("task managers %+v", tm)
			}
			w.serveJob(v1beta1.FlinkJobRunning)
			w.run()
			w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
		})
	}
}

func TestAnInitialSavepointIsUsedOnce(t *testing.T) {
	w := newWorld(t, given(application))
	w.run()
	if from := w.status().Intent.From; from.Path != "file:///given" {
		t.Fatalf("the first start is from %+v", from)
	}
	if got := w.reasons(); got != "Submit" {
		t.Errorf("told %q", got)
	}
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	if got := w.reasons(); got != "JobStatusChanged" {
		t.Errorf("told %q", got)
	}
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 4 })
	w.run()
	if got := w.reasons(); got != "SpecChanged Suspended" {
		t.Errorf("told %q", got)
	}
	w.terminate()
	w.run()
	if from := w.status().Intent.From; from.Path != "" || w.reasons() != "Submit" {
		t.Errorf("an upgrade of a stateless job starts empty, got %+v", from)
	}
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
	w.run()
	w.terminate()
	w.run()
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
	w.run()
	if from := w.status().Intent.From; from.Path != "" {
		t.Errorf("and so does its resumption, got %+v", from)
	}
}

func TestAnInterruptedFirstStartKeepsItsState(t *testing.T) {
	w := newWorld(t, given(stateful))
	w.round()
	w.look()
	p := Make(w.s) // what it would prepare never comes about
	for _, a := range p.Actions {
		if r, ok := a.(plan.Record); ok {
			w.do(r)
		}
	}
	if w.s.JobManager.IsPresent() || w.status().Intent == nil {
		t.Fatalf("the intent is stored and nothing is there, got %+v", w.status().Intent)
	}
	w.run()
	if from := w.status().Intent.From; !w.released || from.Path != "file:///given" {
		t.Errorf("released %t from %+v", w.released, from)
	}
	if !w.recorded().Meta.FirstDeployment {
		t.Error("it is still the first deployment")
	}
}

func TestWhatRunsIsAskedWhereItWasDeployed(t *testing.T) {
	w := newWorld(t, with(application, `"flinkConfiguration":{`, `"flinkConfiguration":{"rest.port":"8088",`))
	w.run()
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"rest.port":"12345"}`)
		s.Job.Parallelism = 0
	})
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	if q := Open(w.s).First(); q.Flink == nil || q.Flink.URL != "http://demo-rest.default.svc:8088" {
		t.Errorf("Flink is asked at %+v", q.Flink)
	}
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if !strings.Contains(w.status().Error, "Job parallelism must be larger than 0") {
		t.Errorf("error %q", w.status().Error)
	}
}

func TestAnInvalidFirstSpecIsToldOnce(t *testing.T) {
	w := newWorld(t, with(application, `"parallelism":2`, `"parallelism":-1`))
	w.run()
	w.run()
	if len(w.events) != 1 || !w.events[0].Warning || w.events[0].Reason != "ValidationError" ||
		!strings.HasPrefix(w.events[0].Message, "Job parallelism ") {
		t.Errorf("told %+v", w.events)
	}
	if w.status().LifecycleState != v1beta1.LifecycleFailed {
		t.Errorf("lifecycle state %s", w.status().LifecycleState)
	}
}

func TestAStartThatIsRefusedIsTold(t *testing.T) {
	w := newWorld(t, application)
	w.round()
	p := denied(w.s, plan.Retire{}, "Deployment Failure -> IllegalStateException -> actual failure reason")
	status := p.Status.(*v1beta1.FlinkDeploymentStatus)
	if len(p.Events) != 1 || p.Events[0].Reason != "Error" ||
		p.Events[0].Message != "Deployment Failure -> IllegalStateException -> actual failure reason" {
		t.Errorf("told %+v", p.Events)
	}
	if !strings.Contains(status.Error, "actual failure reason") || touches(p) {
		t.Errorf("error %q, plan %s", status.Error, p)
	}
	w.store(status)
	if again := denied(
		w.s, plan.Retire{}, "Deployment Failure -> IllegalStateException -> actual failure reason",
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
	for kind, spec := range map[string]string{"application": application, "session cluster": session} {
		for version, runs := range rows {
			t.Run(kind+" "+string(version), func(t *testing.T) {
				w := newWorld(t, with(spec, "v1_20", string(version)))
				w.run()
				if w.released != runs {
					t.Errorf("released %t, want %t; rounds %q", w.released, runs, w.log)
				}
				says := "Flink version " + string(version) + " is not supported"
				if !runs && (w.told("Submit") > 0 || !strings.Contains(w.status().Error, says) ||
					w.status().ReconciliationStatus.LastReconciledSpec != "" ||
					!w.condition(summary.SpecAccepted).LastTransitionTime.Time.Equal(start)) {
					t.Errorf("an old version is refused and told, got %+v", w.status())
				}
			})
		}
	}
}

// The label of a canary on a resource that was deployed changes nothing of how its job is looked after, and that is
// told.
func TestAJobIsNoCanary(t *testing.T) {
	w := stable(t, stateful)
	w.s.Resource.Labels = map[string]string{v1beta1.LabelCanary: "true"}
	w.edit(upgradeImage)
	w.run()
	if i := w.status().Intent; i == nil || i.Purpose != v1beta1.PurposeUpgrade {
		t.Errorf("an edit is not acted on: %+v, rounds %q", i, w.log)
	}
	if told := w.told("OptionWithoutEffect"); told != 1 {
		t.Errorf("told %d times that the label has no effect, want once", told)
	}
	w.s.Resource.DeletionTimestamp = &w.s.Resource.CreationTimestamp
	if p := w.round(); p.Situation == plan.Canary {
		t.Errorf("the deletion is that of a canary: %s", p)
	}
}

func TestACanaryIsLeftAlone(t *testing.T) {
	w := newWorld(t, application)
	w.s.Resource.Labels = map[string]string{v1beta1.LabelCanary: "true"}
	if p := w.round(); touches(p) || p.Status != nil {
		t.Errorf("got %s with status %+v", p, p.Status)
	}
	w.s.Resource.Finalizers = []string{v1beta1.FinalizerFlinkDeployment}
	if p := w.run(); w.gone || p.Status != nil {
		t.Errorf("of one that another operator has held: %s", p)
	}
	w.delete()
	if w.run(); !w.gone {
		t.Error("its deletion must end")
	}
	if p := w.round(); touches(p) || len(p.Finish) > 0 {
		t.Errorf("nothing is left to do, got %s", p)
	}
}

func TestADeletionBeforeAnythingWasDeployed(t *testing.T) {
	w := newWorld(t, application)
	w.round()
	w.delete()
	w.run()
	if !w.gone || w.s.JobManager.IsPresent() {
		t.Errorf("gone %t, rounds %q", w.gone, w.log)
	}
}

// suspended brings a resource with high-availability data to its suspension.
func suspended(t *testing.T, spec string) *fixture {
	t.Helper()
	w := stable(t, spec)
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
	w.run()
	w.terminate()
	w.run()
	return w
}

func TestAResumptionWaitsForItsLastState(t *testing.T) {
	w := suspended(t, highlyAvailable)
	j := w.status().JobStatus.JobID
	w.want(plan.Suspended, v1beta1.LifecycleSuspended, v1beta1.JobManagerMissing, v1beta1.FlinkJobFinished)
	w.s.HAData = plan.Present([]hadata.ConfigMap{})
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
	w.run()
	w.run()
	if w.s.JobManager.IsPresent() || !strings.Contains(
		w.status().Error, "HA metadata is not available to restore from last state.",
	) || w.told("RestoreFailed") != 1 {
		t.Fatalf("error %q, RestoreFailed told %d times", w.status().Error, w.told("RestoreFailed"))
	}
	w.s.HAData = haMaps(j)
	w.run()
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	if w.status().JobStatus.JobID != j {
		t.Error("the job goes on under its ID")
	}
}

// notReady brings a resource to a first start whose JobManager pod runs and does not answer.
func notReady(t *testing.T, spec string) *fixture {
	t.Helper()
	w := newWorld(t, spec)
	w.s.HAData = plan.Present([]hadata.ConfigMap{})
	w.run()
	w.s.Now = w.s.Now.Add(time.Minute)
	w.s.Pods = ranPods()
	w.run()
	if w.status().JobManagerDeploymentStatus != v1beta1.JobManagerDeploying {
		t.Fatalf("the JobManager is %s", w.status().JobManagerDeploymentStatus)
	}
	return w
}

func TestAChangeOfAClusterThatDoesNotAnswer(t *testing.T) {
	saves := with(highlyAvailable, `"upgradeMode":"last-state"`, `"upgradeMode":"savepoint"`)
	noFallback := with(
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
			application, nil, v1beta1.StopStateless, v1beta1.UpgradeModeStateless, "it needs nothing of the old one",
		},
		"session": {session, nil, v1beta1.StopStateless, v1beta1.UpgradeModeStateless, "the same"},
		"last-state with data": {
			highlyAvailable, haMaps, v1beta1.StopLastState, v1beta1.UpgradeModeLastState, "the data has its last state",
		},
		"savepoint with data": {
			saves, haMaps, v1beta1.StopLastState, v1beta1.UpgradeModeLastState, "it falls back to the data",
		},
		"last-state without data": {
			highlyAvailable, func(string) plan.Observed[[]hadata.ConfigMap] { return none }, "", "",
			"its state would be lost",
		},
		"savepoint without data": {
			saves, func(string) plan.Observed[[]hadata.ConfigMap] { return none }, "", "", "the same",
		},
		"savepoint, no fallback, data": {noFallback, haMaps, "", "", "a savepoint needs a running job"},
		"savepoint, no HA":             {stateful, nil, "", "", "there is nothing to go on from"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := notReady(t, row.spec)
			before := w.status().ReconciliationStatus
			if row.data != nil {
				w.s.HAData = row.data(w.status().JobStatus.JobID)
			}
			w.edit(upgradeImage)
			w.run()
			intent := w.status().Intent
			if row.stop == "" {
				jm, _ := w.s.JobManager.Get()
				if intent != nil || jm.DeletionTimestamp != nil || w.status().ReconciliationStatus != before {
					t.Fatalf("intent %+v: %s", intent, row.reason)
				}
				if row.data == nil {
					return
				}
				w.s.HAData = haMaps(w.status().JobStatus.JobID)
				w.serveJob(v1beta1.FlinkJobRunning)
				if w.run(); w.status().Intent == nil {
					t.Errorf("the change is made once it can be, rounds %q", w.log)
				}
				return
			}
			if intent == nil || intent.Stop != row.stop || intent.Restore != row.mode {
				t.Fatalf("intent %+v, want stop %s, restore %s: %s", intent, row.stop, row.mode, row.reason)
			}
			w.terminate()
			w.run()
			if w.runningImage() != "flink:1.20.5" || !w.s.JobManager.IsPresent() {
				t.Errorf("not started with the new spec, rounds %q", w.log)
			}
		})
	}
}

func TestTheEndOfAJobOutlivesItsCluster(t *testing.T) {
	w := stable(t, application)
	w.serveJob(v1beta1.FlinkJobFinished)
	w.run()
	w.s.JobManager, w.s.Flink = plan.Absent[*appsv1.Deployment](), world.Flink{}
	w.run()
	w.want(plan.Ended, v1beta1.LifecycleStable, v1beta1.JobManagerMissing, v1beta1.FlinkJobFinished)
	if w.s.JobManager.IsPresent() {
		t.Error("a finished job is not started again")
	}
}

func TestAResumptionWithoutHANamesTheWayBack(t *testing.T) {
	w := suspended(t, highlyAvailable)
	with := w.s.Resource.Spec.FlinkConfiguration
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.State = v1beta1.JobStateRunning
		s.FlinkConfiguration = bytes.Replace(
			with, []byte(`"high-availability.type":"kubernetes"`), []byte(`"high-availability.type":"NONE"`), 1,
		)
	})
	w.run()
	if w.s.JobManager.IsPresent() || !strings.Contains(
		w.status().Error, "set them back to start from the data that it left",
	) {
		t.Fatalf("situation %s, error %q", w.status().Situation, w.status().Error)
	}
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkConfiguration = with })
	w.run()
	if from := w.from(); from.Kind != v1beta1.StartLastState {
		t.Errorf("started from %+v, rounds %q", from, w.log)
	}
}
