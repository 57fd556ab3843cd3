package deployment

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/health"
	"github.com/kn-flink/kn-flink/test/drawing"
)

// checked switches the health check of a spec on.
func checked(spec string) string {
	return strings.Replace(spec, `"flinkConfiguration":{`,
		`"flinkConfiguration":{"kubernetes.operator.cluster.health-check.enabled":"true",`+
			`"execution.checkpointing.interval":"1 min",`, 1)
}

// judged brings a job to STABLE with a first record of its health.
func judged(t *testing.T, spec string) *fixture {
	t.Helper()
	w := stable(t, spec)
	w.health(0)
	w.run()
	return w
}

// health lets Flink answer for the job's restarts; its newest checkpoint is always young.
func (w *fixture) health(restarts int64) {
	w.s.Flink.Health = plan.Present(health.Seen{Restarts: restarts, Checkpoints: 1, Progress: w.s.Now})
}

func TestAnUnhealthyJob(t *testing.T) {
	off := strings.Replace(checked(application), `health-check.enabled":"true"`, `health-check.enabled":"false"`, 1)
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
		"stateless": {"H2/H4", checked(application), noHAMaps, v1beta1.FlinkJobRunning, restarted(100), v1beta1.StopStateless,
			v1beta1.UpgradeModeStateless, "",
			"it needs nothing from the one before"},
		"restarting all the time": {"H2/H4", checked(application), noHAMaps, v1beta1.FlinkJobRestarting, restarted(100),
			v1beta1.StopStateless, v1beta1.UpgradeModeStateless, "",
			"any job that has not ended"},
		"highly available": {"H2/H5", checked(highlyAvailable), haMaps("x"), v1beta1.FlinkJobRunning, restarted(100),
			v1beta1.StopLastState, v1beta1.UpgradeModeLastState, "",
			"from its data"},
		"highly available, by its checkpoints": {"H2/H5", checked(highlyAvailable), haMaps("x"), v1beta1.FlinkJobRunning,
			plan.Present(health.Seen{Progress: start.Add(-time.Hour)}), v1beta1.StopLastState, v1beta1.UpgradeModeLastState,
			"", "none was completed for an hour"},
		"its data is gone": {"H2/H7", checked(highlyAvailable), noHAMaps, v1beta1.FlinkJobRunning, restarted(100), "", "",
			"JobUnhealthy",
			"its state would be lost"},
		"its data cannot be looked at": {"H2/H6", checked(highlyAvailable), plan.Unknown[[]hadata.ConfigMap]("time-out"),
			v1beta1.FlinkJobRunning, restarted(100), "", "", "",
			"nothing is done on a guess"},
		"it may have a savepoint": {"H2/H6", checked(highlyAvailable), without(haMaps("x")), v1beta1.FlinkJobRunning,
			restarted(100), "", "", "",
			"Flink keeps none in the data, and does not tell"},
		"stateful, not highly available": {"H2/H7", checked(stateful), noHAMaps, v1beta1.FlinkJobRunning, restarted(100),
			"", "", "JobUnhealthy",
			"its state would be lost"},
		"it may restart as often": {
			"H1", checked(application), noHAMaps, v1beta1.FlinkJobRunning, restarted(64), "", "", "", "the threshold is allowed",
		},
		"Flink does not say": {
			"H1", checked(application), noHAMaps, v1beta1.FlinkJobRunning, plan.Unknown[health.Seen]("no metric"), "", "", "",
			"nobody knows",
		},
		"it has failed": {
			"H1", checked(highlyAvailable), haMaps("x"), v1beta1.FlinkJobFailed, restarted(100), "", "", "JobFailed",
			"that is for another option",
		},
		"switched off": {"H1", off, noHAMaps, v1beta1.FlinkJobRunning, restarted(100), "", "", "", "nobody asked for it"},
	}
	drawn, shown := drawing.Read(t, "../../engine/decide/heal.go", "Heal"), []string{"H3"} // H3: the test below
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := judged(t, row.spec)
			w.s.Now = w.s.Now.Add(time.Minute)
			w.serveJob(row.state)
			w.s.Flink.Health, w.s.HAData = row.health, row.data
			w.run()
			w.run()
			intent := w.status().Intent
			switch {
			case row.stop == "" && intent != nil:
				t.Errorf("intent %+v: %s", intent, row.reason)
			case row.stop != "" && (intent == nil || intent.Purpose != v1beta1.PurposeRecover || intent.Stop != row.stop ||
				intent.Restore != row.restore):
				t.Errorf("intent %+v, want a recovery by %s to %s: %s", intent, row.stop, row.restore, row.reason)
			}
			if c := w.condition(summary.Stalled); c.Reason != row.stalled {
				t.Errorf("stalled with reason %q, want %q", c.Reason, row.stalled)
			}
			want := 0
			if row.stop != "" {
				want = 1
			}
			if n := w.told("RestartUnhealthyJob"); n != want {
				t.Errorf("RestartUnhealthyJob was told %d times, want %d", n, want)
			}
			w.healedAs(drawn, row.row)
		})
	}
	if err := drawn.Shown("Heal", shown...); err != nil {
		t.Error(err)
	}
}

