package deployment

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/failed"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func suspends(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended }

// refusedRound makes one plan whose actions but the writes of status are refused.
func (w *fixture) refusedRound() plan.Plan {
	w.t.Helper()
	w.look()
	p := Make(w.s)
	for _, a := range p.Actions {
		if record, ok := a.(plan.Record); ok {
			w.do(record)
		}
	}
	return p
}

// denied is the plan after an action that Kubernetes does not allow.
func denied(s cluster.Snapshot, a plan.Action, message string) plan.Plan {
	return Failed(s, failed.Effect{Action: a, Kind: fail.Denied, Reason: "Forbidden", Message: message}).Plans[0]
}

// refusedByFlink is the plan after Flink refused an action for good.
func refusedByFlink(s cluster.Snapshot, a plan.Action, message string) plan.Plan {
	return Failed(s, failed.Effect{Action: a, Kind: fail.Invalid, Message: message}).Plans[0]
}

// A quota or a webhook may refuse to take the cluster of a job that never began down, until it has begun.
func TestAStopIsGivenUpOnceTheJobMayHaveBegun(t *testing.T) {
	waiting := waitingPod("ContainerCreating", "", false)
	rows := map[string]struct {
		pods   plan.Observed[[]corev1.Pod]
		stops  bool
		open   bool
		reason string
	}{
		"it still waits":    {plan.Present([]corev1.Pod{waiting}), true, true, "there is nothing to lose"},
		"its container ran": {ranPods(), false, false, "what it has by now is not known; decided anew"},
		"nobody could look": {plan.Unknown[[]corev1.Pod]("time-out"), false, true, "nothing is deleted on a guess"},
	}
	for name, row := range rows {
		for change, edit := range map[string]func(*v1beta1.FlinkDeploymentSpec){
			"changed": upgradeImage, "suspended": suspends,
		} {
			t.Run(name+", "+change, func(t *testing.T) {
				w := newWorld(t, stateful)
				w.run()
				w.s.Pods = plan.Present([]corev1.Pod{waiting})
				w.run()
				w.edit(edit)
				if p := w.refusedRound(); w.status().Intent == nil || w.status().Intent.Stop != v1beta1.StopNone {
					t.Fatalf("%s, intent %+v; want to take it down", p, w.status().Intent)
				}
				w.s.Pods = row.pods
				w.s.Now = w.s.Now.Add(time.Second)
				p := w.round()
				if stops := strings.Contains(p.String(), "retire demo"); stops != row.stops {
					t.Errorf("%s; %s", p, row.reason)
				}
				if open := w.status().Intent != nil; open != row.open {
					t.Errorf("intent %+v; %s", w.status().Intent, row.reason)
				}
			})
		}
	}
}

// What was refused is tried again before its refusal is taken back: else each look writes status twice.
func TestARefusalIsToldUntilItIsDone(t *testing.T) {
	w := stable(t, stateful)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.UpgradeMode, s.Job.State = v1beta1.UpgradeModeStateless, v1beta1.JobStateSuspended
	})
	w.run()
	w.terminate()
	w.run()
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateRunning })
	p := w.refuseFinish()
	for p.Requeue == plan.RequeueNow {
		p = w.refuseFinish()
	}
	if len(p.Finish) != 1 {
		t.Fatalf("%s; want a release after the status", p)
	}
	failed := denied(w.s, plan.Retire{}, "not on Fridays")
	w.store(failed.Status.(*v1beta1.FlinkDeploymentStatus))
	p = Make(w.s)
	effects := p.Effects()
	if len(p.Finish) != 0 || len(effects) == 0 || !strings.HasPrefix(effects[len(effects)-1].String(), "release") {
		t.Errorf("%s; want the release first, then the status", p)
	}
	if w.round(); w.condition("Stalled").Status == "True" {
		t.Errorf("stalled although it was released: %+v", w.status().Conditions)
	}
}

// refuseFinish makes a round whose last actions are refused.
func (w *fixture) refuseFinish() plan.Plan {
	w.t.Helper()
	w.look()
	p := Make(w.s)
	for _, a := range p.Actions {
		w.do(a)
	}
	if status, ok := p.Status.(*v1beta1.FlinkDeploymentStatus); ok {
		w.store(status)
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
			w := stable(t, stateful)
			w.beginsAnew()
			w.look()
			refused := Make(w.s).StatusIn(nil).(*v1beta1.FlinkDeploymentStatus)
			row.change(refused)
			all := Failed(w.s, failed.Effect{
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
			w.store(all[1].Status.(*v1beta1.FlinkDeploymentStatus))
			w.run()
			if c := w.condition(summary.StateSafe); c.Reason != string(plan.ReasonJobRestarted) || w.told(c.Reason) != 0 {
				t.Errorf("%+v, told %d times more", c, w.told(c.Reason))
			}
		})
	}
}
