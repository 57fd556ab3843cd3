package failed_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/failed"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A quota or a webhook may refuse to take the cluster of a job that never began down, until it has begun.
func TestAStopIsGivenUpOnceTheJobMayHaveBegun(t *testing.T) {
	waiting := enginetest.WaitingPod("ContainerCreating", "", false)
	rows := map[string]struct {
		pods   plan.Observed[[]corev1.Pod]
		stops  bool
		open   bool
		reason string
	}{
		"it still waits":    {plan.Present([]corev1.Pod{waiting}), true, true, "there is nothing to lose"},
		"its container ran": {enginetest.RanPods(), false, false, "what it has by now is not known; decided anew"},
		"nobody could look": {plan.Unknown[[]corev1.Pod]("time-out"), false, true, "nothing is deleted on a guess"},
	}
	for name, row := range rows {
		for change, edit := range map[string]func(*v1beta1.FlinkDeploymentSpec){
			"changed": enginetest.UpgradeImage, "suspended": enginetest.Suspends,
		} {
			t.Run(name+", "+change, func(t *testing.T) {
				w := enginetest.NewDeployment(t, enginetest.Stateful)
				w.Run()
				w.Snapshot.Pods = plan.Present([]corev1.Pod{waiting})
				w.Run()
				w.Edit(edit)
				if p := w.RefusedRound(); w.Status().Intent == nil || w.Status().Intent.Stop != v1beta1.StopNone {
					t.Fatalf("%s, intent %+v; want to take it down", p, w.Status().Intent)
				}
				w.Snapshot.Pods = row.pods
				w.Snapshot.Now = w.Snapshot.Now.Add(time.Second)
				p := w.Round()
				if stops := strings.Contains(p.String(), "retire demo"); stops != row.stops {
					t.Errorf("%s; %s", p, row.reason)
				}
				if open := w.Status().Intent != nil; open != row.open {
					t.Errorf("intent %+v; %s", w.Status().Intent, row.reason)
				}
			})
		}
	}
}

// What was refused is tried again before its refusal is taken back: else each look writes status twice.
func TestARefusalIsToldUntilItIsDone(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.UpgradeMode, s.Job.State = v1beta1.UpgradeModeStateless, v1beta1.JobStateSuspended
	})
	w.Run()
	w.Terminate()
	w.Run()
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
	p := refuseFinish(w)
	for p.Requeue == plan.RequeueNow {
		p = refuseFinish(w)
	}
	if len(p.Finish) != 1 {
		t.Fatalf("%s; want a release after the status", p)
	}
	failed := enginetest.Denied(w.Snapshot, plan.Retire{}, "not on Fridays")
	w.Store(failed.Status.(*v1beta1.FlinkDeploymentStatus))
	p = deployment.Make(w.Snapshot)
	effects := p.Effects()
	if len(p.Finish) != 0 || len(effects) == 0 || !strings.HasPrefix(effects[len(effects)-1].String(), "release") {
		t.Errorf("%s; want the release first, then the status", p)
	}
	if w.Round(); w.Condition("Stalled").Status == "True" {
		t.Errorf("stalled although it was released: %+v", w.Status().Conditions)
	}
}

// refuseFinish makes a round whose last actions are refused.
func refuseFinish(w *enginetest.Deployment) plan.Plan {
	w.T.Helper()
	w.Look()
	p := deployment.Make(w.Snapshot)
	for _, a := range p.Actions {
		w.Do(a)
	}
	if status, ok := p.Status.(*v1beta1.FlinkDeploymentStatus); ok {
		w.Store(status)
	}
	return p
}

// The run that shows a loss may be over when there is room again.
func TestALossIsStoredInALeanStatus(t *testing.T) {
	rows := map[string]struct {
		change func(refused *v1beta1.FlinkDeploymentStatus)
		plans  int
		reason string
	}{
		"a loss": {func(*v1beta1.FlinkDeploymentStatus) {}, 3, "with the loss, with less words, without it"},
		"no loss": {
			func(s *v1beta1.FlinkDeploymentStatus) { s.LostProgress = nil }, 2, "in words, with less words",
		},
		"one that an operation begins with": {
			func(s *v1beta1.FlinkDeploymentStatus) { s.Intent = &v1beta1.Intent{OperationID: "next"} }, 2, "that comes again",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.Stateful)
			w.BeginsAnew()
			w.Look()
			refused := deployment.Make(w.Snapshot).StatusIn(nil).(*v1beta1.FlinkDeploymentStatus)
			row.change(refused)
			all := deployment.Failed(w.Snapshot, failed.Effect{
				Kind: fail.Invalid, Reason: fail.ReasonTooLarge, Plan: plan.Plan{Status: refused},
			}).Plans
			if len(all) != row.plans {
				t.Fatalf("%d plans, want %d: %s", len(all), row.plans, row.reason)
			}
			if row.plans == 2 {
				return
			}
			for i, p := range all {
				next := p.Status.(*v1beta1.FlinkDeploymentStatus)
				safe := !meta.IsStatusConditionFalse(next.Conditions, summary.StateSafe)
				if last := i == len(all)-1; safe != last || (next.LostProgress == nil) != last {
					t.Errorf("plan %d: %+v, %+v", i, next.LostProgress, next.Conditions)
				}
			}
			w.Store(all[1].Status.(*v1beta1.FlinkDeploymentStatus))
			w.Run()
			if c := w.Condition(summary.StateSafe); c.Reason != string(plan.ReasonJobRestarted) || w.Told(c.Reason) != 0 {
				t.Errorf("%+v, told %d times more", c, w.Told(c.Reason))
			}
		})
	}
}
