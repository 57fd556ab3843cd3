package operation

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// Decided writes what a decision says of the status, and carries it out unless other rules decide.
func Decided(v *world.Look, d decision.Decision) decision.Result {
	record.Decided(v, d)
	if d.Passes {
		return decision.Result{}
	}
	return carry(v, d)
}

// carry carries a decision out: it begins the operation that the decision asks for.
func carry(v *world.Look, d decision.Decision) decision.Result {
	r, told := d.Result, len(v.Events)
	switch {
	case d.Stop != nil:
		r = Replace(v, *d.Stop)
	case d.Start != nil && d.Start.From != nil:
		r = BeginStart(v, d.Start.Purpose, d.Start.Target, *d.Start.From)
	case d.Start != nil:
		r = BeginStartFrom(v, d.Start.Purpose, d.Start.Target, d.Start.Restore)
	case d.Snapshots:
		return withSnapshots(v, r)
	default:
		return r
	}
	if r.Record != "" || r.Situation == plan.Suspended {
		record.Begun(v, d, told)
	}
	return r
}

// withSnapshots adds the snapshots of a steady job to what else is decided. One that was refused, so that a user has to
// act, comes before a change that waits, and after one that is refused itself.
func withSnapshots(v *world.Look, r decision.Result) decision.Result {
	taken := TakeSnapshots(v)
	r.Actions = append(taken.Actions, r.Actions...)
	if r.Record == "" {
		r.Record = taken.Record
	}
	if taken.Stall != nil && v.Found.Refused == nil {
		r.Situation, r.Wait, r.Stall = plan.Steady, plan.Cause{}, taken.Stall
	}
	return r
}

// CarryOn takes an open intent one step further.
func CarryOn(v *world.Look) (decision.Result, bool) {
	intent := v.Intent()
	if intent == nil {
		return decision.Result{}, false
	}
	standing, why := v.Host.Standing()
	switch standing {
	case world.StandingUnknown:
		return decision.Unobservable(v.Host.What(), why), true
	case world.Gone, world.Going:
		v.Want.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	}
	if intent.Step == v1beta1.StepStopping {
		v.Stopper.Watch()
	}
	if facts.RedeploysInstead(v, standing) {
		d := upgrade.Decide(facts.ForUpgrade(v, v1beta1.PurposeRedeploy))
		return Replace(v, *decision.StopOf(v1beta1.PurposeRedeploy, v.Spec, d)), true
	}
	switch intent.Step {
	case v1beta1.StepStopping:
		return v.Stopper.CarryStop(), true
	case v1beta1.StepStarting:
		return v.Starter.CarryStart(), true
	case v1beta1.StepReleased:
		return v.Starter.CarryRelease()
	}
	return decision.Result{
		Situation: plan.NotOurs,
		Stall: &plan.Cause{
			Reason: plan.ReasonUnknownIntent, Message: fmt.Sprintf("status.intent has the unknown step %q", intent.Step),
		},
	}, true
}
