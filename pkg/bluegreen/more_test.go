package bluegreen_test

import (
	"encoding/json"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/bluegreen"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// refusesCreation has the API server refuse each side, and counts how often it is asked.
func (w *world) refusesCreation(why string) *int {
	n := new(int)
	w.refuses = func(a plan.Action) error {
		if _, creates := a.(plan.CreateSide); !creates {
			return nil
		}
		*n++
		return fail.Invalidf(a.String(), "Invalid", "%s", why)
	}
	return n
}

// stranger puts a FlinkDeployment of another owner there.
func (w *world) stranger(name string) {
	w.sides[name] = &v1beta1.FlinkDeployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "flink", Name: name, UID: "stranger", Generation: 1},
		Spec:       v1beta1.FlinkDeploymentSpec{Job: &v1beta1.JobSpec{}},
	}
	w.slow[name] = true
}

// says reports whether an event of a reason has a text in it.
func (w *world) says(reason, text string) bool {
	for _, e := range w.events {
		if strings.HasPrefix(e, reason+": ") && strings.Contains(e, text) {
			return true
		}
	}
	return false
}

// completeSavepoints ends those that Flink takes.
func (w *world) completeSavepoints() {
	for id, o := range w.savepoints {
		o.State = snapshots.OperationCompleted
		w.savepoints[id] = o
	}
}

func objectVersion(name string) plan.ObjectVersion {
	return plan.ObjectVersion{Name: name, UID: "left", ResourceVersion: "1"}
}

// The label of a canary makes none of a pair that was deployed: its edits count, and its failures are told.
func TestAPairThatWasDeployedIsNoCanary(t *testing.T) {
	w := active(t)
	w.bg.Labels = map[string]string{v1beta1.LabelCanary: "true"}
	w.edit(image("1.21"))
	w.rests()
	w.sees("ACTIVE_GREEN", "RUNNING", "green")
	if labels := w.side("green").Labels; v1beta1.IsCanary(labels) {
		t.Errorf("the new side has labels %v, so it is never deployed", labels)
	}
	w = newWorld(t)
	w.bg.Labels = map[string]string{v1beta1.LabelCanary: "true"}
	w.tick()
	if len(w.effects) > 0 || len(w.starts) > 0 {
		t.Errorf("effects of a canary: %v", w.effects)
	}
}

// T11.126: what the autoscaler has set for a side does not count for the next one, and that is told.
func TestTheNextSideOfAnAutoscaledPairSaysItsParallelism(t *testing.T) {
	for name, change := range map[string]func(map[string]any){"stateful": stateful, "stateless": running} {
		w := active(t, change, flink("job.autoscaler.enabled", "true"))
		w.edit(image("1.21"))
		w.rests()
		if !w.says("TransitionStarted", "begins with parallelism 2 of the template, and the autoscaler measures it anew") {
			t.Errorf("%s: %q", name, w.events)
		}
		w = active(t, change)
		w.edit(image("1.21"))
		w.rests()
		if w.says("TransitionStarted", "autoscaler") {
			t.Errorf("%s, without the autoscaler: %q", name, w.events)
		}
	}
}

// Whatever Flink, a service, admission or a side says of a secret of the spec: no text of status or of an event has it,
// nor an escape of a terminal.
func TestNoTextOfAPairHasASecret(t *testing.T) {
	const says = "cannot reach https://me:planted1@h with planted2secret\x1b[2J"
	changed := func(change func(w *world)) func(t *testing.T) *world {
		return func(t *testing.T) *world {
			w := active(t, stateful, grace("2 min"), flink("s3.secret-key", "planted2secret"))
			change(w)
			w.edit(image("1.21"))
			for range 100 {
				w.tick()
			}
			return w
		}
	}
	refuses := func(refused func(plan.Action) bool) func(*world) {
		return func(w *world) {
			w.refuses = func(a plan.Action) error {
				if refused(a) {
					return fail.Invalidf(a.String(), "Refused", "%s", says)
				}
				return nil
			}
		}
	}
	for name, make := range map[string]func(t *testing.T) *world{
		"a savepoint that fails": changed(func(w *world) { w.savepointState, w.failure = "Failed", says }),
		"a savepoint that is refused": changed(refuses(func(a plan.Action) bool {
			_, is := a.(plan.TriggerSavepoint)
			return is
		})),
		"a side that is refused": changed(refuses(func(a plan.Action) bool {
			_, is := a.(plan.CreateSide)
			return is
		})),
		"a side that says why it is not ready": changed(func(w *world) { w.broken["demo-green"], w.stalled = true, says }),
		"a service that refuses": func(t *testing.T) *world {
			w := beginGated(t, bluegreen.Gates{Services: map[string]plan.Observed[string]{"smoke": plan.Present(says)}},
				flink("s3.secret-key", "planted2secret"), option("gate.services", "smoke"))
			w.minutes(4)
			return w
		},
		"what is not answered": func(t *testing.T) *world {
			w := beginGated(t, bluegreen.Gates{Query: plan.Unknown[[]float64](says), Lag: plan.Unknown[int64](says)},
				flink("s3.secret-key", "planted2secret"), option("gate.prometheus-query", "up"), option("gate.max-lag", "1"))
			w.minutes(4)
			return w
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := make(t)
			status := w.bg.Status.DeepCopy()
			status.LastReconciledSpec = ""
			if status.Transition != nil {
				status.Transition.Spec = ""
			}
			text, err := json.Marshal(status)
			if err != nil {
				t.Fatal(err)
			}
			all := string(text) + strings.Join(w.events, "\n")
			for _, secret := range []string{"planted", "\\u001b", "\x1b"} {
				if at := strings.Index(all, secret); at >= 0 {
					t.Errorf("it has %q: …%s", secret, all[max(0, at-120):min(len(all), at+40)])
				}
			}
			if !strings.Contains(all, "cannot reach") {
				t.Errorf("it is not told: %s", all)
			}
		})
	}
}
