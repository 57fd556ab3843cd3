package decision

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// A decision is one line: what begins, or in which situation nothing does, and then what the status will say.
func TestADecisionIsPrinted(t *testing.T) {
	because := func(reason plan.Reason) *plan.Cause { return &plan.Cause{Reason: reason} }
	rows := map[string]struct {
		d    Decision
		want string
	}{
		"it leaves the decision to other rules": {d: Pass(), want: "pass"},
		"it passes with a mark":                 {d: Pass(Stable), want: "pass; mark Stable"},
		"it passes with what waits":             {d: Wait(Found{Pending: because("A")}), want: "pass; pending A"},
		"it passes with all that was found": {
			d: Wait(Found{
				Pending: because("A"), Refused: because("B"), Unwell: because("C"), Stuck: because("D"),
			}),
			want: "pass; pending A; refused B; unwell C; stuck D",
		},
		"a stop": {
			d: Decision{Stop: &Stop{
				Purpose: v1beta1.PurposeUpgrade, How: v1beta1.StopSavepoint, Restore: v1beta1.UpgradeModeSavepoint,
			}},
			want: "stop by Savepoint for Upgrade, restore savepoint",
		},
		"a start whose state is chosen": {
			d: Decision{Start: &Start{
				Purpose: v1beta1.PurposeRecover, From: &v1beta1.StartPoint{Kind: v1beta1.StartLastState},
			}},
			want: "start for Recover from LastState",
		},
		"a start whose state is to be chosen": {
			d: Decision{
				Start: &Start{Purpose: v1beta1.PurposeResume, Restore: v1beta1.UpgradeModeSavepoint},
				Begun: []Mark{NotRetried},
			},
			want: "start for Resume, restore savepoint; mark NotRetried",
		},
		"nothing begins": {d: Settle(Result{Situation: plan.Steady}, Deployed), want: "Steady; mark Deployed"},
		"nothing begins, for a reason": {
			d: Settle(Result{
				Situation: plan.Refused, Stall: because("CannotRender"), Wait: plan.Cause{Reason: "Later"},
			}),
			want: "Refused; stalled CannotRender; wait Later",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, row.d.String()); diff != "" {
				t.Errorf("it reads (-want +got):\n%s", diff)
			}
		})
	}
}

// What a rule finds counts before what the rules before it found; a rule that finds nothing takes nothing away.
func TestWhatWasFoundLastCounts(t *testing.T) {
	now, before := &plan.Cause{Reason: "Now"}, &plan.Cause{Reason: "Before"}
	rows := map[string]struct {
		found, before, want Found
	}{
		"nothing either time": {},
		"nothing since then": {
			before: Found{Pending: before, Refused: before, Unwell: before, Stuck: before},
			want:   Found{Pending: before, Refused: before, Unwell: before, Stuck: before},
		},
		"all anew": {
			found:  Found{Pending: now, Refused: now, Unwell: now, Stuck: now},
			before: Found{Pending: before, Refused: before, Unwell: before, Stuck: before},
			want:   Found{Pending: now, Refused: now, Unwell: now, Stuck: now},
		},
		"one anew, another as before": {
			found: Found{Refused: now}, before: Found{Pending: before}, want: Found{Pending: before, Refused: now},
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, row.found.Over(row.before)); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
		})
	}
}

// A rule that does not apply leaves the decision to the rules that follow it, whatever result it gives.
func TestARuleThatDoesNotApplyPasses(t *testing.T) {
	r := Result{Situation: plan.Suspended}
	if d := Of(r, true); d.Passes || d.Result.Situation != plan.Suspended {
		t.Errorf("of a rule that applies: %s, want Suspended", d)
	}
	if d := Of(r, false); !d.Passes {
		t.Errorf("of a rule that does not apply: %s, want that it passes", d)
	}
}

// Nothing is done by a guess: what cannot be read is named with the reason.
func TestWhatCannotBeReadIsWaitedFor(t *testing.T) {
	rows := map[string]struct{ why, want string }{
		"it was refused":  {why: "Forbidden", want: "the pods cannot be read: Forbidden"},
		"it was not read": {want: "the pods cannot be read: not checked"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			r := Unobservable("the pods", row.why)
			if r.Situation != plan.Unobservable {
				t.Errorf("situation %s, want %s", r.Situation, plan.Unobservable)
			}
			if diff := cmp.Diff(plan.Cause{Reason: plan.ReasonUnobservable, Message: row.want}, r.Wait); diff != "" {
				t.Errorf("wait (-want +got):\n%s", diff)
			}
		})
	}
}

// The stop that package upgrade chose is carried out as chosen, and keeps the state as chosen.
func TestAStopAsChosen(t *testing.T) {
	rows := map[upgrade.Suspend]v1beta1.StopKind{
		upgrade.SuspendNone:      v1beta1.StopNone,
		upgrade.SuspendStateless: v1beta1.StopStateless,
		upgrade.SuspendSavepoint: v1beta1.StopSavepoint,
		upgrade.SuspendCancel:    v1beta1.StopCancel,
		upgrade.SuspendLastState: v1beta1.StopLastState,
	}
	for chosen, how := range rows {
		target := v1beta1.FlinkDeploymentSpec{Image: "flink:1.20.5"}
		got := StopOf(v1beta1.PurposeUpgrade, target,
			upgrade.Decision{Suspend: chosen, Restore: v1beta1.UpgradeModeLastState})
		want := &Stop{
			Purpose: v1beta1.PurposeUpgrade, Target: target, How: how, Restore: v1beta1.UpgradeModeLastState,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", chosen, diff)
		}
	}
}
