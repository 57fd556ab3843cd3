package deployment

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestTheChoiceOfARollbackIsAsDrawn(t *testing.T) {
	byData := func(t *testing.T) *fixture { return failing(t, rollingBack) }
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row  string
		from func(t *testing.T) *fixture
		then func(w *fixture)
	}{
		"another Flink version": {"B1", func(t *testing.T) *fixture {
			w := stable(t, rolls(stateful))
			w.changesBySavepoint(nextVersion)
			return w
		}, func(*fixture) {}},
		"a savepoint is being written": {"B2", byData, func(w *fixture) {
			id, at := "0123456789abcdef0123456789abcdef", w.s.Now.UnixMilli()
			w.serve(1, plan.Unknown[[]world.Job]("connection refused"))
			w.s.Resource.Annotations = map[string]string{
				v1beta1.AnnotationRollback: strconv.FormatInt(w.s.Resource.Generation, 10),
			}
			w.s.Resource.Status.JobStatus.SavepointInfo = &v1beta1.SavepointInfo{TriggerID: &id, TriggerTimestamp: &at}
		}},
		"its data cannot be read": {"B3", byData, func(w *fixture) {
			w.s.HAData = plan.Unknown[[]hadata.ConfigMap]("time-out")
		}},
		"keeps no state": {"B4", func(t *testing.T) *fixture {
			w := stable(t, rolls(application))
			w.edit(upgradeImage)
			w.run()
			w.terminate()
			w.run()
			return w
		}, func(w *fixture) { w.s.HAData = noHAMaps }},
		"never ran": {"B5", savepointUpgrade, (*fixture).neverStarts},
		"has failed, and does not answer": {"B7", savepointUpgrade, func(w *fixture) {
			w.ending(v1beta1.FlinkJobFailed)
			w.s.Flink.Jobs = plan.Unknown[[]world.Job]("time-out")
		}},
		"fails": {"B8", savepointUpgrade, func(w *fixture) { w.ending(v1beta1.FlinkJobFailing) }},
		"has failed, and its end is not known": {"B9", savepointUpgrade, func(w *fixture) {
			w.ending(v1beta1.FlinkJobFailed)
			w.s.Flink.Checkpoints = plan.Unknown[world.Checkpoints]("time-out")
		}},
		"has failed":    {"B10", savepointUpgrade, func(w *fixture) { w.ending(v1beta1.FlinkJobFailed) }},
		"was cancelled": {"B10", savepointUpgrade, func(w *fixture) { w.ending(v1beta1.FlinkJobCanceled) }},
		"does not run":  {"B12", byData, func(*fixture) {}},
		"its data is not there": {"B12/B13", byData, func(w *fixture) {
			w.s.HAData = noHAMaps
		}},
		"has failed, and its newest state is lost": {"B10/B13", savepointUpgrade, func(w *fixture) {
			w.s.Resource.Status.JobStatus.UpgradeSavepointPath = v1beta1.LastStatePlaceholder
			w.fails()
		}},
	}
	drawn := drawing.Read(t, "../../engine/decide/rollbackchoice.go", "chooseRollback")
	shown := []string{"B6", "B11", "B11b"} // of session jobs
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := row.from(t)
			row.then(w)
			if w.s.Resource.Annotations[v1beta1.AnnotationRollback] == "" {
				w.s.Now = w.s.Now.Add(6 * time.Minute) // the readiness timeout passes
			}
			w.run()
			answer := drawing.Row{"answer": "waits", "stop": "-"}
			if i := w.status().Intent; i != nil && i.Purpose == v1beta1.PurposeRollback {
				answer = drawing.Row{"answer": "begins", "stop": string(i.Stop)}
			}
			for _, c := range w.status().Conditions {
				if slices.Contains([]plan.Reason{plan.ReasonRollbackUnsupported, plan.ReasonRollbackImpossible},
					plan.Reason(c.Reason)) {
					answer["answer"] = "refuses"
				}
			}
			if err := drawn.Holds(row.row, answer); err != nil {
				t.Errorf("%v; rounds %q, conditions %+v", err, w.log, w.status().Conditions)
			}
		})
	}
	if err := drawn.Shown("choose", shown...); err != nil {
		t.Error(err)
	}
}

// ending is a job whose end, or the begin of it, is recorded. Flink tells of it, and of the checkpoint that it left.
func (w *fixture) ending(state v1beta1.FlinkJobState) {
	w.s.HAData = haMaps(w.status().JobStatus.JobID)
	w.serveJob(state)
	jobs, _ := w.s.Flink.Jobs.Get()
	jobs[0].EndTime = w.s.Now
	w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/chk-7"})
	if w.s.Resource.Status.JobStatus.State = state; state.IsTerminal() {
		w.s.Resource.Status.JobStatus.LastStateUnread = true
	}
}
