package pass

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// stays lets the installation's passes stay, and counts how long they do.
func (i *installation) stays() *time.Duration {
	waited := new(time.Duration)
	i.r.Pause = func(ctx context.Context, d time.Duration, _ <-chan struct{}) (time.Duration, error) {
		*waited += d
		i.w.Clock.Advance(d)
		i.w.Settle()
		return d, ctx.Err()
	}
	return waited
}

func (i *installation) lifecycle() v1beta1.LifecycleState {
	i.t.Helper()
	u := i.w.Kube.Get(v1beta1.FlinkDeploymentGVR, "flink", "demo")
	if u == nil {
		return ""
	}
	d, _, err := v1beta1.DecodeDeployment(u.Object)
	if err != nil {
		i.t.Fatal(err)
	}
	return d.Status.LifecycleState
}

// TestASuspensionTakesOnePass: the savepoint is there within a moment, so nobody waits for the next tick.
func TestASuspensionTakesOnePass(t *testing.T) {
	i := install(t)
	waited := i.stays()
	i.merge(
		"demo",
		map[string]any{"spec": map[string]any{"job": map[string]any{"state": "suspended", "upgradeMode": "savepoint"}}},
	)
	i.pass(v1beta1.KindFlinkDeployment, "demo")
	if got := i.lifecycle(); got != v1beta1.LifecycleSuspended || i.savepoints() != 1 {
		t.Errorf("%s with %d savepoints after one pass", got, i.savepoints())
	}
	if *waited == 0 || *waited > pollAtMost {
		t.Errorf("the pass stayed %s", *waited)
	}
}

// TestADeletionTakesOnePass: the pods are gone within a moment.
func TestADeletionTakesOnePass(t *testing.T) {
	i := install(t)
	i.stays()
	if err := i.w.Kube.Delete(v1beta1.FlinkDeploymentGVR, "flink", "demo", kubesim.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	i.pass(v1beta1.KindFlinkDeployment, "demo")
	if got := i.lifecycle(); got != "" {
		t.Errorf("it is still there: %s", got)
	}
}

// TestAPassThatDidNothingDoesNotStay: a stop that takes long is the clock's.
func TestAPassThatDidNothingDoesNotStay(t *testing.T) {
	i := install(t)
	object := kube.Object{Resource: v1beta1.FlinkDeploymentGVR, Namespace: "flink", Name: "demo"}
	for name, row := range map[string]struct {
		first plan.Plan
		stays bool
	}{
		"it only looked": {plan.Plan{Requeue: plan.RequeueSoon}, false},
		"it woke the clock": {
			plan.Plan{Requeue: plan.RequeueSoon, Actions: []plan.Action{plan.WakeClock{}}}, false,
		},
		"it did something": {
			plan.Plan{Requeue: plan.RequeueSoon, Actions: []plan.Action{plan.WakeClock{}, plan.CancelJob{}}}, true,
		},
		"what it did takes its time": {plan.Plan{Actions: []plan.Action{plan.CancelJob{}}}, false},
		"it did something at its end": {
			plan.Plan{Requeue: plan.RequeueSoon, Finish: []plan.Action{plan.CancelJob{}}}, true,
		},
	} {
		waited, rounds := i.stays(), 0
		err := i.r.rounds(t.Context(), &largeSeat{}, object, func(apply.Result) (apply.Result, plan.Plan, error) {
			if rounds++; rounds == 1 {
				return apply.Result{}, row.first, nil
			}
			return apply.Result{}, plan.Plan{Requeue: plan.RequeueSoon}, nil
		}, nil)
		if err != nil || (*waited > 0) != row.stays || *waited > pollFor {
			t.Errorf("%s: stayed %s with %d rounds, %v; want it to stay: %t", name, *waited, rounds, err, row.stays)
		}
	}
}

func TestPatienceEnds(t *testing.T) {
	var p polling
	var waited time.Duration
	pause := func(_ context.Context, d time.Duration, _ <-chan struct{}) (time.Duration, error) {
		waited += d
		return d, nil
	}
	if p.waits(t.Context(), pause, nil, false) {
		t.Error("without an effect there is nothing to wait for")
	}
	p.renew()
	for p.waits(t.Context(), pause, nil, false) {
	}
	if waited > pollFor || waited < pollFor-longestInterval {
		t.Errorf("waited %s after one effect, want nearly %s", waited, pollFor)
	}
	for range 100 {
		p.renew()
		for p.waits(t.Context(), pause, nil, false) {
		}
	}
	if waited > pollAtMost {
		t.Errorf("waited %s in all, want at most %s", waited, pollAtMost)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	p = polling{}
	p.renew()
	if p.waits(ended, Wait, nil, false) {
		t.Error("a pass whose budget is used up stays")
	}
}

func TestAnAlarmEndsAPause(t *testing.T) {
	ended := make(chan struct{}, 1)
	ended <- struct{}{}
	if spent, err := Wait(t.Context(), time.Hour, ended); err != nil || spent > time.Minute {
		t.Errorf("waited %s, %v", spent, err)
	}
	close(ended)
	if spent, err := Wait(t.Context(), time.Millisecond, ended); err != nil || spent != time.Millisecond {
		t.Errorf("waited %s, %v, with a channel that is closed", spent, err)
	}
}

// TestTheEndOfPodsIsWatched: while a pass waits for pods it has a watch, and an installation that may not watch them
// waits as well.
func TestTheEndOfPodsIsWatched(t *testing.T) {
	for name, refused := range map[string]error{"watched": nil, "refused": errors.New("no right to watch pods")} {
		t.Run(name, func(t *testing.T) {
			i := install(t)
			i.stays()
			watched, tries, armed, pauses := "", 0, 0, 0
			i.r.PodsEnd = func(_ context.Context, namespace, name string) (<-chan struct{}, error) {
				watched, tries = namespace+"/"+name, tries+1
				if refused != nil {
					return nil, refused
				}
				return make(chan struct{}), nil
			}
			pause := i.r.Pause
			i.r.Pause = func(ctx context.Context, d time.Duration, ended <-chan struct{}) (time.Duration, error) {
				if ended != nil {
					armed++
				}
				if pauses++; pauses <= 3 {
					return d, nil // its pods take longer than that to end
				}
				return pause(ctx, d, ended)
			}
			if err := i.w.Kube.Delete(v1beta1.FlinkDeploymentGVR, "flink", "demo", kubesim.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			i.pass(v1beta1.KindFlinkDeployment, "demo")
			if got := i.lifecycle(); got != "" || watched != "flink/demo" || tries != 1 || (armed > 0) != (refused == nil) {
				t.Errorf("lifecycle %q, watched %q, %d tries, %d pauses with a watch", got, watched, tries, armed)
			}
		})
	}
}
