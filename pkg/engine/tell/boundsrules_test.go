package tell

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/status"
)

// A result that has none of what was refused ends the count, wherever it has its actions.
func TestWhereARefusedActionIsLookedFor(t *testing.T) {
	refused, other := plan.CancelJob{JobID: "refused"}, plan.CancelJob{JobID: "other"}
	for name, row := range map[string]struct {
		r    decision.Result
		held bool
	}{
		"first":    {decision.Result{Actions: []plan.Action{refused}, Finish: []plan.Action{other}}, true},
		"later":    {decision.Result{Actions: []plan.Action{other}, Finish: []plan.Action{refused}}, true},
		"at last":  {decision.Result{Actions: []plan.Action{other}, Last: []plan.Action{refused}}, true},
		"nowhere":  {decision.Result{Actions: []plan.Action{other}}, false},
		"unlooked": {decision.Result{Situation: plan.Unobservable}, false},
	} {
		v := guesttest.NewLife(t, func(s *world.Seen) {
			s.Resource.Status.Refused = &v1beta1.Refused{Effect: refused.String(), Retry: v1beta1.Retry{
				Generation: 1, After: metav1.NewTime(guesttest.Noon.Add(time.Minute)),
			}}
		})
		if held := holdRefused(v, &row.r); held != row.held {
			t.Errorf("%s: held %t, want %t", name, held, row.held)
		}
		if kept := v.Want.Refused != nil; kept != (name != "nowhere") {
			t.Errorf("%s: the count is kept %t", name, kept)
		}
	}
}

// Options without effect are told once for each spec that is judged.
func TestOptionsWithoutEffectAreToldOnce(t *testing.T) {
	judged := func(kind string, generation int64) func(s *world.Seen) {
		return func(s *world.Seen) {
			s.Resource.Status.Conditions = []metav1.Condition{{Type: kind, ObservedGeneration: generation}}
		}
	}
	for name, row := range map[string]struct {
		then func(s *world.Seen)
		told bool
	}{
		"a new spec":                         {judged(summary.SpecAccepted, 0), true},
		"a resource that is new":             {func(*world.Seen) {}, true},
		"the same spec":                      {judged(summary.SpecAccepted, 1), false},
		"the same spec in another condition": {judged(summary.Ready, 1), true},
		"one that nobody can read":           {func(s *world.Seen) { s.SpecProblem = "no object" }, false},
		"one that is deleted": {func(s *world.Seen) {
			at := metav1.NewTime(guesttest.Noon)
			s.Resource.DeletionTimestamp = &at
		}, false},
		"one without such options": {func(s *world.Seen) { s.Resource.Spec.FlinkConfiguration = nil }, false},
	} {
		v := guesttest.NewLife(t, func(s *world.Seen) {
			s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(
				`{"kubernetes.operator.plugins.listeners.audit.class":"a.B"}`,
			)
			row.then(s)
		})
		before := len(v.Events)
		noEffect(v)
		if got := len(v.Events) > before; got != row.told {
			t.Errorf("%s: told %t, want %t", name, got, row.told)
		}
	}
}

// What waits for a person does not keep the clock fast; an invalid spec beside what goes on does not slow it.
func TestWhatKeepsTheClockFast(t *testing.T) {
	stalls := func(reason plan.Reason) *plan.Cause { return &plan.Cause{Reason: reason, Message: "no"} }
	for name, row := range map[string]struct {
		situation plan.Situation
		stall     *plan.Cause
		problem   string
		want      v1beta1.Pace
	}{
		"it is stopped":                          {plan.Stopping, nil, "", v1beta1.PaceFast},
		"it is steady":                           {plan.Steady, nil, "", v1beta1.PaceSlow},
		"it is stopped, and waits for a person":  {plan.Stopping, stalls("StopFailed"), "", v1beta1.PaceSlow},
		"it is stopped beside an invalid spec":   {plan.Stopping, nil, "no", v1beta1.PaceFast},
		"it is stopped, an invalid spec is told": {plan.Stopping, stalls("SpecInvalid"), "no", v1beta1.PaceFast},
		"both":                                   {plan.Stopping, stalls("StopFailed"), "no", v1beta1.PaceSlow},
	} {
		v := guesttest.NewLife(t, func(*world.Seen) {})
		v.Problem, v.ProblemReason = row.problem, "SpecInvalid"
		summarize(v, status.Verdict{Situation: row.situation, Stall: row.stall})
		if v.Want.Pace != row.want {
			t.Errorf("%s: %s, want %s", name, v.Want.Pace, row.want)
		}
	}
}
