package deployment

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestRecoverLostIsAsDrawn(t *testing.T) {
	restarts := func(spec string) string {
		return with(spec, `"flinkConfiguration":{`,
			`"flinkConfiguration":{"kubernetes.operator.job.restart.failed":"true",`)
	}
	off := with(application, `"flinkConfiguration":{`,
		`"flinkConfiguration":{"kubernetes.operator.jm-deployment-recovery.enabled":"false",`)
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row  string
		spec string
		then func(w *fixture)
	}{
		"its Deployment goes":       {"L1", application, (*fixture).collects},
		"lost soon after a restart": {"L2", application, func(w *fixture) { w.restarted(); w.lose() }},
		"failed soon after a restart": {"L2", restarts(application), func(w *fixture) {
			w.restarted()
			w.serveJob(v1beta1.FlinkJobFailed)
		}},
		"canceled soon after a restart": {"L2", application, func(w *fixture) {
			w.restarted()
			w.serveJob(v1beta1.FlinkJobCanceled)
		}},
		"finished, and gone": {"L3", application, func(w *fixture) { w.endedAndLost(v1beta1.FlinkJobFinished) }},
		"failed, and gone":   {"L3", application, func(w *fixture) { w.endedAndLost(v1beta1.FlinkJobFailed) }},
		"failed, gone, restarted": {
			"L4",
			restarts(application),
			func(w *fixture) { w.endedAndLost(v1beta1.FlinkJobFailed) },
		},
		"a session that another operator upgrades": {"L5", session, func(w *fixture) {
			r := &w.s.Resource.Status.ReconciliationStatus
			r.State = v1beta1.ReconciliationUpgrading
			r.LastReconciledSpec = with(r.LastReconciledSpec, `"firstDeployment":true`, `"firstDeployment":false`)
			w.lose()
		}},
		"switched off":          {"L6", off, (*fixture).lose},
		"a lost session":        {"L7", session, (*fixture).lose},
		"a lost stateless job":  {"L7", application, (*fixture).lose},
		"a lost available job":  {"L8", highlyAvailable, (*fixture).losesAllButItsData},
		"a lost stateful job":   {"L9", stateful, (*fixture).lose},
		"canceled, keeps none":  {"L10", application, func(w *fixture) { w.serveJob(v1beta1.FlinkJobCanceled) }},
		"canceled, keeps state": {"L10", stateful, func(w *fixture) { w.endsWith(v1beta1.FlinkJobCanceled) }},
		"failed, keeps none":    {"L11", restarts(application), func(w *fixture) { w.serveJob(v1beta1.FlinkJobFailed) }},
		"failed, keeps state":   {"L11", restarts(stateful), func(w *fixture) { w.endsWith(v1beta1.FlinkJobFailed) }},
	}
	drawn, shown := drawing.Read(
		t,
		"../../engine/decide/recover.go",
		"RecoverLost",
	), []string{
		"L12",
	} // L12: the test below
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			row.then(w)
			w.run()
			w.recoveredAs(drawn, row.row)
		})
	}
	if err := drawn.Shown("RecoverLost", shown...); err != nil {
		t.Error(err)
	}
}

func TestALateStopIsRecoveredAsDrawn(t *testing.T) {
	w := lateStop(t)
	w.ends(v1beta1.FlinkJobFinished, retentions["RETAIN_ON_CANCELLATION"],
		world.Checkpoints{Path: "file:///s/late", Kind: world.KindStop})
	w.recoveredAs(drawing.Read(t, "../../engine/decide/recover.go", "RecoverLost"), "L12")
}

// restarted says that the job was restarted a moment ago, and not for the first time.
func (w *fixture) restarted() {
	w.s.Resource.Status.Restarts = &v1beta1.Restarts{InARow: 3, Last: metav1.NewTime(w.s.Now)}
}

// endedAndLost is a job whose end is recorded, and whose Deployment is gone.
func (w *fixture) endedAndLost(state v1beta1.FlinkJobState) {
	w.s.Resource.Status.JobStatus.State = state
	w.lose()
}

// losesAllButItsData is a lost Deployment whose high-availability data names a checkpoint.
func (w *fixture) losesAllButItsData() {
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	w.lose()
}

// endsWith lets the job end with a checkpoint that outlives it, long enough ago for Flink's statistics.
func (w *fixture) endsWith(state v1beta1.FlinkJobState) {
	w.serveJob(state)
	jobs, _ := w.s.Flink.Jobs.Get()
	jobs[0].EndTime = w.s.Now
	w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/1/chk-9"})
	w.s.Now = w.s.Now.Add(time.Minute)
}

// recoveredAs fails the test when something else is begun than drawn, or a person is called, or not. What a job that
// has FAILED needs is Settled's to say.
func (w *fixture) recoveredAs(drawn drawing.Drawing, way string) {
	w.t.Helper()
	answer := drawing.Row{"begins": "-", "a person": "no"}
	if i := w.status().Intent; i != nil {
		answer["begins"] = string(i.Purpose)
	}
	if c := w.condition(summary.Stalled); c.Status == "True" && c.Reason != string(plan.ReasonJobFailed) {
		answer["a person"] = "yes"
	}
	if err := drawn.Holds(way, answer); err != nil {
		w.t.Errorf("%v; rounds %q, conditions %+v", err, w.log, w.status().Conditions)
	}
}
