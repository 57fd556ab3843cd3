package deployment

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestSettledIsAsDrawn(t *testing.T) {
	rows := map[string]struct {
		// row is the way through the drawing, see package drawing.
		row  string
		spec string
		then func(w *fixture)
	}{
		"suspended": {"S1", application, func(w *fixture) {
			w.edit(suspends)
			w.run()
			w.terminate()
			w.run()
		}},
		"cannot start": {"S2", application, func(w *fixture) {
			w.serve(0, plan.Observed[[]world.Job]{})
			w.s.Pods = plan.Present([]corev1.Pod{waitingPod("ImagePullBackOff", "no such image", false)})
		}},
		"failed just now": {"S3", given(highlyAvailable), (*fixture).fails},
		"failed as long ago as a checkpoint may take": {"S3", given(highlyAvailable), func(w *fixture) {
			w.fails()
			w.s.Now, w.s.Flink = w.s.Now.Add(10*time.Minute), unansweredFlink()
		}},
		"failed long ago, not read": {"S4", given(highlyAvailable), func(w *fixture) {
			w.fails()
			w.s.Now, w.s.Flink = w.s.Now.Add(11*time.Minute), unansweredFlink()
		}},
		"failed, what it had is lost": {"S5", given(highlyAvailable), func(w *fixture) {
			w.fails()
			w.s.Now, w.s.Flink.Checkpoints = w.s.Now.Add(5*time.Second), plan.Present(world.Checkpoints{})
		}},
		"finished":     {"S6", application, func(w *fixture) { w.serveJob(v1beta1.FlinkJobFinished) }},
		"failed, gone": {"S6/T7", application, func(w *fixture) { w.fails(); w.lose() }},
		"not trusted": {"S7", stateful, func(w *fixture) {
			w.s.Flink = world.Flink{Jobs: plan.Unknown[[]world.Job]("its certificate is not trusted"), Distrusted: true}
		}},
		"does not answer": {"S8", stateful, func(w *fixture) { w.s.Flink = unansweredFlink() }},
		"scaled to no replicas by hand": {"S8b", stateful, func(w *fixture) {
			jm, _ := w.s.JobManager.Get()
			jm, none := jm.DeepCopy(), int32(0)
			jm.Spec.Replicas, w.s.JobManager, w.s.Flink = &none, plan.Present(jm), world.Flink{}
		}},
		"runs":      {"S10", stateful, func(*fixture) {}},
		"a session": {"S10", session, func(*fixture) {}},
		"began again": {"S9", highlyAvailable, func(w *fixture) {
			w.knows("file:///c/1/chk-7")
			w.beginsAnew()
		}},
		"vanished, its data cannot be read": {"S11", savesHighlyAvailable, func(w *fixture) {
			w.vanishes(11 * time.Minute)
			w.s.HAData = plan.Unknown[[]hadata.ConfigMap]("time-out")
		}},
		"vanished":         {"S12", stateful, func(w *fixture) { w.vanishes(11 * time.Minute) }},
		"not listed yet":   {"S14", stateful, func(w *fixture) { w.vanishes(9 * time.Minute) }},
		"its tasks do not": {"S14", stateful, func(w *fixture) { w.serveJob(v1beta1.FlinkJobRestarting) }},
		"its TaskManagers' image cannot be pulled": {"S13", stateful, func(w *fixture) {
			w.serveJob(v1beta1.FlinkJobRestarting)
			w.run()
			w.s.TaskManagers = plan.Present([]corev1.Pod{waitingPod("ImagePullBackOff", "no such image", false)})
		}},
		"the files of its checkpoint are gone": {"S15", stateful, func(w *fixture) {
			w.knows("file:///c/1/chk-7")
			w.restartsWithout("file:///c/1/chk-7/_metadata")
		}},
		"its TaskManagers have no node": {"S14", stateful, func(w *fixture) {
			w.serveJob(v1beta1.FlinkJobRestarting)
			w.run()
			w.s.TaskManagers = plan.Present([]corev1.Pod{unschedulable()})
		}},
		"a change is refused": {"S12/T1", stateful, func(w *fixture) {
			w.vanishes(11 * time.Minute)
			w.edit(upgradeImage)
		}},
		"a change waits": {"S10/T2", stateful, func(w *fixture) {
			w.edit(upgradeImage)
			w.s.Resource.Status.Retry = &v1beta1.Retry{
				Generation: w.s.Resource.Generation, Reason: "StopFailed", Message: "no savepoint",
				After: metav1.NewTime(w.s.Now.Add(time.Hour)),
			}
		}},
		"a rollback cannot be, and it may still run": {"S8/T3", rolls(stateful), func(w *fixture) {
			w.changesBySavepoint(nextVersion)
			w.late()
			if c := w.condition(summary.Reconciling); c.Reason != string(plan.ReasonRollbackUnsupported) {
				w.t.Errorf("it waits for something else: %+v", c)
			}
		}},
		"a rollback cannot be, and it has failed": {"S6/T4", rolls(stateful), func(w *fixture) {
			w.changesBySavepoint(upgradeImage)
			w.s.Resource.Status.JobStatus.UpgradeSavepointPath = v1beta1.LastStatePlaceholder
			w.fails()
			w.late()
		}},
		"a restart would lose its state": {"S10/T5", checked(stateful), func(w *fixture) {
			w.health(0)
			w.run()
			w.s.Now = w.s.Now.Add(time.Minute)
			w.s.Flink.Health, w.s.HAData = restarted(100), noHAMaps
		}},
		"its last state is not there, and it tries again": {"S8/T6", stateful, func(w *fixture) {
			w.refuses(v1beta1.LastStatePlaceholder)
			w.run()
			w.s.Pods = plan.Present([]corev1.Pod{})
		}},
	}
	drawn := drawing.Read(t, "../../engine/decide/settled.go", "Settled")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			row.then(w)
			w.settledAs(drawn, row.row)
		})
	}
	if err := drawn.Shown("Settled", shown...); err != nil {
		t.Error(err)
	}
}

// vanishes lets a job be missing from Flink's list for a time.
func (w *fixture) vanishes(since time.Duration) {
	w.s.Flink.Jobs = plan.Present([]world.Job{})
	w.run()
	w.s.Now = w.s.Now.Add(since)
}

// settledAs fails the test when another rule decides, or the situation is not as drawn.
func (w *fixture) settledAs(drawn drawing.Drawing, way string) {
	w.t.Helper()
	if p := w.run(); p.Rule != "settled" {
		w.t.Errorf("the rule %s decides, rounds %q", p.Rule, w.log)
	}
	answer := drawing.Row{"situation": w.status().Situation, "stalled": "no"}
	for _, c := range w.status().Conditions {
		if c.Type == summary.Stalled && c.Status == metav1.ConditionTrue {
			answer["stalled"] = "yes"
		}
	}
	if err := drawn.Holds(way, answer); err != nil {
		w.t.Errorf("%v; rounds %q, conditions %+v", err, w.log, w.status().Conditions)
	}
}
