package deployment

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/engine/ask"
	"github.com/kn-flink/kn-flink/pkg/engine/decide"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/observe"
	"github.com/kn-flink/kn-flink/pkg/engine/operation"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/engine/tell"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/claim"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/upkeep"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// rule gives a job.Result, or that the view is not its business.
type rule func(v *view) decision.Decision

// rules in their order; the first whose business it is decides.
//
//	canary       a resource of somebody's test, not to be touched
//	deleting     the resource is marked for deletion
//	copied       the status was written for another resource
//	foreign      the stored intent is another resource's
//	inFlight     (brings the snapshots that status records up to what Flink says of them, decides nothing)
//	carryOn      an intent is open: Stopping, Starting or Released
//	unreadable   the stored status cannot be read
//	takenOver    another operator was at work (brings the status up to it, decides nothing)
//	unaccounted  a Deployment or high-availability data nobody accounts for
//	first        nothing was deployed yet
//	observed     (brings the status up to what was seen, decides nothing)
//	misread      an option that decides what to do cannot be read
//	after        a JobManager whose job has ended
//	rolledForward (records that the spec is what runs since a rollback, decides nothing)
//	forgotten    the autoscaler is turned off or reset, and what it kept is still there
//	scaled       the spec asks for another number of TaskManagers alone, and the job can go on
//	rescaled     the spec asks for another parallelism of vertices alone, and the job can take it in place
//	change       the spec asks for another cluster, a suspension or a resumption
//	rollBack     what was deployed does not become stable
//	taskManagers the TaskManagers of a standalone cluster are gone, or another number than asked for
//	heal         the job runs and does not get on
//	recover      the cluster or its job is gone and should run
//	autoscaled   the autoscaler has decided on another parallelism of vertices
//	settled      everything else: broken, waiting, suspended, ended, steady
var rules = []struct {
	name   string
	decide rule
}{
	{"canary", of(decide.Canary)}, {"deleting", ofView(deleting)}, {"copied", of(decide.Copied)},
	{"foreign", step(operation.Foreign)}, {"inFlight", step(observe.InFlight)}, {"carryOn", step(operation.CarryOn)},
	{"unreadable", of(decide.Unreadable)}, {"takenOver", ofView(takenOver)},
	{"unaccounted", ofCluster(claim.Unaccounted)}, {"first", of(decide.First)}, {"observed", ofView(observed)},
	{"misread", of(decide.Misread)}, {"after", ofCluster(upkeep.After)},
	{"rolledForward", of(decide.RolledForward)}, {"forgotten", of(decide.Forgotten)},
	{"scaled", ofCluster(upkeep.Scaled)}, {"rescaled", of(decide.Rescaled)},
	{"change", of(decide.Change)}, {"rollBack", of(decide.RollBack)}, {"taskManagers", ofCluster(upkeep.TaskManagers)},
	{"heal", of(decide.Heal)}, {"recover", of(decide.RecoverLost)}, {"autoscaled", of(decide.Autoscale)},
	{"settled", of(decide.Settled)},
}

// of is a rule that concerns the job alone.
func of(decide func(*world.Look) decision.Decision) rule {
	return func(v *view) decision.Decision { return decide(v.Look) }
}

// step is a rule that goes on with what is open, or notes what was seen.
func step(carry func(*world.Look) (decision.Result, bool)) rule {
	return func(v *view) decision.Decision { return decision.Of(carry(v.Look)) }
}

// ofView is a rule that concerns the kind.
func ofView(decide func(*view) (decision.Result, bool)) rule {
	return func(v *view) decision.Decision { return decision.Of(decide(v)) }
}

// ofCluster is a rule that concerns the cluster.
func ofCluster(decide func(*cluster.Cluster) (decision.Result, bool)) rule {
	return func(v *view) decision.Decision { return decision.Of(decide(v.Cluster)) }
}

// Make decides what to do for one FlinkDeployment, of which all was seen.
func Make(s cluster.Snapshot) plan.Plan { return Open(s).Plan() }

// decide goes through the rules.
func (v *view) decide() plan.Plan {
	if own, read := ask.OwnTimeout(v.Look); read { // it precedes every decision
		record.CheckpointTimeout(v.Look, own)
	}
	for _, r := range rules {
		d := r.decide(v)
		result := operation.Decided(v.Look, d)
		if !d.Passes {
			v.judgeIngress()
			p := v.finish(result)
			p.Rule = r.name
			return p
		}
	}
	return v.finish(decision.Result{Situation: plan.Unobservable})
}

// finish adds the summary to what a rule decided.
func (v *view) finish(r decision.Result) plan.Plan {
	if fixesIngress(v, r) {
		r.Last = append(r.Last, v.ingressAction)
	}
	var more []metav1.Condition
	if v.ingress != nil {
		more = append(more, *v.ingress)
	}
	return tell.Plan(v.Look, r, more...)
}
