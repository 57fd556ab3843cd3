package decide

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/execute"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
)

// A job is measured while it is what was deployed, and does all of its work.
func TestWhichJobIsMeasured(t *testing.T) {
	rows := map[string]struct {
		then func(s *world.Seen)
		want bool
	}{
		"one that runs": {func(*world.Seen) {}, true},
		"one without autoscaler": {
			func(s *world.Seen) { guesttest.Optioned(t, s, guesttest.TurnedOff, guesttest.TurnedOn) },
			false,
		},
		"one that is not listed":   {func(s *world.Seen) { s.Flink.Jobs = plan.Present([]world.Job{}) }, false},
		"one whose tasks begin":    {func(s *world.Seen) { tasks(s, 1) }, false},
		"one that was rolled back": {func(s *world.Seen) { recordedState(s, v1beta1.ReconciliationRolledBack) }, false},
		"one that is being upgraded": {func(s *world.Seen) {
			s.Resource.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping}
		}, false},
		"one that was suspended": {func(s *world.Seen) {
			s.Resource.Spec.Job.State = v1beta1.JobStateSuspended
			guesttest.Optioned(t, s, guesttest.TurnedOn, guesttest.TurnedOn)
		}, false},
		"one whose spec nobody can read": {func(s *world.Seen) { s.SpecProblem = "no object" }, false},
		"one whose store nobody can read": {func(s *world.Seen) {
			s.Autoscaled = plan.Unknown[autoscaled.Store]("forbidden")
		}, false},
		"one whose store is broken": {func(s *world.Seen) {
			s.Autoscaled = plan.Present(autoscaled.Store{Data: map[string]string{"parallelismOverrides": "x"}})
		}, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if _, got := Sampling(
				guesttest.NewLife(t, func(s *world.Seen) { guesttest.Autoscales(t, s); row.then(s) }),
			); got != row.want {
				t.Errorf("%t, want %t", got, row.want)
			}
		})
	}
}

// tasks has so many of the two tasks run.
func tasks(s *world.Seen, running int) {
	s.Flink.Jobs = plan.Present([]world.Job{{ID: "a", State: v1beta1.FlinkJobRunning, Tasks: 2, Running: running}})
}

func recordedState(s *world.Seen, state v1beta1.ReconciliationState) {
	s.Resource.Status.ReconciliationStatus.State = state
}

// An error of the autoscaler is in the condition, and no event; what else it says is told as it is.
func TestWhichEventsOfTheAutoscalerAreTold(t *testing.T) {
	decided := autoscaler.Result{Time: guesttest.Noon, Events: []model.Event{
		{Type: model.EventWarning, Reason: model.ReasonError, Key: "e"},
		{Type: model.EventWarning, Reason: model.ReasonIneffective, Key: "i"},
		{Type: model.EventNormal, Reason: model.ReasonScalingReport, Key: "r"},
	}}
	for scaled, keys := range map[bool][]string{
		false: {"i " + guesttest.Noon.Format(time.RFC3339), "r " + guesttest.Noon.Format(time.RFC3339)}, true: {"i", "r"},
	} {
		if decided.Decision = (execute.Decision{}); scaled {
			decided.Decision.Outcome = execute.OutcomeScaled
		}
		events := autoscalerEvents(decided)
		if len(events) != 2 || events[0].Key != keys[0] || events[1].Key != keys[1] || !events[0].Warning ||
			events[1].Warning || events[0].Once == scaled {
			t.Errorf("scaled %t: told %+v, want %q", scaled, events, keys)
		}
	}
}
