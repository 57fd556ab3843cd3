package failed_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/failed"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// rehearsalOf is where a plan has the API server judge a start, and where it stores an intent; -1: it does not.
func rehearsalOf(p plan.Plan) (rehearses, records int) {
	at := func(is func(plan.Action) bool) int { return slices.IndexFunc(p.Actions, is) }
	return at(func(a plan.Action) bool { _, is := a.(plan.Rehearse); return is }),
		at(func(a plan.Action) bool { r, is := a.(plan.Record); return is && r.Why == "intent" })
}

// decides makes a plan and carries nothing of it out.
func decides(w *enginetest.Deployment) plan.Plan {
	w.T.Helper()
	w.Look()
	return deployment.Make(w.Snapshot)
}

// TestAStartIsJudgedBeforeAnythingIsStopped: before the intent is stored, of whatever cluster. What is refused, or not
// known, leaves what runs alone until its time has come, or the spec is another one.
func TestAStartIsJudgedBeforeAnythingIsStopped(t *testing.T) {
	for name, spec := range map[string]string{
		"stateless": enginetest.Application, "by a savepoint": enginetest.Stateful,
		"standalone": enginetest.Standalone(enginetest.Stateful), "a session": enginetest.Session,
		"by last state": enginetest.With(enginetest.HighlyAvailable, `"upgradeMode":"savepoint"`,
			`"upgradeMode":"last-state"`),
	} {
		for _, refused := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				w := enginetest.Stable(t, spec)
				w.Snapshot.HAData = enginetest.HaMaps(w.Status().JobStatus.JobID)
				w.Edit(enginetest.UpgradeImage)
				p := decides(w)
				rehearsal, record := rehearsalOf(p)
				if rehearsal < 0 || record < rehearsal {
					t.Fatalf("it asks at %d and stores at %d: %s", rehearsal, record, p)
				}
				kind := fail.Transient
				if refused {
					kind = fail.Invalid
				}
				p = deployment.Failed(w.Snapshot, failed.Effect{
					Action: p.Actions[rehearsal], Kind: kind, Message: "pods is forbidden: not signed",
				}).Plans[0]
				if asks, stores := rehearsalOf(p); asks >= 0 || stores >= 0 || p.Status == nil {
					t.Fatalf("after the answer it does %s", p)
				}
				w.Store(p.Status.(*v1beta1.FlinkDeploymentStatus))
				toldOfKubernetes(w, refused)
				if p := w.Run(); enginetest.Touches(p) {
					t.Errorf("before its time it does %s", p)
				}
				toldOfKubernetes(w, refused)
				w.Snapshot.Now = w.Status().Refused.After.Add(time.Second)
				if asks, stores := rehearsalOf(decides(w)); asks < 0 || stores < asks {
					t.Error("its time has come, and nothing is asked")
				}
				w.Snapshot.Now = w.Snapshot.Now.Add(-2 * time.Second)
				w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:other" })
				if asks, _ := rehearsalOf(decides(w)); asks < 0 {
					t.Error("another spec waits for the answer to this one")
				}
			})
		}
	}
}

// toldOfKubernetes holds what a user sees of a change that Kubernetes refuses, or of one that it cannot judge.
func toldOfKubernetes(w *enginetest.Deployment, refused bool) {
	w.T.Helper()
	situation, accepted, condition := plan.Waiting, "True", w.Condition(summary.Reconciling)
	if refused {
		situation, accepted, condition = plan.Refused, "False", w.Condition(summary.Stalled)
	}
	if got := w.Status().Situation; got != string(situation) || w.Status().Intent != nil {
		w.T.Errorf("situation %s, intent %+v", got, w.Status().Intent)
	}
	if c := w.Condition(summary.SpecAccepted); string(c.Status) != accepted {
		w.T.Errorf("SpecAccepted %+v", c)
	}
	if !strings.Contains(condition.Message, "not signed") {
		w.T.Errorf("%+v does not have the API server's text", condition)
	}
}

// TestWhatIsNotJudged: where nothing is taken away, and where the spec says so.
func TestWhatIsNotJudged(t *testing.T) {
	for name, then := range map[string]func(w *enginetest.Deployment){
		"a suspension": func(w *enginetest.Deployment) { w.Edit(enginetest.Suspends) },
		"a deletion": func(w *enginetest.Deployment) {
			w.Snapshot.Resource.DeletionTimestamp = &w.Snapshot.Resource.CreationTimestamp
		},
		"turned off": func(w *enginetest.Deployment) {
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
				enginetest.UpgradeImage(s)
				s.FlinkConfiguration = v1beta1.FlinkConfiguration(
					`{"kubernetes.operator.deployment.dry-run.enabled":"false"}`,
				)
			})
		},
		"a recovery": func(w *enginetest.Deployment) { w.Lose() },
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.Application)
			then(w)
			if p := decides(w); !enginetest.Touches(p) {
				t.Errorf("it does %s", p)
			} else if asks, _ := rehearsalOf(p); asks >= 0 {
				t.Errorf("it asks: %s", p)
			}
		})
	}
}
