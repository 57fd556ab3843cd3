package failed

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// What follows is the same for each kind of resource: with which answers it decides anew, and whether the pass ends.
func TestWhatFollowsAnEffectThatFailed(t *testing.T) {
	const refusal = "no such directory"
	told := plan.Event{Reason: "ToldBefore"}
	refused := func(o plan.Observed[snapshots.Operation]) bool {
		operation, _ := o.Get()
		return operation.State == snapshots.OperationFailed && operation.Failure == refusal
	}
	for name, row := range map[string]struct {
		effect Effect
		// anew says whether the kind decides anew with what the effect says.
		anew func(answers world.Flink, why *world.SnapshotsRefused) bool
		// plans are how many plans there are, leaner how many of a deletion.
		plans, leaner int
		ends, both    bool
	}{
		"a rescale in place that Flink refused": {
			Effect{Action: plan.Rescale{}, Kind: fail.Invalid},
			func(f world.Flink, _ *world.SnapshotsRefused) bool { return f.Requirements.IsAbsent() }, 1, 0, true, false,
		},
		"a savepoint that Flink refused": {
			Effect{Action: plan.TriggerSavepoint{}, Kind: fail.Invalid, Message: refusal},
			func(f world.Flink, _ *world.SnapshotsRefused) bool { return refused(f.Requests.Savepoint) }, 1, 0, true, false,
		},
		"a checkpoint that Flink refused": {
			Effect{Action: plan.TriggerCheckpoint{}, Kind: fail.Invalid, Message: refusal},
			func(f world.Flink, _ *world.SnapshotsRefused) bool { return refused(f.Requests.Checkpoint) }, 1, 0, true, false,
		},
		"a FlinkStateSnapshot that was denied": {
			Effect{Action: plan.CreateSnapshot{}, Kind: fail.Denied, Message: refusal},
			func(_ world.Flink, why *world.SnapshotsRefused) bool {
				return why != nil && why.Stays && why.Message == refusal
			}, 1, 0, false, true,
		},
		"a FlinkStateSnapshot, and the webhook is away": {
			Effect{Action: plan.DeleteSnapshot{}, Kind: fail.Transient},
			func(_ world.Flink, why *world.SnapshotsRefused) bool { return why != nil && !why.Stays }, 1, 0, false, true,
		},
		"a disposal that Flink refused": {
			Effect{Action: plan.DisposeSavepoint{Path: "s3"}, Kind: fail.Invalid}, nil, 1, 0, true, false,
		},
		"a status that is too large": {Effect{Kind: fail.Denied, Reason: fail.ReasonTooLarge}, nil, 2, 0, false, false},
		"a request that got no answer": {
			Effect{Action: plan.RemoveFinalizer{Finalizer: "f"}, Kind: fail.Transient}, nil, 1, 0, false, true,
		},
		"a conflict":                {Effect{Action: plan.Retire{}, Kind: fail.Conflict}, nil, 0, 0, false, false},
		"an Ingress":                {Effect{Action: plan.ApplyIngress{}, Kind: fail.Denied}, nil, 1, 0, true, false},
		"an object that is refused": {Effect{Action: plan.Retire{}, Kind: fail.Denied}, nil, 1, 0, false, false},
		"a start that is not rolled back": {
			Effect{Action: plan.PrepareStart{}, Kind: fail.Denied}, nil, 1, 0, false, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			look := guesttest.NewLife(t, func(*world.Seen) {})
			decidesAnew := false
			row.effect.Plan.Events = []plan.Event{told}
			outcome := Follow(row.effect, Kind{
				Left: func() Left {
					return Left{
						Look: look, Finish: func(decision.Result) plan.Plan { return plan.Plan{} },
						Form: func(p plan.Plan) plan.Plan { return p },
					}
				},
				Anew: func(answers world.Flink, why *world.SnapshotsRefused) plan.Plan {
					decidesAnew = row.anew != nil && row.anew(answers, why)
					return plan.Plan{Events: []plan.Event{told}}
				},
				Parts: partsOfStatus,
				Own:   func(answer Answer) (plan.Plan, bool) { return plan.Plan{}, answer == Ingress },
			})
			if decidesAnew != (row.anew != nil) {
				t.Errorf("decides anew with what was refused: %t, want %t", decidesAnew, row.anew != nil)
			}
			if len(outcome.Plans) != row.plans || len(outcome.Leaner) != row.leaner {
				t.Errorf("%d plans and %d leaner ones, want %d and %d",
					len(outcome.Plans), len(outcome.Leaner), row.plans, row.leaner)
			}
			if outcome.Ends != row.ends || outcome.Both != row.both {
				t.Errorf("ends %t, both %t, want %t and %t", outcome.Ends, outcome.Both, row.ends, row.both)
			}
			if row.both && row.anew != nil && len(outcome.Plans[0].Events) > 0 {
				t.Errorf("an event is told twice: %+v", outcome.Plans[0].Events)
			}
		})
	}
}
