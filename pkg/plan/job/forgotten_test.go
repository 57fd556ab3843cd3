package job

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
)

// A nonce resets the autoscaler, and so does turning it off: what it kept goes, and then the nonce is recorded. What
// nobody could look at may still be there, and an operation that is under way comes first.
func TestWhenTheAutoscalerForgets(t *testing.T) {
	const nothing, empties, records = "nothing", "empties the store", "records the nonce"
	some := plan.Present(autoscaled.Store{Data: map[string]string{"parallelismOverrides": vertex + ":8"}})
	nonce := func(s *Seen) { one := int64(1); s.Resource.Spec.Job.AutoscalerResetNonce = &one }
	rows := map[string]struct {
		store   plan.Observed[autoscaled.Store]
		then    func(s *Seen)
		problem string
		want    string
	}{
		"it is on":           {some, func(*Seen) {}, "", nothing},
		"it was turned off":  {some, func(s *Seen) { optioned(t, s, turnedOff, turnedOn) }, "", empties},
		"another nonce":      {some, nonce, "", empties},
		"another, none kept": {plan.Absent[autoscaled.Store](), nonce, "", records},
		"another, and none of what was kept is left": {plan.Present(autoscaled.Store{}), nonce, "", records},
		"another, and nobody could look":             {plan.Unknown[autoscaled.Store]("forbidden"), nonce, "", nothing},
		"another, and a problem":                     {plan.Absent[autoscaled.Store](), nonce, "it is invalid", nothing},
		"another, and an upgrade is under way": {plan.Absent[autoscaled.Store](), func(s *Seen) {
			nonce(s)
			s.Resource.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping}
		}, "", nothing},
		"another, and another image": {plan.Absent[autoscaled.Store](), func(s *Seen) {
			nonce(s)
			s.Resource.Spec.Image = "another"
		}, "", nothing},
		"another, and nobody can read the spec": {some, func(s *Seen) { nonce(s); s.SpecProblem = "no object" }, "", nothing},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := newLife(t, func(s *Seen) { autoscales(t, s); s.Autoscaled = row.store; row.then(s) })
			v.Problem = row.problem
			got := nothing
			switch r, mine := Forgotten(v); {
			case mine && len(r.Actions) == 1:
				got = empties
			case v.Last.Spec.Job.AutoscalerResetNonce != nil:
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
	nonce := func(s *Seen) { one := int64(1); s.Resource.Spec.Job.AutoscalerResetNonce = &one }
	image := func(s *Seen) { s.Resource.Spec.Image = "another" }
	off := func(s *Seen) { optioned(t, s, turnedOff, turnedOn+","+resized) }
	rows := map[string]struct {
		then  []func(s *Seen)
		store plan.Observed[autoscaled.Store]
		waits bool
	}{
		"nonce and image":       {[]func(s *Seen){nonce, image}, plan.Unknown[autoscaled.Store]("forbidden"), true},
		"nonce and suspension":  {[]func(s *Seen){nonce, suspends}, plan.Unknown[autoscaled.Store]("forbidden"), true},
		"turned off":            {[]func(s *Seen){off}, plan.Unknown[autoscaled.Store]("forbidden"), true},
		"nonce alone":           {[]func(s *Seen){nonce}, plan.Unknown[autoscaled.Store]("forbidden"), false},
		"image alone":           {[]func(s *Seen){image}, plan.Unknown[autoscaled.Store]("forbidden"), false},
		"nothing kept is known": {[]func(s *Seen){nonce, image}, plan.Absent[autoscaled.Store](), false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := newLife(t, func(s *Seen) {
				autoscales(t, s)
				s.Autoscaled = row.store
				for _, then := range row.then {
					then(s)
				}
			})
			if r, _ := Change(v); row.waits && r.Record != "" {
				t.Errorf("a change began: %s", r.Record)
			}
			pending := v.Pending != nil && v.Pending.Reason == plan.ReasonAutoscalerStoreUnreadable
			if pending != row.waits {
				t.Errorf("waits for the store: %t, want %t", pending, row.waits)
			}
		})
	}
}

func suspends(s *Seen) { s.Resource.Spec.Job.State = v1beta1.JobStateSuspended }
