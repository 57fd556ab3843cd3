package deployment

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// brokenOff is the status that the Java operator stores before it deploys generation 321, and does not touch again when
// it dies there.
func brokenOff(t *testing.T, spec string, fields map[string]any) legacyStatus {
	t.Helper()
	application := strings.Contains(spec, `"job"`)
	last := legacyRecord(t, spec, nil, false)
	if application {
		last = legacyRecord(t, spec, as(stopped, saved), false)
	}
	status := deployed(last).with(map[string]any{
		"reconciliationStatus.state": "UPGRADING",
		"reconciliationStatus.lastStableSpec": legacyRecord(
			t,
			strings.Replace(spec, "flink:1.20", "flink:1.19", 1),
			nil,
			true,
		),
		"jobManagerDeploymentStatus":     "MISSING",
		"jobStatus.state":                "FINISHED",
		"jobStatus.upgradeSavepointPath": "file:///s/1",
		"lifecycleState":                 "UPGRADING",
		"observedGeneration":             321,
	})
	if !application {
		status = status.with(map[string]any{"jobStatus": nil, "taskManager": nil})
	}
	return status.with(fields)
}

func TestAnUpgradeThatBrokeOffByItsGeneration(t *testing.T) {
	annotated := func(value string) func(*fixture) {
		return func(w *fixture) {
			jm, _ := w.s.JobManager.Get()
			if jm.Annotations = map[string]string{"deployment.kubernetes.io/revision": "1"}; value != "" {
				jm.Annotations[v1beta1.AnnotationGeneration] = value
			}
		}
	}
	leaving := func(w *fixture) {
		jm, _ := w.s.JobManager.Get()
		now := metav1.NewTime(start)
		jm.DeletionTimestamp = &now
	}
	rows := map[string]struct {
		fields   map[string]any
		cluster  func(w *fixture)
		deployed bool
		action   string // what an upgrade that goes on does first; empty: it waits
		reason   string
	}{
		"made for it": {nil, annotated("321"), true, "", "the one proof"},
		"no Deployment": {
			nil, func(w *fixture) { w.s.JobManager = plan.Absent[*appsv1.Deployment]() }, false, "prepare",
			"the upgrade goes on",
		},
		"without the annotation": {nil, annotated(""), false, "retire", "nobody says what it was made for"},
		"made for the one before": {nil, annotated("320"), false, "retire",
			"the old cluster, which may run the job again, and goes after that"},
		"going away": {
			nil, func(w *fixture) { annotated("321")(w); leaving(w) }, false, "delete", "it is not what was deployed",
		},
		"without replicas": {nil, func(w *fixture) {
			annotated("321")(w)
			jm, _ := w.s.JobManager.Get()
			none := int32(0)
			jm.Spec.Replicas, jm.Status = &none, appsv1.DeploymentStatus{}
		}, false, "delete", "the Java operator takes a cluster down that way"},
		"its JobManager is READY": {
			map[string]any{"jobManagerDeploymentStatus": "READY"}, annotated("321"), false, "retire",
			"stopped with a savepoint, and not deleted yet",
		},
		"neither names a generation": {map[string]any{"observedGeneration": nil}, annotated(""), true, "",
			"older operators wrote neither"},
		"the annotation alone": {
			map[string]any{"observedGeneration": nil}, annotated("321"), false, "retire", "older operators did not write it",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := takeOver(t, stateful, brokenOff(t, stateful, row.fields), 321)
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 8 })
			w.s.Resource.Generation = 322
			jm, _ := w.s.JobManager.Get()
			jm.Status.AvailableReplicas = 1
			row.cluster(w)
			w.s.Flink = world.Flink{Jobs: plan.Unknown[[]world.Job]("connection refused")}
			p := w.round()
			status := w.status()
			last, err := v1beta1.ParseReconciledDeployment(status.ReconciliationStatus.LastReconciledSpec)
			if err != nil {
				t.Fatal(err)
			}
			if row.deployed {
				if status.ReconciliationStatus.State != v1beta1.ReconciliationDeployed ||
					status.JobManagerDeploymentStatus != v1beta1.JobManagerDeployedNotReady ||
					last.Spec.Job.DesiredState() != runs || last.Spec.Job.Parallelism != 2 || touches(p) {
					t.Errorf("%s: %s, %+v, recorded %+v", row.reason, p, status, last.Spec.Job)
				}
				if row.fields == nil && w.deployedGeneration() != 321 || status.ObservedGeneration != 322 {
					t.Errorf("observed %d, deployed %d: 322 was judged only", status.ObservedGeneration, w.deployedGeneration())
				}
				w.serveJob(v1beta1.FlinkJobRunning)
				w.run()
				if i := w.status().Intent; i == nil || i.Purpose != v1beta1.PurposeUpgrade || i.Generation != 322 ||
					i.Stop != v1beta1.StopSavepoint {
					t.Errorf("then generation 322 is an upgrade like any other, got %+v", i)
				}
				return
			}
			did := ""
			for _, a := range p.Effects() {
				for _, verb := range []string{"prepare", "delete", "retire"} {
					if strings.HasPrefix(a.String(), verb) {
						did = verb
					}
				}
			}
			if did != row.action || status.ReconciliationStatus.State == v1beta1.ReconciliationDeployed ||
				last.Spec.Job.DesiredState() != stopped {
				t.Errorf("%s: %q, want it to %q: %s, recorded %+v", row.reason, did, row.action, p, last.Spec.Job)
			}
			if from, _ := w.follow(); row.action != "" && from != "Savepoint file:///s/1" {
				t.Errorf("it goes on from %q; rounds %q", from, w.log)
			}
		})
	}
}

