package decide_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/health"
	"github.com/kn-flink/kn-flink/test/drawing"
)

// judged brings a job to STABLE with a first record of its health.
func judged(t *testing.T, spec string) *enginetest.Deployment {
	t.Helper()
	w := enginetest.Stable(t, spec)
	w.Health(0)
	w.Run()
	return w
}

func TestAnUnhealthyJob(t *testing.T) {
	off := strings.Replace(
		enginetest.Checked(enginetest.Application),
		`health-check.enabled":"true"`,
		`health-check.enabled":"false"`,
		1,
	)
	rows := map[string]struct {
		// row is the way through the drawing, see package drawing.
		row     string
		spec    string
		data    plan.Observed[[]hadata.ConfigMap]
		state   v1beta1.FlinkJobState
		health  plan.Observed[health.Seen]
		stop    v1beta1.StopKind // empty: nothing is stopped
		restore v1beta1.UpgradeMode
		stalled string
		reason  string
	}{
		"stateless": {
			"H2/H4",
			enginetest.Checked(enginetest.Application),
			enginetest.NoHAMaps,
			v1beta1.FlinkJobRunning,
			restarted(100),
			v1beta1.StopStateless,
			v1beta1.UpgradeModeStateless,
			"",
			"it needs nothing from the one before",
		},
		"restarting all the time": {
			"H2/H4",
			enginetest.Checked(enginetest.Application),
			enginetest.NoHAMaps,
			v1beta1.FlinkJobRestarting,
			restarted(100),
			v1beta1.StopStateless,
			v1beta1.UpgradeModeStateless,
			"",
			"any job that has not ended",
		},
		"highly available": {
			"H2/H5",
			enginetest.Checked(enginetest.HighlyAvailable),
			enginetest.HaMaps("x"),
			v1beta1.FlinkJobRunning,
			restarted(100),
			v1beta1.StopLastState,
			v1beta1.UpgradeModeLastState,
			"",
			"from its data",
		},
		"highly available, by its checkpoints": {
			"H2/H5",
			enginetest.Checked(enginetest.HighlyAvailable),
			enginetest.HaMaps("x"),
			v1beta1.FlinkJobRunning,
			plan.Present(
				health.Seen{Progress: enginetest.Start.Add(-time.Hour)},
			),
			v1beta1.StopLastState,
			v1beta1.UpgradeModeLastState,
			"",
			"none was completed for an hour",
		},
		"its data is gone": {
			"H2/H7",
			enginetest.Checked(enginetest.HighlyAvailable),
			enginetest.NoHAMaps,
			v1beta1.FlinkJobRunning,
			restarted(100),
			"",
			"",
			"JobUnhealthy",
			"its state would be lost",
		},
		"its data cannot be looked at": {
			"H2/H6",
			enginetest.Checked(enginetest.HighlyAvailable),
			plan.Unknown[[]hadata.ConfigMap]("time-out"),
			v1beta1.FlinkJobRunning,
			restarted(100),
			"",
			"",
			"",
			"nothing is done on a guess",
		},
		"it may have a savepoint": {
			"H2/H6",
			enginetest.Checked(enginetest.HighlyAvailable),
			enginetest.Without(enginetest.HaMaps("x")),
			v1beta1.FlinkJobRunning,
			restarted(100),
			"",
			"",
			"",
			"Flink keeps none in the data, and does not tell",
		},
		"stateful, not highly available": {
			"H2/H7",
			enginetest.Checked(enginetest.Stateful),
			enginetest.NoHAMaps,
			v1beta1.FlinkJobRunning,
			restarted(100),
			"",
			"",
			"JobUnhealthy",
			"its state would be lost",
		},
		"it may restart as often": {
			"H1", enginetest.Checked(enginetest.Application), enginetest.NoHAMaps, v1beta1.FlinkJobRunning,
			restarted(64), "", "", "", "the threshold is allowed",
		},
		"Flink does not say": {
			"H1", enginetest.Checked(enginetest.Application), enginetest.NoHAMaps, v1beta1.FlinkJobRunning,
			plan.Unknown[health.Seen]("no metric"), "", "", "",
			"nobody knows",
		},
		"it has failed": {
			"H1", enginetest.Checked(enginetest.HighlyAvailable), enginetest.HaMaps("x"), v1beta1.FlinkJobFailed,
			restarted(100), "", "", "JobFailed",
			"that is for another option",
		},
		"switched off": {
			"H1",
			off,
			enginetest.NoHAMaps,
			v1beta1.FlinkJobRunning,
			restarted(100),
			"",
			"",
			"",
			"nobody asked for it",
		},
	}
	drawn, shown := drawing.Read(t, "heal.go", "Heal"), []string{"H3"} // H3: the test below
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := judged(t, row.spec)
			w.Snapshot.Now = w.Snapshot.Now.Add(time.Minute)
			w.ServeJob(row.state)
			w.Snapshot.Flink.Health, w.Snapshot.HAData = row.health, row.data
			w.Run()
			w.Run()
			intent := w.Status().Intent
			switch {
			case row.stop == "" && intent != nil:
				t.Errorf("intent %+v: %s", intent, row.reason)
			case row.stop != "" && (intent == nil || intent.Purpose != v1beta1.PurposeRecover || intent.Stop != row.stop ||
				intent.Restore != row.restore):
				t.Errorf("intent %+v, want a recovery by %s to %s: %s", intent, row.stop, row.restore, row.reason)
			}
			if c := w.Condition(summary.Stalled); c.Reason != row.stalled {
				t.Errorf("stalled with reason %q, want %q", c.Reason, row.stalled)
			}
			want := 0
			if row.stop != "" {
				want = 1
			}
			if n := w.Told("RestartUnhealthyJob"); n != want {
				t.Errorf("RestartUnhealthyJob was told %d times, want %d", n, want)
			}
			healedAs(w, drawn, row.row)
		})
	}
	if err := drawn.Shown("Heal", shown...); err != nil {
		t.Error(err)
	}
}

