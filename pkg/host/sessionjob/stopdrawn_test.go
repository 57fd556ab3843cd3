package sessionjob_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

// changes lets the session cluster store an intent of its own.
func changes(w *enginetest.SessionJob) {
	d := enginetest.SessionCluster()
	d.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping, Purpose: v1beta1.PurposeUpgrade}
	w.Snapshot.Cluster = plan.Present(d)
}

// Raise the flag, then look
func TestTheFirstRequestOfAStopIsAsDrawn(t *testing.T) {
	const savesFirst = `{"kubernetes.operator.job.savepoint-on-deletion":"true"}`
	rows := map[string]struct {
		row  string
		then func(w *enginetest.SessionJob)
	}{
		"a deletion's": {"N1", func(w *enginetest.SessionJob) {
			w.Snapshot.Resource.DeletionTimestamp = &metav1.Time{Time: w.Snapshot.Now}
			w.Bump()
			changes(w)
		}},
		"decided": {"N2", func(w *enginetest.SessionJob) {
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
		}},
		"stored, and the cluster changes": {"N3", func(w *enginetest.SessionJob) {
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
			w.Round()
			changes(w)
		}},
		"stored, and the cluster cannot be read": {"N4", func(w *enginetest.SessionJob) {
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
			w.Round()
			w.Snapshot.Cluster = plan.Unknown[*v1beta1.FlinkDeployment]("forbidden")
		}},
		"stored": {"N5", func(w *enginetest.SessionJob) {
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
			w.Round()
		}},
	}
	drawn := drawing.Read(t, "../session/cancel/stop.go", "NotNow")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
			w.Edit(
				func(s *v1beta1.FlinkSessionJobSpec) { s.FlinkConfiguration = v1beta1.FlinkConfiguration(savesFirst) },
			)
			w.UntilSteady()
			row.then(w)
			p, want := decides(w, nil), drawn
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
				if status.ReconciliationStatus.State != v1beta1.ReconciliationDeployed || w.Running() == nil {
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
	w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
	w.UntilSteady()
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	w.Round()
	changes(w)
	w.Run()
	if s := w.Status(); s.Intent != nil || len(w.Running()) != 1 || s.Situation != string(plan.Waiting) {
		t.Fatalf("%+v", s)
	}
	w.Snapshot.Cluster = plan.Present(enginetest.SessionCluster())
	w.UntilSteady()
	if last := w.Runs[len(w.Runs)-1]; last.Parallelism != 4 || last.SavepointPath == "" {
		t.Errorf("%+v", last)
	}
}
