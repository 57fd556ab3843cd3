package facts

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
	"github.com/kn-flink/kn-flink/pkg/plan/storedspec"
)

// rehearsalOf is what status says of a rehearsal of the spec that did not end with yes.
func rehearsalOf(t *testing.T, s *world.Seen, reason plan.Reason, after time.Duration) *v1beta1.Refused {
	t.Helper()
	text, err := storedspec.Text(s.Resource.Spec)
	if err != nil {
		t.Fatal(err)
	}
	return &v1beta1.Refused{
		Effect: plan.Rehearse{Target: storedspec.Hash(text)}.String(),
		Retry: v1beta1.Retry{
			Generation: s.Resource.Generation, Reason: string(reason), Message: "exceeded quota",
			After: metav1.NewTime(s.Now.Add(after)),
		},
	}
}

// Nothing is stopped for a start that Kubernetes has refused, or did not judge, until the next attempt is due.
func TestWhatIsSaidAgainstAStart(t *testing.T) {
	rows := map[string]struct {
		then    func(s *world.Seen)
		reason  plan.Reason
		refused bool
		says    string
	}{
		"nothing": {then: func(*world.Seen) {}},
		"Kubernetes refuses it": {then: func(s *world.Seen) {
			s.Resource.Status.Refused = rehearsalOf(t, s, plan.ReasonRefusedByKubernetes, time.Hour)
		}, reason: plan.ReasonRefusedByKubernetes, refused: true, says: "exceeded quota"},
		"it could not be judged": {then: func(s *world.Seen) {
			s.Resource.Status.Refused = rehearsalOf(t, s, "Unavailable", time.Hour)
		}, reason: "Unavailable", says: "exceeded quota; next attempt at 2026-11-21T13:00:00Z"},
		"the next attempt is due": {then: func(s *world.Seen) {
			s.Resource.Status.Refused = rehearsalOf(t, s, plan.ReasonRefusedByKubernetes, -time.Second)
		}},
		"it is of another spec": {then: func(s *world.Seen) {
			s.Resource.Status.Refused = rehearsalOf(t, s, plan.ReasonRefusedByKubernetes, time.Hour)
			s.Resource.Spec.Image = "another"
		}},
		"it is of a generation before": {then: func(s *world.Seen) {
			s.Resource.Status.Refused = rehearsalOf(t, s, plan.ReasonRefusedByKubernetes, time.Hour)
			s.Resource.Generation++
		}},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, row.then)
			why, refused := Objection(v, &v.Spec)
			if refused != row.refused {
				t.Errorf("refused: %t, want %t", refused, row.refused)
			}
			if why == nil {
				why = &plan.Cause{}
			}
			if why.Reason != row.reason || why.Message != row.says {
				t.Errorf("%s: %q, want %s: %q", why.Reason, why.Message, row.reason, row.says)
			}
			if v.Objected != (row.reason != "") {
				t.Errorf("it is noted that it decided something: %t", v.Objected)
			}
		})
	}
}

// A start that takes something away is judged first, unless it was judged when it was stored.
func TestWhichStartIsJudgedFirst(t *testing.T) {
	rows := map[string]struct {
		purpose v1beta1.IntentPurpose
		step    v1beta1.IntentStep
		image   string
		want    bool
	}{
		"a first start":                {purpose: v1beta1.PurposeDeploy},
		"a recovery":                   {purpose: v1beta1.PurposeRecover},
		"an upgrade":                   {purpose: v1beta1.PurposeUpgrade, want: true},
		"an upgrade of a released one": {purpose: v1beta1.PurposeUpgrade, step: v1beta1.StepReleased, want: true},
		"an upgrade that is under way": {purpose: v1beta1.PurposeUpgrade, step: v1beta1.StepStopping},
		"an upgrade to another spec": {
			purpose: v1beta1.PurposeUpgrade, step: v1beta1.StepStopping, image: "b", want: true,
		},
		"a rollback to what is started": {purpose: v1beta1.PurposeRollback, step: v1beta1.StepStarting},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				if row.step != "" {
					text, err := storedspec.Text(s.Resource.Spec)
					if err != nil {
						t.Fatal(err)
					}
					s.Resource.Status.Intent = &v1beta1.Intent{Step: row.step, SpecHash: storedspec.Hash(text)}
				}
			})
			target := *v.Spec.DeepCopy()
			target.Image = row.image
			if got := AsksRehearsal(v, row.purpose, target); got != row.want {
				t.Errorf("judged first: %t, want %t", got, row.want)
			}
		})
	}
}