// healedAs fails the test when the job is stopped in another way than drawn, or a person is called. What a job that has
// FAILED needs is Settled's to say.
func (w *fixture) healedAs(drawn drawing.Drawing, way string) {
	w.t.Helper()
	answer := drawing.Row{"stop": "-", "a person": "no"}
	if i := w.status().Intent; i != nil {
		answer["stop"] = string(i.Stop)
	}
	if c := w.condition(summary.Stalled); c.Status == "True" && c.Reason != string(plan.ReasonJobFailed) {
		answer["a person"] = "yes"
	}
	if err := drawn.Holds(way, answer); err != nil {
		w.t.Errorf("%v; rounds %q", err, w.log)
	}
}

func TestAJobThatIsUnhealthySoonAfterARestart(t *testing.T) {
	w := judged(t, checked(application))
	w.s.Resource.Status.Restarts = &v1beta1.Restarts{InARow: 3, Last: metav1.NewTime(w.s.Now)}
	w.health(100)
	w.run()
	w.healedAs(drawing.Read(t, "../../engine/decide/heal.go", "Heal"), "H3")
	if c := w.condition(summary.Reconciling); c.Reason != string(plan.ReasonRestartPending) {
		t.Errorf("it waits for something else: %+v", w.status().Conditions)
	}
}

var noHAMaps = plan.Present([]hadata.ConfigMap{})

func restarted(n int64) plan.Observed[health.Seen] {
	return plan.Present(health.Seen{Restarts: n, Checkpoints: 1, Progress: start})
}

func TestAnUnhealthyJobComesBackWithItsState(t *testing.T) {
	w := judged(t, checked(highlyAvailable))
	job, recorded := w.status().JobStatus.JobID, w.status().ReconciliationStatus
	w.health(100)
	w.s.HAData = haMaps(job)
	w.run()
	if len(w.events) == 0 || w.events[len(w.events)-2].Message != "Restart count hit threshold: 64" ||
		!w.events[len(w.events)-2].Warning {
		t.Errorf("the verdict must be told before what is done about it: %+v", w.events)
	}
	w.terminate()
	w.run()
	intent := w.status().Intent
	if intent == nil || intent.From == nil || intent.From.Kind != v1beta1.StartLastState || intent.JobID != job ||
		w.status().ReconciliationStatus != recorded {
		t.Fatalf(
			"intent %+v, want a last-state start of job %s that leaves what was reconciled; rounds %q", intent, job, w.log,
		)
	}
	if w.status().ClusterInfo[health.Key] != "" {
		t.Error("the record of the old run must go with it")
	}
	w.serveJob(v1beta1.FlinkJobRunning)
	w.health(0)
	w.run()
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
}

func TestTheVerdictIsStoredBeforeTheRestart(t *testing.T) {
	w := judged(t, checked(application))
	w.health(100)
	p := w.round()
	if p.Requeue != plan.RequeueNow || !strings.Contains(
		w.status().ClusterInfo[health.Key], `"healthy":false,"error":"Restart count hit threshold: 64"`,
	) {
		t.Fatalf("got %s with %s", p, w.status().ClusterInfo[health.Key])
	}
	if p := w.round(); !strings.Contains(p.String(), "retire demo") {
		t.Errorf("the second round restarts, got %s", p)
	}
}

func TestARestartForHealthStartsAsBefore(t *testing.T) {
	spec := strings.Replace(
		checked(application), `"parallelism":2`, `"initialSavepointPath":"file:///first","parallelism":2`, 1,
	)
	w := judged(t, spec)
	w.health(100)
	w.run()
	if intent := w.status().Intent; intent == nil || intent.From == nil || intent.From.Path != "file:///first" {
		t.Errorf("intent %+v, want the savepoint of the first start", w.status().Intent)
	}
}

