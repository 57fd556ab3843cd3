package decide

import (
	"slices"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
)

// A nonce resets the autoscaler, and so does turning it off: what it kept goes, and then the nonce is recorded. What
// nobody could look at may still be there, and an operation that is under way comes first.
func TestWhenTheAutoscalerForgets(t *testing.T) {
	const nothing, empties, records = "nothing", "empties the store", "records the nonce"
	some := plan.Present(autoscaled.Store{Data: map[string]string{"parallelismOverrides": guesttest.Vertex + ":8"}})
	nonce := func(s *world.Seen) { one := int64(1); s.Resource.Spec.Job.AutoscalerResetNonce = &one }
	rows := map[string]struct {
		store   plan.Observed[autoscaled.Store]
		then    func(s *world.Seen)
		problem string
		want    string
	}{
		"it is on": {some, func(*world.Seen) {}, "", nothing},
		"it was turned off": {
			some,
			func(s *world.Seen) { guesttest.Optioned(t, s, guesttest.TurnedOff, guesttest.TurnedOn) },
			"",
			empties,
		},
		"another nonce":      {some, nonce, "", empties},
		"another, none kept": {plan.Absent[autoscaled.Store](), nonce, "", records},
		"another, and none of what was kept is left": {plan.Present(autoscaled.Store{}), nonce, "", records},
		"another, and nobody could look":             {plan.Unknown[autoscaled.Store]("forbidden"), nonce, "", nothing},
		"another, and a problem":                     {plan.Absent[autoscaled.Store](), nonce, "it is invalid", nothing},
		"another, and an upgrade is under way": {plan.Absent[autoscaled.Store](), func(s *world.Seen) {
			nonce(s)
			s.Resource.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping}
		}, "", nothing},
		"another, and another image": {plan.Absent[autoscaled.Store](), func(s *world.Seen) {
			nonce(s)
			s.Resource.Spec.Image = "another"
		}, "", nothing},
		"another, and nobody can read the spec": {
			some,
			func(s *world.Seen) { nonce(s); s.SpecProblem = "no object" },
			"",
			nothing,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(
				t,
				func(s *world.Seen) { guesttest.Autoscales(t, s); s.Autoscaled = row.store; row.then(s) },
			)
			v.Problem = row.problem
			got := nothing
			switch d := Forgotten(v); {
			case !d.Passes && len(d.Result.Actions) == 1:
				got = empties
			case slices.Contains(d.Marks, decision.Reset):
				got = records
			}
			if got != row.want {
				t.Errorf("it %s, want: %s", got, row.want)
			}
		})
	}
}

// A change that gives up what the autoscaler keeps waits while nobody can look at that: the change would be recorded,
// nothing would ask to forget any more, and what is kept would come back.
func TestAChangeThatForgetsWaitsForTheStore(t *testing.T) {
	nonce := func(s *world.Seen) { one := int64(1); s.Resource.Spec.Job.AutoscalerResetNonce = &one }
	image := func(s *world.Seen) { s.Resource.Spec.Image = "another" }
	off := func(s *world.Seen) {
		guesttest.Optioned(t, s, guesttest.TurnedOff, guesttest.TurnedOn+","+guesttest.Resized)
	}
	rows := map[string]struct {
		then  []func(s *world.Seen)
		store plan.Observed[autoscaled.Store]
		waits bool
	}{
		"nonce and image": {[]func(s *world.Seen){nonce, image}, plan.Unknown[autoscaled.Store]("forbidden"), true},
		"nonce and suspension": {
			[]func(s *world.Seen){nonce, suspends},
			plan.Unknown[autoscaled.Store]("forbidden"),
			true,
		},
		"turned off":            {[]func(s *world.Seen){off}, plan.Unknown[autoscaled.Store]("forbidden"), true},
		"nonce alone":           {[]func(s *world.Seen){nonce}, plan.Unknown[autoscaled.Store]("forbidden"), false},
		"image alone":           {[]func(s *world.Seen){image}, plan.Unknown[autoscaled.Store]("forbidden"), false},
		"nothing kept is known": {[]func(s *world.Seen){nonce, image}, plan.Absent[autoscaled.Store](), false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				guesttest.Autoscales(t, s)
				s.Autoscaled = row.store
				for _, then := range row.then {
					then(s)
				}
			})
			d := Change(v)
			if row.waits && d.Stop != nil {
				t.Errorf("a change begins: %s", d)
			}
			pending := d.Found.Pending != nil && d.Found.Pending.Reason == plan.ReasonAutoscalerStoreUnreadable
			if pending != row.waits {
				t.Errorf("waits for the store: %t, want %t", pending, row.waits)
			}
		})
	}
}

func suspends(s *world.Seen) { s.Resource.Spec.Job.State = v1beta1.JobStateSuspended }