// healedAs fails the test when the job is stopped in another way than drawn, or a person is called. What a job that has
// FAILED needs is Settled's to say.
func healedAs(w *enginetest.Deployment, drawn drawing.Drawing, way string) {
	w.T.Helper()
	answer := drawing.Row{"stop": "-", "a person": "no"}
	if i := w.Status().Intent; i != nil {
		answer["stop"] = string(i.Stop)
	}
	if c := w.Condition(summary.Stalled); c.Status == "True" && c.Reason != string(plan.ReasonJobFailed) {
		answer["a person"] = "yes"
	}
	if err := drawn.Holds(way, answer); err != nil {
		w.T.Errorf("%v; rounds %q", err, w.Log)
	}
}

func TestAJobThatIsUnhealthySoonAfterARestart(t *testing.T) {
	w := judged(t, enginetest.Checked(enginetest.Application))
	w.Snapshot.Resource.Status.Restarts = &v1beta1.Restarts{InARow: 3, Last: metav1.NewTime(w.Snapshot.Now)}
	w.Health(100)
	w.Run()
	healedAs(w, drawing.Read(t, "heal.go", "Heal"), "H3")
	if c := w.Condition(summary.Reconciling); c.Reason != string(plan.ReasonRestartPending) {
		t.Errorf("it waits for something else: %+v", w.Status().Conditions)
	}
}

func restarted(n int64) plan.Observed[health.Seen] {
	return plan.Present(health.Seen{Restarts: n, Checkpoints: 1, Progress: enginetest.Start})
}

func TestAnUnhealthyJobComesBackWithItsState(t *testing.T) {
	w := judged(t, enginetest.Checked(enginetest.HighlyAvailable))
	job, recorded := w.Status().JobStatus.JobID, w.Status().ReconciliationStatus
	w.Health(100)
	w.Snapshot.HAData = enginetest.HaMaps(job)
	w.Run()
	if len(w.Events) == 0 || w.Events[len(w.Events)-2].Message != "Restart count hit threshold: 64" ||
		!w.Events[len(w.Events)-2].Warning {
		t.Errorf("the verdict must be told before what is done about it: %+v", w.Events)
	}
	w.Terminate()
	w.Run()
	intent := w.Status().Intent
	if intent == nil || intent.From == nil || intent.From.Kind != v1beta1.StartLastState || intent.JobID != job ||
		w.Status().ReconciliationStatus != recorded {
		t.Fatalf(
			"intent %+v, want a last-state start of job %s that leaves what was reconciled; rounds %q", intent, job, w.Log,
		)
	}
	if w.Status().ClusterInfo[health.Key] != "" {
		t.Error("the record of the old run must go with it")
	}
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Health(0)
	w.Run()
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
}

func TestTheVerdictIsStoredBeforeTheRestart(t *testing.T) {
	w := judged(t, enginetest.Checked(enginetest.Application))
	w.Health(100)
	p := w.Round()
	if p.Requeue != plan.RequeueNow || !strings.Contains(
		w.Status().ClusterInfo[health.Key], `"healthy":false,"error":"Restart count hit threshold: 64"`,
	) {
		t.Fatalf("got %s with %s", p, w.Status().ClusterInfo[health.Key])
	}
	if p := w.Round(); !strings.Contains(p.String(), "retire demo") {
		t.Errorf("the second round restarts, got %s", p)
	}
}

func TestARestartForHealthStartsAsBefore(t *testing.T) {
	spec := strings.Replace(
		enginetest.Checked(
			enginetest.Application,
		),
		`"parallelism":2`,
		`"initialSavepointPath":"file:///first","parallelism":2`,
		1,
	)
	w := judged(t, spec)
	w.Health(100)
	w.Run()
	if intent := w.Status().Intent; intent == nil || intent.From == nil || intent.From.Path != "file:///first" {
		t.Errorf("intent %+v, want the savepoint of the first start", w.Status().Intent)
	}
}

