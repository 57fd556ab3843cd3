package operation_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// brokenOff is the status that the Java operator stores before it deploys generation 321, and does not touch again when
// it dies there.
func brokenOff(t *testing.T, spec string, fields map[string]any) enginetest.LegacyStatus {
	t.Helper()
	application := strings.Contains(spec, `"job"`)
	last := enginetest.LegacyRecord(t, spec, nil, false)
	if application {
		last = enginetest.LegacyRecord(t, spec, enginetest.As(enginetest.Stopped, enginetest.Saved), false)
	}
	status := enginetest.Deployed(last).With(map[string]any{
		"reconciliationStatus.state": "UPGRADING",
		"reconciliationStatus.lastStableSpec": enginetest.LegacyRecord(
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
		status = status.With(map[string]any{"jobStatus": nil, "taskManager": nil})
	}
	return status.With(fields)
}

func TestAnUpgradeThatBrokeOffByItsGeneration(t *testing.T) {
	annotated := func(value string) func(*enginetest.Deployment) {
		return func(w *enginetest.Deployment) {
			jm, _ := w.Snapshot.JobManager.Get()
			if jm.Annotations = map[string]string{"deployment.kubernetes.io/revision": "1"}; value != "" {
				jm.Annotations[v1beta1.AnnotationGeneration] = value
			}
		}
	}
	leaving := func(w *enginetest.Deployment) {
		jm, _ := w.Snapshot.JobManager.Get()
		now := metav1.NewTime(enginetest.Start)
		jm.DeletionTimestamp = &now
	}
	rows := map[string]struct {
		fields   map[string]any
		cluster  func(w *enginetest.Deployment)
		deployed bool
		action   string // what an upgrade that goes on does first; empty: it waits
		reason   string
	}{
		"made for it": {nil, annotated("321"), true, "", "the one proof"},
		"no Deployment": {
			nil, func(w *enginetest.Deployment) { w.Snapshot.JobManager = plan.Absent[*appsv1.Deployment]() }, false, "prepare",
			"the upgrade goes on",
		},
		"without the annotation": {nil, annotated(""), false, "retire", "nobody says what it was made for"},
		"made for the one before": {nil, annotated("320"), false, "retire",
			"the old cluster, which may run the job again, and goes after that"},
		"going away": {
			nil, func(w *enginetest.Deployment) { annotated("321")(w); leaving(w) }, false, "delete",
			"it is not what was deployed",
		},
		"without replicas": {nil, func(w *enginetest.Deployment) {
			annotated("321")(w)
			jm, _ := w.Snapshot.JobManager.Get()
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
			w := enginetest.TakeOver(t, enginetest.Stateful, brokenOff(t, enginetest.Stateful, row.fields), 321)
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 8 })
			w.Snapshot.Resource.Generation = 322
			jm, _ := w.Snapshot.JobManager.Get()
			jm.Status.AvailableReplicas = 1
			row.cluster(w)
			w.Snapshot.Flink = world.Flink{Jobs: plan.Unknown[[]world.Job]("connection refused")}
			p := w.Round()
			status := w.Status()
			last, err := v1beta1.ParseReconciledDeployment(status.ReconciliationStatus.LastReconciledSpec)
			if err != nil {
				t.Fatal(err)
			}
			if row.deployed {
				if status.ReconciliationStatus.State != v1beta1.ReconciliationDeployed ||
					status.JobManagerDeploymentStatus != v1beta1.JobManagerDeployedNotReady ||
					last.Spec.Job.DesiredState() != enginetest.Runs || last.Spec.Job.Parallelism != 2 || enginetest.Touches(p) {
					t.Errorf("%s: %s, %+v, recorded %+v", row.reason, p, status, last.Spec.Job)
				}
				if row.fields == nil && w.DeployedGeneration() != 321 || status.ObservedGeneration != 322 {
					t.Errorf("observed %d, deployed %d: 322 was judged only", status.ObservedGeneration, w.DeployedGeneration())
				}
				w.ServeJob(v1beta1.FlinkJobRunning)
				w.Run()
				if i := w.Status().Intent; i == nil || i.Purpose != v1beta1.PurposeUpgrade || i.Generation != 322 ||
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
				last.Spec.Job.DesiredState() != enginetest.Stopped {
				t.Errorf("%s: %q, want it to %q: %s, recorded %+v", row.reason, did, row.action, p, last.Spec.Job)
			}
			if from, _ := w.Follow(); row.action != "" && from != "Savepoint file:///s/1" {
				t.Errorf("it goes on from %q; rounds %q", from, w.Log)
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
	one := enginetest.LegacyRecord(t, enginetest.Session, with("1"), false)
	takeOne := func(t *testing.T, generation int64, fields map[string]any) *enginetest.Deployment {
		fields["reconciliationStatus.lastReconciledSpec"] = one
		w := enginetest.TakeOver(t, enginetest.Session, brokenOff(t, enginetest.Session, fields), generation)
		with("1")(&w.Snapshot.Resource.Spec)
		return w
	}
	configured := func(t *testing.T, w *enginetest.Deployment) string {
		t.Helper()
		last, err := v1beta1.ParseReconciledDeployment(w.Status().ReconciliationStatus.LastReconciledSpec)
		if err != nil {
			t.Fatal(err)
		}
		return last.Spec.FlinkConfiguration.String()
	}
	t.Run("deployed", func(t *testing.T) {
		w := takeOne(t, 321, map[string]any{})
		jm, _ := w.Snapshot.JobManager.Get()
		jm.Status.AvailableReplicas = 1
		w.Snapshot.Flink.Jobs = plan.Unknown[[]world.Job]("connection refused")
		if p := w.Round(); enginetest.Touches(p) || w.Status().ReconciliationStatus.State != v1beta1.ReconciliationDeployed ||
			w.Status().JobManagerDeploymentStatus != v1beta1.JobManagerDeployedNotReady ||
			configured(t, w) != `{"k":"1"}` {
			t.Errorf("%s, %+v", p, w.Status())
		}
	})
	t.Run("deployed, and another spec", func(t *testing.T) {
		w := takeOne(t, 321, map[string]any{})
		with("2")(&w.Snapshot.Resource.Spec)
		w.Snapshot.Resource.Generation = 322
		w.FlinkSays(v1beta1.FlinkJobRunning)
		w.Snapshot.Flink.Jobs = plan.Present([]world.Job{})
		w.Round()
		if i := w.Status().Intent; i == nil || i.Purpose != v1beta1.PurposeUpgrade || i.Stops == nil ||
			i.Stops.DeploymentUID != "jm-of-another" {
			t.Fatalf("what was deployed is upgraded, got %+v", i)
		}
		w.Follow()
		if got := configured(t, w); got != `{"k":"2"}` ||
			w.Status().ReconciliationStatus.State != v1beta1.ReconciliationDeployed {
			t.Errorf("%s runs: %q", got, w.Log)
		}
	})
	for name, recovery := range map[string]string{"taken down": "true", "taken down, recovery switched off": "false"} {
		t.Run(name, func(t *testing.T) {
			w := takeOne(t, 0, map[string]any{})
			w.Snapshot.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(
				`{"k":"1","kubernetes.operator.jm-deployment-recovery.enabled":"` + recovery + `"}`,
			)
			w.Run()
			if i := w.Status().Intent; i == nil || i.Purpose != v1beta1.PurposeUpgrade || w.Told("RecoverDeployment") != 0 {
				t.Fatalf("the upgrade goes on, got %+v, %+v", i, w.Status().Conditions)
			}
			w.Follow()
			if got := configured(t, w); !strings.Contains(got, `"k":"1"`) ||
				w.Status().ReconciliationStatus.State != v1beta1.ReconciliationDeployed {
				t.Errorf("%s runs in state %s: %q", got, w.Status().ReconciliationStatus.State, w.Log)
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
		"application": {enginetest.Stateful, enginetest.As(enginetest.Stopped, enginetest.Empty),
			"recorded as suspended until it is deployed"},
		"session cluster": {strings.Replace(
			enginetest.Session, `"serviceAccount"`,
			`"flinkConfiguration":{"kubernetes.operator.jm-deployment-recovery.enabled":"false"},"serviceAccount"`, 1,
		), nil,
			"nothing was lost that would have to be recovered"},
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.TakeOver(t, row.spec, brokenOff(
				t,
				row.spec,
				map[string]any{
					"reconciliationStatus.lastReconciledSpec": enginetest.LegacyRecord(t, row.spec, row.change, true),
					"reconciliationStatus.lastStableSpec":     nil,
					"observedGeneration":                      1,
					"jobStatus":                               nil,
					"taskManager":                             nil,
				},
			),
				0)
			w.Round()
			if i := w.Status().Intent; i == nil || i.Purpose != v1beta1.PurposeDeploy || i.From.Kind != v1beta1.StartEmpty {
				t.Fatalf("%s: intent %+v, %+v", row.reason, i, w.Status().Conditions)
			}
			w.Run()
			if !w.Released || !w.Recorded().Meta.FirstDeployment || w.Told("RecoverDeployment") != 0 {
				t.Errorf("%s: %q", row.reason, w.Log)
			}
		})
	}
}

// What a change needs is told before what the cluster needs that it is to replace.
func TestARefusedChangeOfABrokenClusterIsTold(t *testing.T) {
	w := enginetest.UpgradedBySavepoint(t, enginetest.Stateful)
	w.NeverStarts()
	pods, _ := w.Snapshot.Pods.Get()
	pods[0].CreationTimestamp.Time = pods[0].CreationTimestamp.Add(time.Minute) // another may have run before it
	w.Run()
	if c := w.Condition(summary.Stalled); c.Reason != "ImagePullBackOff" {
		t.Fatalf("stalled %+v, rounds %q", c, w.Log)
	}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20" })
	w.Run()
	if c := w.Condition(summary.Stalled); c.Reason != "UpgradeFailed" ||
		w.Condition(summary.ClusterAvailable).Reason != "ImagePullBackOff" {
		t.Errorf("stalled %+v, available %+v", c, w.Condition(summary.ClusterAvailable))
	}
	w.PersonDecides(true)
	if p := w.Round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("a second look must be quiet, got %s", p)
	}
}