func TestARestartForHealthRunsWhatRan(t *testing.T) {
	w := judged(t, checked(highlyAvailable))
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	// A version that is waited for: the job cannot be stopped for it now.
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkVersion, s.Image = v1beta1.FlinkV2_2, "flink:2.2" })
	w.serveJob(v1beta1.FlinkJobReconciling)
	w.health(100)
	w.run()
	w.terminate()
	w.run()
	jm, there := w.s.JobManager.Get()
	if !there || jm.Spec.Template.Spec.Containers[0].Image != "flink:1.20" {
		t.Errorf("high-availability data of one Flink version is no start for another; rounds %q", w.log)
	}
}

func TestCountersWriteNothing(t *testing.T) {
	w := judged(t, checked(highlyAvailable))
	for range 3 {
		w.s.Now = w.s.Now.Add(10 * time.Minute)
		w.s.Flink.Health = plan.Present(health.Seen{Checkpoints: w.s.Now.Unix(), Progress: w.s.Now})
		if p := w.round(); !p.IsQuiet() || p.Status != nil {
			t.Fatalf("checkpoints and times are no news, got %s with status %+v", p, p.Status)
		}
	}
	w.health(3)
	if p := w.round(); p.Status == nil {
		t.Error("another number of restarts, seen after a quiet time, is stored: later ones are counted from it")
	}
	w.s.Now = w.s.Now.Add(time.Minute)
	w.health(5)
	if p := w.round(); p.Status != nil {
		t.Error("restarts within the window are counted from the stored ones")
	}
}

func TestHealthIsAskedForOnlyWhereItCounts(t *testing.T) {
	off := strings.Replace(checked(application), `health-check.enabled":"true"`, `health-check.enabled":"false"`, 1)
	unprogressed := strings.Replace(checked(application), `"flinkConfiguration":{`,
		`"flinkConfiguration":{"kubernetes.operator.cluster.health-check.checkpoint-progress.enabled":"false",`, 1)
	rows := map[string]struct {
		spec             string
		state            v1beta1.FlinkJobState
		edit             func(*fixture)
		health, progress bool
	}{
		"on": {checked(application), v1beta1.FlinkJobRunning, nil, true, true},
		"on, without checkpoints": {
			strings.Replace(checked(application), `"execution.checkpointing.interval":"1 min",`, "", 1),
			v1beta1.FlinkJobRunning, nil, true, false,
		},
		"on, checkpoints do not count": {unprogressed, v1beta1.FlinkJobRunning, nil, true, false},
		"off":                          {off, v1beta1.FlinkJobRunning, nil, false, false},
		"the default":                  {application, v1beta1.FlinkJobRunning, nil, false, false},
		"a session cluster":            {checked(session), v1beta1.FlinkJobRunning, nil, false, false},
		"the job has ended":            {checked(application), v1beta1.FlinkJobFinished, nil, false, false},
		"it is being stopped": {checked(application), v1beta1.FlinkJobRunning, func(w *fixture) {
			w.edit(upgradeImage)
			w.round()
		}, false, false},
		"it is being deleted": {checked(application), v1beta1.FlinkJobRunning, func(w *fixture) {
			w.s.Resource.DeletionTimestamp = &w.s.Resource.CreationTimestamp
		}, false, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			w.serveJob(row.state)
			if row.edit != nil {
				row.edit(w)
			}
			if more := Open(w.s).Flink(); more.Health != row.health || more.Progress > 0 != row.progress {
				t.Errorf(
					"asks for health %t and progress since %s, want %t and %t", more.Health, more.Progress, row.health, row.progress,
				)
			}
		})
	}
}

func TestANewerVersionWaitsForTheRestart(t *testing.T) {
	w := stable(t, highlyAvailable)
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.5" })
	w.run()
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.FlinkVersion, s.Image = v1beta1.FlinkV2_2, "flink:2.2" })
	w.terminate()
	w.run()
	if jm, there := w.s.JobManager.Get(); !there || jm.Spec.Template.Spec.Containers[0].Image != "flink:1.20.5" {
		t.Fatalf("high-availability data of one Flink version is no start for another; rounds %q", w.log)
	}
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	if i := w.status().Intent; i == nil || i.Stop != v1beta1.StopSavepoint {
		t.Errorf("intent %+v, want the change of the version by a savepoint", i)
	}
}