func TestABrokenOffSessionClusterUpgrade(t *testing.T) {
	with := func(n string) func(s *v1beta1.FlinkDeploymentSpec) {
		return func(s *v1beta1.FlinkDeploymentSpec) {
			s.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"k":"` + n + `"}`)
		}
	}
	one := legacyRecord(t, session, with("1"), false)
	takeOne := func(t *testing.T, generation int64, fields map[string]any) *fixture {
		fields["reconciliationStatus.lastReconciledSpec"] = one
		w := takeOver(t, session, brokenOff(t, session, fields), generation)
		with("1")(&w.s.Resource.Spec)
		return w
	}
	configured := func(t *testing.T, w *fixture) string {
		t.Helper()
		last, err := v1beta1.ParseReconciledDeployment(w.status().ReconciliationStatus.LastReconciledSpec)
		if err != nil {
			t.Fatal(err)
		}
		return last.Spec.FlinkConfiguration.String()
	}
	t.Run("deployed", func(t *testing.T) {
		w := takeOne(t, 321, map[string]any{})
		jm, _ := w.s.JobManager.Get()
		jm.Status.AvailableReplicas = 1
		w.s.Flink.Jobs = plan.Unknown[[]world.Job]("connection refused")
		if p := w.round(); touches(p) || w.status().ReconciliationStatus.State != v1beta1.ReconciliationDeployed ||
			w.status().JobManagerDeploymentStatus != v1beta1.JobManagerDeployedNotReady || configured(t, w) != `{"k":"1"}` {
			t.Errorf("%s, %+v", p, w.status())
		}
	})
	t.Run("deployed, and another spec", func(t *testing.T) {
		w := takeOne(t, 321, map[string]any{})
		with("2")(&w.s.Resource.Spec)
		w.s.Resource.Generation = 322
		w.flinkSays(v1beta1.FlinkJobRunning)
		w.s.Flink.Jobs = plan.Present([]world.Job{})
		w.round()
		if i := w.status().Intent; i == nil || i.Purpose != v1beta1.PurposeUpgrade || i.Stops == nil ||
			i.Stops.DeploymentUID != "jm-of-another" {
			t.Fatalf("what was deployed is upgraded, got %+v", i)
		}
		w.follow()
		if got := configured(t, w); got != `{"k":"2"}` ||
			w.status().ReconciliationStatus.State != v1beta1.ReconciliationDeployed {
			t.Errorf("%s runs: %q", got, w.log)
		}
	})
	for name, recovery := range map[string]string{"taken down": "true", "taken down, recovery switched off": "false"} {
		t.Run(name, func(t *testing.T) {
			w := takeOne(t, 0, map[string]any{})
			w.s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(
				`{"k":"1","kubernetes.operator.jm-deployment-recovery.enabled":"` + recovery + `"}`,
			)
			w.run()
			if i := w.status().Intent; i == nil || i.Purpose != v1beta1.PurposeUpgrade || w.told("RecoverDeployment") != 0 {
				t.Fatalf("the upgrade goes on, got %+v, %+v", i, w.status().Conditions)
			}
			w.follow()
			if got := configured(t, w); !strings.Contains(got, `"k":"1"`) ||
				w.status().ReconciliationStatus.State != v1beta1.ReconciliationDeployed {
				t.Errorf("%s runs in state %s: %q", got, w.status().ReconciliationStatus.State, w.log)
			}
		})
	}
}

func TestABrokenOffDeploymentBeginsAgain(t *testing.T) {
	for name, row := range map[string]struct {
		spec   string
		change func(*v1beta1.FlinkDeploymentSpec)
		reason string
	}{
		"application": {stateful, as(stopped, empty), "recorded as suspended until it is deployed"},
		"session cluster": {strings.Replace(
			session, `"serviceAccount"`,
			`"flinkConfiguration":{"kubernetes.operator.jm-deployment-recovery.enabled":"false"},"serviceAccount"`, 1,
		), nil,
			"nothing was lost that would have to be recovered"},
	} {
		t.Run(name, func(t *testing.T) {
			w := takeOver(t, row.spec, brokenOff(t, row.spec,
				map[string]any{"reconciliationStatus.lastReconciledSpec": legacyRecord(t, row.spec, row.change, true),
					"reconciliationStatus.lastStableSpec": nil, "observedGeneration": 1, "jobStatus": nil, "taskManager": nil}),
				0)
			w.round()
			if i := w.status().Intent; i == nil || i.Purpose != v1beta1.PurposeDeploy || i.From.Kind != v1beta1.StartEmpty {
				t.Fatalf("%s: intent %+v, %+v", row.reason, i, w.status().Conditions)
			}
			w.run()
			if !w.released || !w.recorded().Meta.FirstDeployment || w.told("RecoverDeployment") != 0 {
				t.Errorf("%s: %q", row.reason, w.log)
			}
		})
	}
}

// What a change needs is told before what the cluster needs that it is to replace.
func TestARefusedChangeOfABrokenClusterIsTold(t *testing.T) {
	w := upgradedBySavepoint(t, stateful)
	w.neverStarts()
	pods, _ := w.s.Pods.Get()
	pods[0].CreationTimestamp.Time = pods[0].CreationTimestamp.Add(time.Minute) // another may have run before it
	w.run()
	if c := w.condition(summary.Stalled); c.Reason != "ImagePullBackOff" {
		t.Fatalf("stalled %+v, rounds %q", c, w.log)
	}
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20" })
	w.run()
	if c := w.condition(summary.Stalled); c.Reason != "UpgradeFailed" ||
		w.condition(summary.ClusterAvailable).Reason != "ImagePullBackOff" {
		t.Errorf("stalled %+v, available %+v", c, w.condition(summary.ClusterAvailable))
	}
	w.personDecides(true)
	if p := w.round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("a second look must be quiet, got %s", p)
	}
}
