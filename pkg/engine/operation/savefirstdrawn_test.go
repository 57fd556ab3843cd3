package operation_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestSaveFirstIsAsDrawn(t *testing.T) {
	const late = 11 * time.Minute
	restarts := func(w *enginetest.Deployment) { w.ServeJob(v1beta1.FlinkJobRestarting) }
	runs := func(w *enginetest.Deployment) { w.ServeJob(v1beta1.FlinkJobRunning) }
	opens := func(w *enginetest.Deployment) {
		w.Run()
		w.StopWith(world.StopProgress{State: world.StopInProgress})
		w.Run()
	}
	fails := func(w *enginetest.Deployment) {
		w.Run()
		w.StopWith(world.StopProgress{State: world.StopFailed, Cause: "disk full"})
		w.Run()
	}
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row   string
		then  func(w *enginetest.Deployment)
		after time.Duration
	}{
		"skipped, and it is still there": {
			"V1",
			func(w *enginetest.Deployment) { opens(w); skipsAndStays(w) },
			time.Minute,
		},
		"under way":                     {"V2", opens, 0},
		"under way for nearly too long": {"V2", opens, 10 * time.Minute},
		"under way since a late look": {"V2", func(w *enginetest.Deployment) {
			w.Snapshot.Now = w.Snapshot.Now.Add(late)
			opens(w)
		}, time.Minute},
		"under way for too long":          {"V3", opens, late},
		"failed, and late":                {"V4", fails, late},
		"failed, late, and it runs again": {"V4", func(w *enginetest.Deployment) { fails(w); runs(w) }, late},
		"restarts, and late":              {"V5", restarts, late},
		"does not answer, and late": {
			"V5",
			func(w *enginetest.Deployment) { w.Snapshot.Flink = enginetest.UnansweredFlink() },
			late,
		},
		"failed":                  {"V6", fails, 0},
		"failed, and restarts":    {"V7", func(w *enginetest.Deployment) { fails(w); restarts(w) }, time.Minute},
		"restarts":                {"V7", restarts, 0},
		"failed, the next is due": {"V8", func(w *enginetest.Deployment) { fails(w); runs(w) }, time.Minute},
		"runs":                    {"V8", func(*enginetest.Deployment) {}, 0},
		"runs, at a late look":    {"V8", func(*enginetest.Deployment) {}, late},
	}
	drawn := drawing.Read(t, "deletion.go", "SaveFirst")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.SavesFirst)
			w.Delete()
			row.then(w)
			w.Snapshot.Now, w.Events = w.Snapshot.Now.Add(row.after), nil
			if err := drawn.Holds(row.row, drawing.Row{"then": savesBefore(w)}); err != nil {
				t.Errorf("%v; rounds %q, conditions %+v", err, w.Log, w.Status().Conditions)
			}
		})
	}
	if err := drawn.Shown("SaveFirst", shown...); err != nil {
		t.Error(err)
	}
}

// skipsAndStays lets the time of the savepoint pass, and the deletion of the Deployment that follows fail.
func skipsAndStays(w *enginetest.Deployment) {
	w.Snapshot.Now = w.Snapshot.Now.Add(11 * time.Minute)
	jm, flink := w.Snapshot.JobManager, w.Snapshot.Flink
	w.Round()
	w.Snapshot.JobManager, w.Snapshot.Flink = jm, flink
}

// savesBefore makes rounds, and says what becomes of the savepoint of the deletion in them.
func savesBefore(w *enginetest.Deployment) string {
	before := w.Status().Intent
	w.Run()
	after := w.Status().Intent
	saving := after != nil && after.Stop == v1beta1.StopSavepoint
	switch {
	case w.Told(string(plan.ReasonSavepointSkipped)) > 0 && !saving:
		return "skip it"
	case saving && (before == nil || before.OperationID != after.OperationID):
		return "begin one"
	case after != nil && after.Stop == v1beta1.StopStateless:
		return "go on"
	}
	return map[plan.Reason]string{
		plan.ReasonSavepointInProgress: "wait for it",
		plan.ReasonSavepointError:      "wait until the next is due",
		plan.ReasonSavepointPending:    "wait until it runs",
	}[plan.Reason(w.Condition(summary.Reconciling).Reason)]
}

func TestForestalledIsAsDrawn(t *testing.T) {
	waits := func(w *enginetest.Deployment) {
		w.ServeJob(v1beta1.FlinkJobRestarting)
		w.Run()
	}
	gone := func(w *enginetest.Deployment) {
		w.Terminate()
		w.Snapshot.Pods = plan.Present([]corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "demo-1"}}})
	}
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row  string
		then func(w *enginetest.Deployment)
	}{
		"there":               {"F1", func(*enginetest.Deployment) {}},
		"there, and saves":    {"F1", func(w *enginetest.Deployment) { w.Run() }},
		"goes while it saves": {"F2", func(w *enginetest.Deployment) { w.Run(); w.Collects() }},
		"gone while it saves": {"F2", func(w *enginetest.Deployment) { w.Run(); gone(w) }},
		"goes, and told":      {"F3", func(w *enginetest.Deployment) { w.Collects(); w.Run() }},
		"gone after that":     {"F3", func(w *enginetest.Deployment) { w.Collects(); w.Run(); gone(w) }},
		"taken down without": {"F3", func(w *enginetest.Deployment) {
			w.Run()
			w.Snapshot.Now = w.Snapshot.Now.Add(11 * time.Minute)
			w.Run()
		}},
		"goes at once":              {"F4", (*enginetest.Deployment).Collects},
		"goes before it saves":      {"F4", func(w *enginetest.Deployment) { waits(w); w.Collects() }},
		"gone at once":              {"F5", gone},
		"gone before it saves":      {"F6", func(w *enginetest.Deployment) { waits(w); gone(w) }},
		"gone, its pods are left":   {"F7", func(w *enginetest.Deployment) { gone(w); w.Run() }},
		"gone since, its pods left": {"F7", func(w *enginetest.Deployment) { waits(w); gone(w); w.Run() }},
		"taken down without a status that fits": {"F8", func(w *enginetest.Deployment) {
			waits(w)
			w.Snapshot.Resource.Status.Conditions = append(w.Snapshot.Resource.Status.Conditions, metav1.Condition{
				Type: summary.Stalled, Status: metav1.ConditionTrue, Reason: fail.ReasonTooLarge,
			})
			w.Snapshot.Now = w.Snapshot.Now.Add(11 * time.Minute)
			gone(w)
		}},
	}
	drawn := drawing.Read(t, "deletion.go", "Forestalled")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.SavesFirst)
			w.Delete()
			row.then(w)
			w.Events = nil
			w.Run()
			if err := drawn.Holds(row.row, drawing.Row{"tells": skipped(w)}); err != nil {
				t.Errorf("%v; rounds %q, conditions %+v", err, w.Log, w.Status().Conditions)
			}
		})
	}
	if err := drawn.Shown("Forestalled", shown...); err != nil {
		t.Error(err)
	}
}

// skipped is what was told of a savepoint that a deletion went on without.
func skipped(w *enginetest.Deployment) string {
	tells := "nothing"
	for _, e := range w.Events {
		switch {
		case e.Reason != plan.ReasonSavepointSkipped:
		case strings.Contains(e.Message, "not known to be complete"):
			tells = "that it may be unfinished"
		default:
			tells = "that none was taken"
		}
	}
	return tells
}
