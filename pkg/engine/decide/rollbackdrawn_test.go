package decide_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestTheChoiceOfARollbackIsAsDrawn(t *testing.T) {
	byData := func(t *testing.T) *enginetest.Deployment { return enginetest.Failing(t, enginetest.RollingBack) }
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row  string
		from func(t *testing.T) *enginetest.Deployment
		then func(w *enginetest.Deployment)
	}{
		"another Flink version": {"B1", func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.Rolls(enginetest.Stateful))
			w.ChangesBySavepoint(nextVersion)
			return w
		}, func(*enginetest.Deployment) {}},
		"a savepoint is being written": {"B2", byData, func(w *enginetest.Deployment) {
			id, at := "0123456789abcdef0123456789abcdef", w.Snapshot.Now.UnixMilli()
			w.Serve(1, plan.Unknown[[]world.Job]("connection refused"))
			w.Snapshot.Resource.Annotations = map[string]string{
				v1beta1.AnnotationRollback: strconv.FormatInt(w.Snapshot.Resource.Generation, 10),
			}
			w.Snapshot.Resource.Status.JobStatus.SavepointInfo = &v1beta1.SavepointInfo{TriggerID: &id, TriggerTimestamp: &at}
		}},
		"its data cannot be read": {"B3", byData, func(w *enginetest.Deployment) {
			w.Snapshot.HAData = plan.Unknown[[]hadata.ConfigMap]("time-out")
		}},
		"keeps no state": {"B4", func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.Rolls(enginetest.Application))
			w.Edit(enginetest.UpgradeImage)
			w.Run()
			w.Terminate()
			w.Run()
			return w
		}, func(w *enginetest.Deployment) { w.Snapshot.HAData = enginetest.NoHAMaps }},
		"never ran": {"B5", savepointUpgrade, (*enginetest.Deployment).NeverStarts},
		"has failed, and does not answer": {"B7", savepointUpgrade, func(w *enginetest.Deployment) {
			ending(w, v1beta1.FlinkJobFailed)
			w.Snapshot.Flink.Jobs = plan.Unknown[[]world.Job]("time-out")
		}},
		"fails": {"B8", savepointUpgrade, func(w *enginetest.Deployment) { ending(w, v1beta1.FlinkJobFailing) }},
		"has failed, and its end is not known": {"B9", savepointUpgrade, func(w *enginetest.Deployment) {
			ending(w, v1beta1.FlinkJobFailed)
			w.Snapshot.Flink.Checkpoints = plan.Unknown[world.Checkpoints]("time-out")
		}},
		"has failed":    {"B10", savepointUpgrade, func(w *enginetest.Deployment) { ending(w, v1beta1.FlinkJobFailed) }},
		"was cancelled": {"B10", savepointUpgrade, func(w *enginetest.Deployment) { ending(w, v1beta1.FlinkJobCanceled) }},
		"does not run":  {"B12", byData, func(*enginetest.Deployment) {}},
		"its data is not there": {"B12/B13", byData, func(w *enginetest.Deployment) {
			w.Snapshot.HAData = enginetest.NoHAMaps
		}},
		"has failed, and its newest state is lost": {"B10/B13", savepointUpgrade, func(w *enginetest.Deployment) {
			w.Snapshot.Resource.Status.JobStatus.UpgradeSavepointPath = v1beta1.LastStatePlaceholder
			w.Fails()
		}},
	}
	drawn := drawing.Read(t, "rollbackchoice.go", "chooseRollback")
	shown := []string{"B6", "B11", "B11b"} // of session jobs
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := row.from(t)
			row.then(w)
			if w.Snapshot.Resource.Annotations[v1beta1.AnnotationRollback] == "" {
				w.Snapshot.Now = w.Snapshot.Now.Add(6 * time.Minute) // the readiness timeout passes
			}
			w.Run()
			answer := drawing.Row{"answer": "waits", "stop": "-"}
			if i := w.Status().Intent; i != nil && i.Purpose == v1beta1.PurposeRollback {
				answer = drawing.Row{"answer": "begins", "stop": string(i.Stop)}
			}
			for _, c := range w.Status().Conditions {
				if slices.Contains([]plan.Reason{plan.ReasonRollbackUnsupported, plan.ReasonRollbackImpossible},
					plan.Reason(c.Reason)) {
					answer["answer"] = "refuses"
				}
			}
			if err := drawn.Holds(row.row, answer); err != nil {
				t.Errorf("%v; rounds %q, conditions %+v", err, w.Log, w.Status().Conditions)
			}
		})
	}
	if err := drawn.Shown("choose", shown...); err != nil {
		t.Error(err)
	}
}

// ending is a job whose end, or the begin of it, is recorded. Flink tells of it, and of the checkpoint that it left.
func ending(w *enginetest.Deployment, state v1beta1.FlinkJobState) {
	w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
	w.ServeJob(state)
	jobs, _ := w.Snapshot.Flink.Jobs.Get()
	jobs[0].EndTime = w.Snapshot.Now
	w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/chk-7"})
	if w.Snapshot.Resource.Status.JobStatus.State = state; state.IsTerminal() {
		w.Snapshot.Resource.Status.JobStatus.LastStateUnread = true
	}
}
