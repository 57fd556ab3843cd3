package failed

import (
	"reflect"
	"slices"

	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/operation"
	"github.com/kn-flink/kn-flink/pkg/engine/report"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// Kind is how a kind of resource decides after an effect failed. All of it is about the resource as the round left it.
type Kind struct {
	// Flink is what the round had seen of Flink.
	Flink world.Flink
	// Left is the resource with its spec accepted, made anew each time.
	Left func() Left
	// Anew decides anew with other answers of Flink, and without a FlinkStateSnapshot where why is not nil.
	Anew func(answers world.Flink, why *world.SnapshotsRefused) plan.Plan
	// Parts copies a status of the kind, and shows the parts of the copy.
	Parts func(status any) (copied any, parts Parts)
	// Own is what an answer leads to for this kind alone, and ends the pass; false: status says so, and a user has to
	// act.
	Own func(answer Answer) (plan.Plan, bool)
}

// Left is a resource as the round left it.
type Left struct {
	// Look is what a decision about it works on.
	Look *world.Look
	// Finish makes the plan of a result.
	Finish func(decision.Result) plan.Plan
	// Form brings the status of a plan into that of the kind.
	Form func(plan.Plan) plan.Plan
}

// decided is the plan of a decision.
func (l Left) decided(d decision.Decision) plan.Plan { return l.Finish(operation.Decided(l.Look, d)) }

// Follow is what follows an effect that failed, for a kind: the answers of AnswerTo, carried out.
func Follow(e Effect, k Kind) Outcome {
	again := func(p plan.Plan) Outcome { return Outcome{Plans: []plan.Plan{p}, Ends: true} }
	switch answer := AnswerTo(e); answer {
	case NextLook:
		return Outcome{}
	case Counted:
		left := k.Left()
		if r, counted := Again(left.Look, e.Action, e.Reason, e.Message); counted {
			return Outcome{Plans: []plan.Plan{left.Finish(r)}, Both: true}
		}
		return Outcome{}
	case NoSnapshots:
		why := e.snapshotsRefused()
		return Outcome{Plans: []plan.Plan{untold(k.Anew(k.Flink, &why), e.Plan)}, Both: true}
	case TooLargeStatus:
		return Outcome{Leaner: leaner(k, e), Plans: tooLarge(k, e.Plan.StatusIn(e.Action))}
	case NotInPlace:
		k.Flink.Requirements = plan.Absent[map[string]plan.Bounds]()
		return again(k.Anew(k.Flink, nil))
	case Answered:
		refusal := plan.Present(snapshots.Operation{State: snapshots.OperationFailed, Failure: e.Message})
		if _, savepoint := e.Action.(plan.TriggerSavepoint); savepoint {
			k.Flink.Requests.Savepoint = refusal
		} else {
			k.Flink.Requests.Checkpoint = refusal
		}
		return again(k.Anew(k.Flink, nil))
	case Disposal:
		return again(refusedDisposal(k.Left().Look, e.Action.(plan.DisposeSavepoint), e.Message))
	default:
		if p, own := k.Own(answer); own {
			return again(p)
		}
		left := k.Left()
		return Outcome{Plans: []plan.Plan{left.decided(report.EffectFailed(left.Look, e.Reason, e.Message))}}
	}
}

// refusedDisposal tells that Flink refused to dispose of a savepoint of the history. It stays there, and the next look
// asks again.
func refusedDisposal(v *world.Look, a plan.DisposeSavepoint, message string) plan.Plan {
	return plan.Plan{Situation: plan.Steady, Events: []plan.Event{world.HideEvent(v, plan.Event{
		Warning: true, Reason: plan.ReasonCleanupFailed, Component: plan.ComponentOperator, Once: true,
		Message: "the savepoint at " + a.Path + " is too old or too many and was not disposed of: " + message,
	})}}
}

// untold is a plan without the events that were told with the one before it.
func untold(p, before plan.Plan) plan.Plan {
	p.Events = slices.DeleteFunc(slices.Clone(p.Events), func(e plan.Event) bool {
		return slices.ContainsFunc(before.Events, func(told plan.Event) bool { return reflect.DeepEqual(e, told) })
	})
	return p
}
