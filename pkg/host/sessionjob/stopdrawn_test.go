package sessionjob

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

// changes lets the session cluster store an intent of its own.
func (w *fixture) changes() {
	d := sessionCluster()
	d.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping, Purpose: v1beta1.PurposeUpgrade}
	w.s.Cluster = plan.Present(d)
}

// Raise the flag, then look
func TestTheFirstRequestOfAStopIsAsDrawn(t *testing.T) {
	const savesFirst = `{"kubernetes.operator.job.savepoint-on-deletion":"true"}`
	rows := map[string]struct {
		row  string
		then func(w *fixture)
	}{
		"a deletion's": {"N1", func(w *fixture) {
			w.s.Resource.DeletionTimestamp = &metav1.Time{Time: w.s.Now}
			w.bump()
			w.changes()
		}},
		"decided": {"N2", func(w *fixture) {
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
		}},
		"stored, and the cluster changes": {"N3", func(w *fixture) {
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
			w.round()
			w.changes()
		}},
		"stored, and the cluster cannot be read": {"N4", func(w *fixture) {
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
			w.round()
			w.s.Cluster = plan.Unknown[*v1beta1.FlinkDeployment]("forbidden")
		}},
		"stored": {"N5", func(w *fixture) {
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
			w.round()
		}},
	}
	drawn := drawing.Read(t, "../session/cancel/stop.go", "NotNow")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, stateful("savepoint"))
			w.edit(
				func(s *v1beta1.FlinkSessionJobSpec) { s.FlinkConfiguration = v1beta1.FlinkConfiguration(savesFirst) },
			)
			w.untilSteady()
			row.then(w)
			p, want := w.decides(nil), drawn
			status, _ := p.Status.(*v1beta1.FlinkSessionJobStatus)
			then := "wait"
			if p.Requeue == plan.RequeueNow {
				then = "store it, then look again"
			}
			for _, a := range p.Actions {
				if _, is := a.(plan.StopWithSavepoint); is {
					then = "ask Flink"
				}
			}
			if status != nil && status.Intent == nil {
				then = "take it back"
				if status.ReconciliationStatus.State != v1beta1.ReconciliationDeployed || w.running() == nil {
					t.Errorf("%+v", status.ReconciliationStatus)
				}
			}
			if err := want.Holds(row.row, drawing.Row{"then": then}); err != nil {
				t.Errorf("%v; %s", err, p)
			}
		})
	}
	if err := drawn.Shown("NotNow", shown...); err != nil {
		t.Error(err)
	}
}

// A stop that was taken back is decided anew once the cluster is there again.
func TestAStopThatWasTakenBackIsMadeLater(t *testing.T) {
	w := newWorld(t, stateful("savepoint"))
	w.untilSteady()
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	w.round()
	w.changes()
	w.run()
	if s := w.status(); s.Intent != nil || len(w.running()) != 1 || s.Situation != string(plan.Waiting) {
		t.Fatalf("%+v", s)
	}
	w.s.Cluster = plan.Present(sessionCluster())
	w.untilSteady()
	if last := w.runs[len(w.runs)-1]; last.Parallelism != 4 || last.SavepointPath == "" {
		t.Errorf("%+v", last)
	}
}