// An open intent goes to the newest spec while nothing is released, but for a rollback and a recovery of an unchanged
// one. What leads to another spec than it began for is an upgrade.
func TestWhichSpecIsStarted(t *testing.T) {
	rows := map[string]struct {
		purpose  v1beta1.IntentPurpose
		change   bool
		problem  string
		newest   bool
		becomes  v1beta1.IntentPurpose
		unstored bool
	}{
		"an upgrade of a newer spec": {
			purpose: v1beta1.PurposeUpgrade, change: true, newest: true, becomes: v1beta1.PurposeUpgrade,
		},
		"a rollback of a newer spec": {
			purpose: v1beta1.PurposeRollback, change: true, newest: true, becomes: v1beta1.PurposeUpgrade,
		},
		"a rollback, and the new spec is invalid": {
			purpose: v1beta1.PurposeRollback, change: true, problem: "no", becomes: v1beta1.PurposeRollback,
		},
		"a recovery of an unchanged spec": {purpose: v1beta1.PurposeRecover, becomes: v1beta1.PurposeRecover},
		"a deletion, which leads to none": {purpose: v1beta1.PurposeDelete, newest: true, becomes: v1beta1.PurposeDelete},
		"a spec that cannot be read": {
			purpose: v1beta1.PurposeUpgrade, problem: "no", newest: true, unstored: true, becomes: v1beta1.PurposeUpgrade,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				s.Resource.Spec.Image = "stored"
				guesttest.Deployed(t, s)
				text, err := storedspec.Text(s.Resource.Spec)
				if err != nil {
					t.Fatal(err)
				}
				s.Resource.Status.Intent = &v1beta1.Intent{
					Purpose: row.purpose, Step: v1beta1.StepStarting, Generation: 1, SpecHash: storedspec.Hash(text),
					Spec: s.Resource.Status.ReconciliationStatus.LastReconciledSpec, Restore: v1beta1.UpgradeModeSavepoint,
				}
				if row.change || row.newest {
					moved(s, func(spec *v1beta1.FlinkDeploymentSpec) { spec.Image = "newest" })
				}
			})
			if v.Problem = row.problem; row.unstored {
				v.Intent().Spec = "{"
			}
			want := "stored"
			if row.newest {
				want = "newest"
			}
			target := StartTarget(v)
			if target.Image != want {
				t.Errorf("the %s spec is started, want the %s one", target.Image, want)
			}
			if got := RedirectedPurpose(v, target); got != row.becomes {
				t.Errorf("it becomes a %s, want a %s", got, row.becomes)
			}
			if noted := len(v.Notes) > 0; noted != row.unstored {
				t.Errorf("notes %q, want that a spec that cannot be read is noted", v.Notes)
			}
		})
	}
}

// An intent says what its step needs.
func TestWhichIntentIsWhole(t *testing.T) {
	from, stops := &v1beta1.StartPoint{}, &v1beta1.Incarnation{}
	rows := map[string]struct {
		intent v1beta1.Intent
		want   bool
	}{
		"a stop":            {intent: v1beta1.Intent{Step: v1beta1.StepStopping, Stops: stops}, want: true},
		"a stop of nothing": {intent: v1beta1.Intent{Step: v1beta1.StepStopping}},
		"a stop that ended": {
			intent: v1beta1.Intent{
				Step: v1beta1.StepStopping, Stops: stops, Stop: v1beta1.StopSavepoint, Ended: true, From: from,
			},
			want: true,
		},
		"an end of no state": {
			intent: v1beta1.Intent{Step: v1beta1.StepStopping, Stops: stops, Stop: v1beta1.StopSavepoint, Ended: true},
		},
		"an end that needs no state": {
			intent: v1beta1.Intent{Step: v1beta1.StepStopping, Stops: stops, Stop: v1beta1.StopStateless, Ended: true},
			want:   true,
		},
		"a start":              {intent: v1beta1.Intent{Step: v1beta1.StepStarting, From: from}, want: true},
		"a start from nowhere": {intent: v1beta1.Intent{Step: v1beta1.StepStarting}},
		"a release": {
			intent: v1beta1.Intent{Step: v1beta1.StepReleased, From: from, Release: &v1beta1.Release{}}, want: true,
		},
		"a release of nothing":   {intent: v1beta1.Intent{Step: v1beta1.StepReleased, From: from}},
		"a step that is unknown": {intent: v1beta1.Intent{Step: "Another"}, want: true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := Whole(&row.intent); got != row.want {
				t.Errorf("whole: %t, want %t", got, row.want)
			}
		})
	}
}

// A change that gives up what the autoscaler keeps waits until that can be read.
func TestAChangeThatForgetsTheAutoscalerWaits(t *testing.T) {
	one := int64(1)
	unread := plan.Unknown[autoscaled.Store]("Forbidden")
	rows := map[string]struct {
		spec, was string
		nonce     *int64
		store     plan.Observed[autoscaled.Store]
		waits     bool
		keeps     bool
	}{
		"it turns it off": {
			spec: guesttest.TurnedOff, was: guesttest.TurnedOn + "," + guesttest.Resized, store: unread,
			waits: true, keeps: true,
		},
		"it resets it": {
			spec: guesttest.TurnedOn, was: guesttest.TurnedOn, nonce: &one, store: unread, waits: true, keeps: true,
		},
		"it keeps it": {spec: guesttest.TurnedOn, was: guesttest.TurnedOn, store: unread, keeps: true},
		"nothing is kept": {
			spec: guesttest.TurnedOn, was: guesttest.TurnedOn, nonce: &one, store: plan.Absent[autoscaled.Store](),
		},
		"what is kept can be read": {
			spec: guesttest.TurnedOn, was: guesttest.TurnedOn, nonce: &one,
			store: plan.Present(autoscaled.Store{Data: map[string]string{"a": "b"}}), keeps: true,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				guesttest.Optioned(t, s, row.spec, row.was)
				s.Resource.Spec.Job.AutoscalerResetNonce, s.Autoscaled = row.nonce, row.store
			})
			if got := AwaitsStore(v); got != row.waits {
				t.Errorf("it waits: %t, want %t", got, row.waits)
			}
			if why := Unforgotten(v); row.waits && !strings.Contains(why.Message, "Forbidden") {
				t.Errorf("it waits and does not say why: %q", why.Message)
			}
			if got := KeepsSomething(row.store); got != row.keeps {
				t.Errorf("the autoscaler keeps something: %t, want %t", got, row.keeps)
			}
		})
	}
}