func TestARestartForHealthRunsWhatRan(t *testing.T) {
	w := judged(t, enginetest.Checked(enginetest.HighlyAvailable))
	w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
	// A version that is waited for: the job cannot be stopped for it now.
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkVersion, s.Image = v1beta1.FlinkV2_2, "flink:2.2" })
	w.ServeJob(v1beta1.FlinkJobReconciling)
	w.Health(100)
	w.Run()
	w.Terminate()
	w.Run()
	jm, there := w.Snapshot.JobManager.Get()
	if !there || jm.Spec.Template.Spec.Containers[0].Image != "flink:1.20" {
		t.Errorf("high-availability data of one Flink version is no start for another; rounds %q", w.Log)
	}
}

func TestCountersWriteNothing(t *testing.T) {
	w := judged(t, enginetest.Checked(enginetest.HighlyAvailable))
	for range 3 {
		w.Snapshot.Now = w.Snapshot.Now.Add(10 * time.Minute)
		w.Snapshot.Flink.Health = plan.Present(health.Seen{Checkpoints: w.Snapshot.Now.Unix(), Progress: w.Snapshot.Now})
		if p := w.Round(); !p.IsQuiet() || p.Status != nil {
			t.Fatalf("checkpoints and times are no news, got %s with status %+v", p, p.Status)
		}
	}
	w.Health(3)
	if p := w.Round(); p.Status == nil {
		t.Error("another number of restarts, seen after a quiet time, is stored: later ones are counted from it")
	}
	w.Snapshot.Now = w.Snapshot.Now.Add(time.Minute)
	w.Health(5)
	if p := w.Round(); p.Status != nil {
		t.Error("restarts within the window are counted from the stored ones")
	}
}

func TestHealthIsAskedForOnlyWhereItCounts(t *testing.T) {
	off := strings.Replace(
		enginetest.Checked(enginetest.Application),
		`health-check.enabled":"true"`,
		`health-check.enabled":"false"`,
		1,
	)
	unprogressed := strings.Replace(enginetest.Checked(enginetest.Application), `"flinkConfiguration":{`,
		`"flinkConfiguration":{"kubernetes.operator.cluster.health-check.checkpoint-progress.enabled":"false",`, 1)
	rows := map[string]struct {
		spec             string
		state            v1beta1.FlinkJobState
		edit             func(*enginetest.Deployment)
		health, progress bool
	}{
		"on": {enginetest.Checked(enginetest.Application), v1beta1.FlinkJobRunning, nil, true, true},
		"on, without checkpoints": {
			strings.Replace(enginetest.Checked(enginetest.Application), `"execution.checkpointing.interval":"1 min",`, "", 1),
			v1beta1.FlinkJobRunning, nil, true, false,
		},
		"on, checkpoints do not count": {unprogressed, v1beta1.FlinkJobRunning, nil, true, false},
		"off":                          {off, v1beta1.FlinkJobRunning, nil, false, false},
		"the default":                  {enginetest.Application, v1beta1.FlinkJobRunning, nil, false, false},
		"a session cluster": {
			enginetest.Checked(enginetest.Session),
			v1beta1.FlinkJobRunning,
			nil,
			false,
			false,
		},
		"the job has ended": {
			enginetest.Checked(enginetest.Application),
			v1beta1.FlinkJobFinished,
			nil,
			false,
			false,
		},
		"it is being stopped": {
			enginetest.Checked(enginetest.Application),
			v1beta1.FlinkJobRunning,
			func(w *enginetest.Deployment) {
				w.Edit(enginetest.UpgradeImage)
				w.Round()
			},
			false,
			false,
		},
		"it is being deleted": {
			enginetest.Checked(enginetest.Application),
			v1beta1.FlinkJobRunning,
			func(w *enginetest.Deployment) {
				w.Snapshot.Resource.DeletionTimestamp = &w.Snapshot.Resource.CreationTimestamp
			},
			false,
			false,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			w.ServeJob(row.state)
			if row.edit != nil {
				row.edit(w)
			}
			if more := deployment.Open(w.Snapshot).Flink(); more.Health != row.health || more.Progress > 0 != row.progress {
				t.Errorf(
					"asks for health %t and progress since %s, want %t and %t",
					more.Health,
					more.Progress,
					row.health,
					row.progress,
				)
			}
		})
	}
}

func TestANewerVersionWaitsForTheRestart(t *testing.T) {
	w := enginetest.Stable(t, enginetest.HighlyAvailable)
	w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.5" })
	w.Run()
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkVersion, s.Image = v1beta1.FlinkV2_2, "flink:2.2" })
	w.Terminate()
	w.Run()
	if jm, there := w.Snapshot.JobManager.Get(); !there || jm.Spec.Template.Spec.Containers[0].Image != "flink:1.20.5" {
		t.Fatalf("high-availability data of one Flink version is no start for another; rounds %q", w.Log)
	}
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	if i := w.Status().Intent; i == nil || i.Stop != v1beta1.StopSavepoint {
		t.Errorf("intent %+v, want the change of the version by a savepoint", i)
	}
}
