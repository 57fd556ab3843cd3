package decide_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestRecoverLostIsAsDrawn(t *testing.T) {
	restarts := func(spec string) string {
		return enginetest.With(spec, `"flinkConfiguration":{`,
			`"flinkConfiguration":{"kubernetes.operator.job.restart.failed":"true",`)
	}
	off := enginetest.With(enginetest.Application, `"flinkConfiguration":{`,
		`"flinkConfiguration":{"kubernetes.operator.jm-deployment-recovery.enabled":"false",`)
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row  string
		spec string
		then func(w *enginetest.Deployment)
	}{
		"its Deployment goes": {"L1", enginetest.Application, (*enginetest.Deployment).Collects},
		"lost soon after a restart": {
			"L2",
			enginetest.Application,
			func(w *enginetest.Deployment) { hasRestarted(w); w.Lose() },
		},
		"failed soon after a restart": {"L2", restarts(enginetest.Application), func(w *enginetest.Deployment) {
			hasRestarted(w)
			w.ServeJob(v1beta1.FlinkJobFailed)
		}},
		"canceled soon after a restart": {"L2", enginetest.Application, func(w *enginetest.Deployment) {
			hasRestarted(w)
			w.ServeJob(v1beta1.FlinkJobCanceled)
		}},
		"finished, and gone": {
			"L3",
			enginetest.Application,
			func(w *enginetest.Deployment) { endedAndLost(w, v1beta1.FlinkJobFinished) },
		},
		"failed, and gone": {
			"L3",
			enginetest.Application,
			func(w *enginetest.Deployment) { endedAndLost(w, v1beta1.FlinkJobFailed) },
		},
		"failed, gone, restarted": {
			"L4",
			restarts(enginetest.Application),
			func(w *enginetest.Deployment) { endedAndLost(w, v1beta1.FlinkJobFailed) },
		},
		"a session that another operator upgrades": {"L5", enginetest.Session, func(w *enginetest.Deployment) {
			r := &w.Snapshot.Resource.Status.ReconciliationStatus
			r.State = v1beta1.ReconciliationUpgrading
			r.LastReconciledSpec = enginetest.With(r.LastReconciledSpec, `"firstDeployment":true`, `"firstDeployment":false`)
			w.Lose()
		}},
		"switched off":         {"L6", off, (*enginetest.Deployment).Lose},
		"a lost session":       {"L7", enginetest.Session, (*enginetest.Deployment).Lose},
		"a lost stateless job": {"L7", enginetest.Application, (*enginetest.Deployment).Lose},
		"a lost available job": {"L8", enginetest.HighlyAvailable, (*enginetest.Deployment).LosesAllButItsData},
		"a lost stateful job":  {"L9", enginetest.Stateful, (*enginetest.Deployment).Lose},
		"canceled, keeps none": {
			"L10",
			enginetest.Application,
			func(w *enginetest.Deployment) { w.ServeJob(v1beta1.FlinkJobCanceled) },
		},
		"canceled, keeps state": {
			"L10",
			enginetest.Stateful,
			func(w *enginetest.Deployment) { endsWith(w, v1beta1.FlinkJobCanceled) },
		},
		"failed, keeps none": {
			"L11",
			restarts(enginetest.Application),
			func(w *enginetest.Deployment) { w.ServeJob(v1beta1.FlinkJobFailed) },
		},
		"failed, keeps state": {
			"L11",
			restarts(enginetest.Stateful),
			func(w *enginetest.Deployment) { endsWith(w, v1beta1.FlinkJobFailed) },
		},
	}
	drawn, shown := drawing.Read(
		t,
		"recover.go",
		"RecoverLost",
	), []string{
		"L12",
	} // L12: the test below
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			row.then(w)
			w.Run()
			recoveredAs(w, drawn, row.row)
		})
	}
	if err := drawn.Shown("RecoverLost", shown...); err != nil {
		t.Error(err)
	}
}

func TestALateStopIsRecoveredAsDrawn(t *testing.T) {
	w := enginetest.LateStop(t)
	w.Ends(v1beta1.FlinkJobFinished, enginetest.Retentions["RETAIN_ON_CANCELLATION"],
		world.Checkpoints{Path: "file:///s/late", Kind: world.KindStop})
	recoveredAs(w, drawing.Read(t, "recover.go", "RecoverLost"), "L12")
}

// hasRestarted says that the job was restarted a moment ago, and not for the first time.
func hasRestarted(w *enginetest.Deployment) {
	w.Snapshot.Resource.Status.Restarts = &v1beta1.Restarts{InARow: 3, Last: metav1.NewTime(w.Snapshot.Now)}
}

// endedAndLost is a job whose end is recorded, and whose Deployment is gone.
func endedAndLost(w *enginetest.Deployment, state v1beta1.FlinkJobState) {
	w.Snapshot.Resource.Status.JobStatus.State = state
	w.Lose()
}

// endsWith lets the job end with a checkpoint that outlives it, long enough ago for Flink's statistics.
func endsWith(w *enginetest.Deployment, state v1beta1.FlinkJobState) {
	w.ServeJob(state)
	jobs, _ := w.Snapshot.Flink.Jobs.Get()
	jobs[0].EndTime = w.Snapshot.Now
	w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/1/chk-9"})
	w.Snapshot.Now = w.Snapshot.Now.Add(time.Minute)
}

// recoveredAs fails the test when something else is begun than drawn, or a person is called, or not. What a job that
// has FAILED needs is Settled's to say.
func recoveredAs(w *enginetest.Deployment, drawn drawing.Drawing, way string) {
	w.T.Helper()
	answer := drawing.Row{"begins": "-", "a person": "no"}
	if i := w.Status().Intent; i != nil {
		answer["begins"] = string(i.Purpose)
	}
	if c := w.Condition(summary.Stalled); c.Status == "True" && c.Reason != string(plan.ReasonJobFailed) {
		answer["a person"] = "yes"
	}
	if err := drawn.Holds(way, answer); err != nil {
		w.T.Errorf("%v; rounds %q, conditions %+v", err, w.Log, w.Status().Conditions)
	}
}
