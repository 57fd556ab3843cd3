package deployment

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// rehearsalOf is where a plan has the API server judge a start, and where it stores an intent; -1: it does not.
func rehearsalOf(p plan.Plan) (rehearses, records int) {
	at := func(is func(plan.Action) bool) int { return slices.IndexFunc(p.Actions, is) }
	return at(func(a plan.Action) bool { _, is := a.(plan.Rehearse); return is }),
		at(func(a plan.Action) bool { r, is := a.(plan.Record); return is && r.Why == "intent" })
}

// decides makes a plan and carries nothing of it out.
func (w *fixture) decides() plan.Plan {
	w.t.Helper()
	w.look()
	return Make(w.s)
}

// TestAStartIsJudgedBeforeAnythingIsStopped: before the intent is stored, of whatever cluster. What is refused, or not
// known, leaves what runs alone until its time has come, or the spec is another one.
func TestAStartIsJudgedBeforeAnythingIsStopped(t *testing.T) {
	for name, spec := range map[string]string{
		"stateless": application, "by a savepoint": stateful, "standalone": standalone(stateful), "a session": session,
		"by last state": with(highlyAvailable, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`),
	} {
		for _, refused := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				w := stable(t, spec)
				w.s.HAData = haMaps(w.status().JobStatus.JobID)
				w.edit(upgradeImage)
				p := w.decides()
				rehearsal, record := rehearsalOf(p)
				if rehearsal < 0 || record < rehearsal {
					t.Fatalf("it asks at %d and stores at %d: %s", rehearsal, record, p)
				}
				p = rehearsed(w.s, p.Actions[rehearsal], refused, "pods is forbidden: not signed")
				if asks, stores := rehearsalOf(p); asks >= 0 || stores >= 0 || p.Status == nil {
					t.Fatalf("after the answer it does %s", p)
				}
				w.store(p.Status.(*v1beta1.FlinkDeploymentStatus))
				w.toldOfKubernetes(refused)
				if p := w.run(); touches(p) {
					t.Errorf("before its time it does %s", p)
				}
				w.toldOfKubernetes(refused)
				w.s.Now = w.status().Refused.After.Add(time.Second)
				if asks, stores := rehearsalOf(w.decides()); asks < 0 || stores < asks {
					t.Error("its time has come, and nothing is asked")
				}
				w.s.Now = w.s.Now.Add(-2 * time.Second)
				w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:other" })
				if asks, _ := rehearsalOf(w.decides()); asks < 0 {
					t.Error("another spec waits for the answer to this one")
				}
			})
		}
	}
}

// toldOfKubernetes holds what a user sees of a change that Kubernetes refuses, or of one that it cannot judge.
func (w *fixture) toldOfKubernetes(refused bool) {
	w.t.Helper()
	situation, accepted, condition := plan.Waiting, "True", w.condition(summary.Reconciling)
	if refused {
		situation, accepted, condition = plan.Refused, "False", w.condition(summary.Stalled)
	}
	if got := w.status().Situation; got != string(situation) || w.status().Intent != nil {
		w.t.Errorf("situation %s, intent %+v", got, w.status().Intent)
	}
	if c := w.condition(summary.SpecAccepted); string(c.Status) != accepted {
		w.t.Errorf("SpecAccepted %+v", c)
	}
	if !strings.Contains(condition.Message, "not signed") {
		w.t.Errorf("%+v does not have the API server's text", condition)
	}
}

// TestWhatIsNotJudged: where nothing is taken away, and where the spec says so.
func TestWhatIsNotJudged(t *testing.T) {
	for name, then := range map[string]func(w *fixture){
		"a suspension": func(w *fixture) { w.edit(suspends) },
		"a deletion":   func(w *fixture) { w.s.Resource.DeletionTimestamp = &w.s.Resource.CreationTimestamp },
		"turned off": func(w *fixture) {
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
				upgradeImage(s)
				s.FlinkConfiguration = v1beta1.FlinkConfiguration(
					`{"kubernetes.operator.deployment.dry-run.enabled":"false"}`,
				)
			})
		},
		"a recovery": func(w *fixture) { w.lose() },
	} {
		t.Run(name, func(t *testing.T) {
			w := stable(t, application)
			then(w)
			if p := w.decides(); !touches(p) {
				t.Errorf("it does %s", p)
			} else if asks, _ := rehearsalOf(p); asks >= 0 {
				t.Errorf("it asks: %s", p)
			}
		})
	}
}
