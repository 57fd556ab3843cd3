package decide_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
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
		then func(w *enginetest.Deployment)
	}{
		"suspended": {"S1", enginetest.Application, func(w *enginetest.Deployment) {
			w.Edit(enginetest.Suspends)
			w.Run()
			w.Terminate()
			w.Run()
		}},
		"cannot start": {"S2", enginetest.Application, func(w *enginetest.Deployment) {
			w.Serve(0, plan.Observed[[]world.Job]{})
			w.Snapshot.Pods = plan.Present([]corev1.Pod{enginetest.WaitingPod("ImagePullBackOff", "no such image", false)})
		}},
		"failed just now": {"S3", enginetest.Given(enginetest.HighlyAvailable), (*enginetest.Deployment).Fails},
		"failed as long ago as a checkpoint may take": {
			"S3",
			enginetest.Given(enginetest.HighlyAvailable),
			func(w *enginetest.Deployment) {
				w.Fails()
				w.Snapshot.Now, w.Snapshot.Flink = w.Snapshot.Now.Add(10*time.Minute), enginetest.UnansweredFlink()
			},
		},
		"failed long ago, not read": {"S4", enginetest.Given(enginetest.HighlyAvailable), func(w *enginetest.Deployment) {
			w.Fails()
			w.Snapshot.Now, w.Snapshot.Flink = w.Snapshot.Now.Add(11*time.Minute), enginetest.UnansweredFlink()
		}},
		"failed, what it had is lost": {"S5", enginetest.Given(enginetest.HighlyAvailable), func(w *enginetest.Deployment) {
			w.Fails()
			w.Snapshot.Now, w.Snapshot.Flink.Checkpoints = w.Snapshot.Now.Add(
				5*time.Second,
			), plan.Present(
				world.Checkpoints{},
			)
		}},
		"finished": {
			"S6",
			enginetest.Application,
			func(w *enginetest.Deployment) { w.ServeJob(v1beta1.FlinkJobFinished) },
		},
		"failed, gone": {"S6/T7", enginetest.Application, func(w *enginetest.Deployment) { w.Fails(); w.Lose() }},
		"not trusted": {"S7", enginetest.Stateful, func(w *enginetest.Deployment) {
			w.Snapshot.Flink = world.Flink{
				Jobs:       plan.Unknown[[]world.Job]("its certificate is not trusted"),
				Distrusted: true,
			}
		}},
		"does not answer": {
			"S8",
			enginetest.Stateful,
			func(w *enginetest.Deployment) { w.Snapshot.Flink = enginetest.UnansweredFlink() },
		},
		"scaled to no replicas by hand": {"S8b", enginetest.Stateful, func(w *enginetest.Deployment) {
			jm, _ := w.Snapshot.JobManager.Get()
			jm, none := jm.DeepCopy(), int32(0)
			jm.Spec.Replicas, w.Snapshot.JobManager, w.Snapshot.Flink = &none, plan.Present(jm), world.Flink{}
		}},
		"runs":      {"S10", enginetest.Stateful, func(*enginetest.Deployment) {}},
		"a session": {"S10", enginetest.Session, func(*enginetest.Deployment) {}},
		"began again": {"S9", enginetest.HighlyAvailable, func(w *enginetest.Deployment) {
			w.Knows("file:///c/1/chk-7")
			w.BeginsAnew()
		}},
		"vanished, its data cannot be read": {"S11", enginetest.SavesHighlyAvailable, func(w *enginetest.Deployment) {
			vanishes(w, 11*time.Minute)
			w.Snapshot.HAData = plan.Unknown[[]hadata.ConfigMap]("time-out")
		}},
		"vanished":       {"S12", enginetest.Stateful, func(w *enginetest.Deployment) { vanishes(w, 11*time.Minute) }},
		"not listed yet": {"S14", enginetest.Stateful, func(w *enginetest.Deployment) { vanishes(w, 9*time.Minute) }},
		"its tasks do not": {
			"S14",
			enginetest.Stateful,
			func(w *enginetest.Deployment) { w.ServeJob(v1beta1.FlinkJobRestarting) },
		},
		"its TaskManagers' image cannot be pulled": {"S13", enginetest.Stateful, func(w *enginetest.Deployment) {
			w.ServeJob(v1beta1.FlinkJobRestarting)
			w.Run()
			w.Snapshot.TaskManagers = plan.Present(
				[]corev1.Pod{enginetest.WaitingPod("ImagePullBackOff", "no such image", false)},
			)
		}},
		"the files of its checkpoint are gone": {"S15", enginetest.Stateful, func(w *enginetest.Deployment) {
			w.Knows("file:///c/1/chk-7")
			restartsWithout(w, "file:///c/1/chk-7/_metadata")
		}},
		"its TaskManagers have no node": {"S14", enginetest.Stateful, func(w *enginetest.Deployment) {
			w.ServeJob(v1beta1.FlinkJobRestarting)
			w.Run()
			w.Snapshot.TaskManagers = plan.Present([]corev1.Pod{enginetest.Unschedulable()})
		}},
		"a change is refused": {"S12/T1", enginetest.Stateful, func(w *enginetest.Deployment) {
			vanishes(w, 11*time.Minute)
			w.Edit(enginetest.UpgradeImage)
		}},
		"a change waits": {"S10/T2", enginetest.Stateful, func(w *enginetest.Deployment) {
			w.Edit(enginetest.UpgradeImage)
			w.Snapshot.Resource.Status.Retry = &v1beta1.Retry{
				Generation: w.Snapshot.Resource.Generation, Reason: "StopFailed", Message: "no savepoint",
				After: metav1.NewTime(w.Snapshot.Now.Add(time.Hour)),
			}
		}},
		"a rollback cannot be, and it may still run": {
			"S8/T3",
			enginetest.Rolls(enginetest.Stateful),
			func(w *enginetest.Deployment) {
				w.ChangesBySavepoint(nextVersion)
				w.Late()
				if c := w.Condition(summary.Reconciling); c.Reason != string(plan.ReasonRollbackUnsupported) {
					w.T.Errorf("it waits for something else: %+v", c)
				}
			},
		},
		"a rollback cannot be, and it has failed": {
			"S6/T4",
			enginetest.Rolls(enginetest.Stateful),
			func(w *enginetest.Deployment) {
				w.ChangesBySavepoint(enginetest.UpgradeImage)
				w.Snapshot.Resource.Status.JobStatus.UpgradeSavepointPath = v1beta1.LastStatePlaceholder
				w.Fails()
				w.Late()
			},
		},
		"a restart would lose its state": {
			"S10/T5",
			enginetest.Checked(enginetest.Stateful),
			func(w *enginetest.Deployment) {
				w.Health(0)
				w.Run()
				w.Snapshot.Now = w.Snapshot.Now.Add(time.Minute)
				w.Snapshot.Flink.Health, w.Snapshot.HAData = restarted(100), enginetest.NoHAMaps
			},
		},
		"its last state is not there, and it tries again": {"S8/T6", enginetest.Stateful, func(w *enginetest.Deployment) {
			w.Refuses(v1beta1.LastStatePlaceholder)
			w.Run()
			w.Snapshot.Pods = plan.Present([]corev1.Pod{})
		}},
	}
	drawn := drawing.Read(t, "settled.go", "Settled")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			row.then(w)
			settledAs(w, drawn, row.row)
		})
	}
	if err := drawn.Shown("Settled", shown...); err != nil {
		t.Error(err)
	}
}

// vanishes lets a job be missing from Flink's list for a time.
func vanishes(w *enginetest.Deployment, since time.Duration) {
	w.Snapshot.Flink.Jobs = plan.Present([]world.Job{})
	w.Run()
	w.Snapshot.Now = w.Snapshot.Now.Add(since)
}

// settledAs fails the test when another rule decides, or the situation is not as drawn.
func settledAs(w *enginetest.Deployment, drawn drawing.Drawing, way string) {
	w.T.Helper()
	if p := w.Run(); p.Rule != "settled" {
		w.T.Errorf("the rule %s decides, rounds %q", p.Rule, w.Log)
	}
	answer := drawing.Row{"situation": w.Status().Situation, "stalled": "no"}
	for _, c := range w.Status().Conditions {
		if c.Type == summary.Stalled && c.Status == metav1.ConditionTrue {
			answer["stalled"] = "yes"
		}
	}
	if err := drawn.Holds(way, answer); err != nil {
		w.T.Errorf("%v; rounds %q, conditions %+v", err, w.Log, w.Status().Conditions)
	}
}
