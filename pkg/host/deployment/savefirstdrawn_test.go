package deployment

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestSaveFirstIsAsDrawn(t *testing.T) {
	const late = 11 * time.Minute
	restarts := func(w *fixture) { w.serveJob(v1beta1.FlinkJobRestarting) }
	runs := func(w *fixture) { w.serveJob(v1beta1.FlinkJobRunning) }
	opens := func(w *fixture) {
		w.run()
		w.stopWith(world.StopProgress{State: world.StopInProgress})
		w.run()
	}
	fails := func(w *fixture) {
		w.run()
		w.stopWith(world.StopProgress{State: world.StopFailed, Cause: "disk full"})
		w.run()
	}
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row   string
		then  func(w *fixture)
		after time.Duration
	}{
		"skipped, and it is still there": {"V1", func(w *fixture) { opens(w); w.skipsAndStays() }, time.Minute},
		"under way":                      {"V2", opens, 0},
		"under way for nearly too long":  {"V2", opens, 10 * time.Minute},
		"under way since a late look": {"V2", func(w *fixture) {
			w.s.Now = w.s.Now.Add(late)
			opens(w)
		}, time.Minute},
		"under way for too long":          {"V3", opens, late},
		"failed, and late":                {"V4", fails, late},
		"failed, late, and it runs again": {"V4", func(w *fixture) { fails(w); runs(w) }, late},
		"restarts, and late":              {"V5", restarts, late},
		"does not answer, and late":       {"V5", func(w *fixture) { w.s.Flink = unansweredFlink() }, late},
		"failed":                          {"V6", fails, 0},
		"failed, and restarts":            {"V7", func(w *fixture) { fails(w); restarts(w) }, time.Minute},
		"restarts":                        {"V7", restarts, 0},
		"failed, the next is due":         {"V8", func(w *fixture) { fails(w); runs(w) }, time.Minute},
		"runs":                            {"V8", func(*fixture) {}, 0},
		"runs, at a late look":            {"V8", func(*fixture) {}, late},
	}
	drawn := drawing.Read(t, "../../engine/operation/deletion.go", "SaveFirst")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := stable(t, savesFirst)
			w.delete()
			row.then(w)
			w.s.Now, w.events = w.s.Now.Add(row.after), nil
			if err := drawn.Holds(row.row, drawing.Row{"then": w.savesBefore()}); err != nil {
				t.Errorf("%v; rounds %q, conditions %+v", err, w.log, w.status().Conditions)
			}
		})
	}
	if err := drawn.Shown("SaveFirst", shown...); err != nil {
		t.Error(err)
	}
}

// skipsAndStays lets the time of the savepoint pass, and the deletion of the Deployment that follows fail.
func (w *fixture) skipsAndStays() {
	w.s.Now = w.s.Now.Add(11 * time.Minute)
	jm, flink := w.s.JobManager, w.s.Flink
	w.round()
	w.s.JobManager, w.s.Flink = jm, flink
}

// savesBefore makes rounds, and says what becomes of the savepoint of the deletion in them.
func (w *fixture) savesBefore() string {
	before := w.status().Intent
	w.run()
	after := w.status().Intent
	saving := after != nil && after.Stop == v1beta1.StopSavepoint
	switch {
	case w.told(string(plan.ReasonSavepointSkipped)) > 0 && !saving:
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
	}[plan.Reason(w.condition(summary.Reconciling).Reason)]
}

func TestForestalledIsAsDrawn(t *testing.T) {
	waits := func(w *fixture) {
		w.serveJob(v1beta1.FlinkJobRestarting)
		w.run()
	}
	gone := func(w *fixture) {
		w.terminate()
		w.s.Pods = plan.Present([]corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "demo-1"}}})
	}
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row  string
		then func(w *fixture)
	}{
		"there":               {"F1", func(*fixture) {}},
		"there, and saves":    {"F1", func(w *fixture) { w.run() }},
		"goes while it saves": {"F2", func(w *fixture) { w.run(); w.collects() }},
		"gone while it saves": {"F2", func(w *fixture) { w.run(); gone(w) }},
		"goes, and told":      {"F3", func(w *fixture) { w.collects(); w.run() }},
		"gone after that":     {"F3", func(w *fixture) { w.collects(); w.run(); gone(w) }},
		"taken down without": {"F3", func(w *fixture) {
			w.run()
			w.s.Now = w.s.Now.Add(11 * time.Minute)
			w.run()
		}},
		"goes at once":              {"F4", (*fixture).collects},
		"goes before it saves":      {"F4", func(w *fixture) { waits(w); w.collects() }},
		"gone at once":              {"F5", gone},
		"gone before it saves":      {"F6", func(w *fixture) { waits(w); gone(w) }},
		"gone, its pods are left":   {"F7", func(w *fixture) { gone(w); w.run() }},
		"gone since, its pods left": {"F7", func(w *fixture) { waits(w); gone(w); w.run() }},
		"taken down without a status that fits": {"F8", func(w *fixture) {
			waits(w)
			w.s.Resource.Status.Conditions = append(w.s.Resource.Status.Conditions, metav1.Condition{
				Type: summary.Stalled, Status: metav1.ConditionTrue, Reason: fail.ReasonTooLarge,
			})
			w.s.Now = w.s.Now.Add(11 * time.Minute)
			gone(w)
		}},
	}
	drawn := drawing.Read(t, "../../engine/operation/deletion.go", "Forestalled")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := stable(t, savesFirst)
			w.delete()
			row.then(w)
			w.events = nil
			w.run()
			if err := drawn.Holds(row.row, drawing.Row{"tells": w.skipped()}); err != nil {
				t.Errorf("%v; rounds %q, conditions %+v", err, w.log, w.status().Conditions)
			}
		})
	}
	if err := drawn.Shown("Forestalled", shown...); err != nil {
		t.Error(err)
	}
}

// skipped is what was told of a savepoint that a deletion went on without.
func (w *fixture) skipped() string {
	tells := "nothing"
	for _, e := range w.events {
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
