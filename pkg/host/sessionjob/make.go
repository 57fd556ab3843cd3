package sessionjob

import (
	"slices"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/ask"
	"github.com/kn-flink/kn-flink/pkg/engine/decide"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/observe"
	"github.com/kn-flink/kn-flink/pkg/engine/operation"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/engine/report"
	"github.com/kn-flink/kn-flink/pkg/engine/tell"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/host/session/cancel"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// accept decides which spec counts. What validation knows of the cluster it learns when that is there, and the spec
// names it.
func accept(v *session.Job) {
	r := v.Seen.Resource
	in := validation.SessionJobInput{
		Namespace: r.Namespace, Labels: r.Labels, Spec: r.Spec, Status: r.Status, Operator: v.Seen.Operator,
		Last: v.Recorded.Last,
	}
	if d, ok := v.Seen.Cluster.Get(); ok && r.Spec.DeploymentName == session.ClusterOf(r) {
		in.Cluster = d
	}
	v.Look.Accept(validation.SessionJob(in))
}

// hosted waits while the session cluster takes no job, and none can be asked for. A job that is suspended, and is to
// stay so, waits for nothing.
func hosted(v *session.Job) decision.Decision {
	why, ready := v.ClusterReady()
	rests := !v.Look.LastRunning() && !v.Look.WantsRunning()
	if ready || rests {
		return decision.Pass()
	}
	d := decision.Settle(v.AwaitsCluster(plan.Waiting, why))
	if v.Look.Problem != "" {
		d.Shown = report.Rejection(v.Look)
	}
	return d
}

// mostFormer is how many former jobs status keeps. Each of them had ended before the next was started.
const mostFormer = 3

// remembersFormer keeps the ID of the job that another one takes the place of.
func remembersFormer(v *session.Job) {
	before, now := v.Seen.Resource.Status.JobStatus.JobID, v.Look.Want.JobStatus.JobID
	if before == "" || before == now {
		return
	}
	former := slices.DeleteFunc(
		slices.Clone(v.Look.Want.FormerJobs),
		func(id string) bool { return id == before || id == now },
	)
	former = append([]string{before}, former...)
	v.Look.Want.FormerJobs = former[:min(len(former), mostFormer)]
}

// rule gives a job.Result, or that the view is not its business.
type rule func(v *session.Job) decision.Decision

// rules in their order; the first whose business it is decides.
//
//	canary       a resource of somebody's test, not to be touched
//	copied       the status was written for another resource
//	deleting     the resource is marked for deletion
//	foreign      the stored intent is another resource's
//	cameBack     a former job runs again
//	inFlight     (brings the snapshots that status records up to what Flink says of them, decides nothing)
//	unnamed      a job of its name runs that no session job names
//	carryOn      an intent is open: Stopping, Starting or Released
//	unreadable   the stored status cannot be read
//	takenOver    another operator was at work (brings the status up to it, decides nothing)
//	first        nothing was deployed yet
//	after        the job had ended, and runs again
//	observed     (brings the status up to what was seen, decides nothing)
//	misread      an option that decides what to do cannot be read
//	hosted       the session cluster takes no job now
//	rolledForward (records that the spec is what runs since a rollback, decides nothing)
//	forgotten    the autoscaler is turned off or reset, and what it kept is still there
//	rescaled     the spec asks for another parallelism of vertices alone, and the job can take it in place
//	change       the spec asks for another job, a suspension or a resumption
//	rollBack     what was deployed does not become stable
//	lost         the job is gone and should run
//	autoscaled   the autoscaler has decided on another parallelism of vertices
//	settled      everything else: waiting, suspended, ended, steady
var rules = []struct {
	name   string
	decide rule
}{
	{"canary", of(decide.Canary)}, {"copied", copied}, {"deleting", ofView(cancel.Deleting)},
	{"foreign", step(operation.Foreign)}, {"cameBack", ofView(cancel.CameBack)}, {"inFlight", step(observe.InFlight)},
	{"unnamed", ofView(unnamed)}, {"carryOn", step(operation.CarryOn)}, {"unreadable", of(decide.Unreadable)},
	{"takenOver", ofView(takenOver)}, {"first", first}, {"after", ofView(cancel.After)}, {"observed", ofView(observed)},
	{"misread", of(decide.Misread)}, {"hosted", hosted}, {"rolledForward", of(decide.RolledForward)},
	{"forgotten", of(decide.Forgotten)}, {"rescaled", of(decide.Rescaled)}, {"change", of(decide.Change)},
	{"rollBack", of(decide.RollBack)}, {"lost", lost}, {"autoscaled", of(decide.Autoscale)},
	{"settled", of(decide.Settled)},
}

// of is a rule that concerns the job alone.
func of(decide func(*world.Look) decision.Decision) rule {
	return func(v *session.Job) decision.Decision { return decide(v.Look) }
}

// step is a rule that goes on with what is open, or notes what was seen.
func step(carry func(*world.Look) (decision.Result, bool)) rule {
	return func(v *session.Job) decision.Decision { return decision.Of(carry(v.Look)) }
}

// ofView is a rule that concerns the kind.
func ofView(decide func(*session.Job) (decision.Result, bool)) rule {
	return func(v *session.Job) decision.Decision { return decision.Of(decide(v)) }
}

// Make decides what to do for one FlinkSessionJob, of which all was seen.
func Make(s session.Snapshot) plan.Plan { return Open(s).Plan() }

// decided goes through the rules.
func decided(v *session.Job) plan.Plan {
	if own, read := ask.OwnTimeout(v.Look); read { // it precedes every decision
		record.CheckpointTimeout(v.Look, own)
	}
	for _, r := range rules {
		d := r.decide(v)
		result := operation.Decided(v.Look, d)
		if !d.Passes {
			remembersFormer(v)
			signs(v)
			p := finish(v, result)
			p.Rule = r.name
			return p
		}
	}
	return finish(v, decision.Result{Situation: plan.Unobservable})
}

// finish adds the summary to what a rule decided, and leaves the form of a FlinkDeployment.
func finish(v *session.Job, r decision.Result) plan.Plan {
	v.Look.Want.JobManagerDeploymentStatus = v.JobManager()
	p := tell.Plan(v.Look, r)
	for i := range p.Events {
		if p.Events[i].Component == plan.ComponentJobManager {
			p.Events[i].Component = plan.ComponentJob
		}
	}
	return leaveForm(v, p)
}

// leaveForm puts the session job's own status in the place of each form. The same form stays one status.
func leaveForm(v *session.Job, p plan.Plan) plan.Plan {
	left := map[*v1beta1.FlinkDeploymentStatus]*v1beta1.FlinkSessionJobStatus{}
	leave := func(status any) any {
		next, is := status.(*v1beta1.FlinkDeploymentStatus)
		if !is {
			return status
		}
		if left[next] == nil {
			left[next] = session.StatusOf(v.Seen.Resource, &v.Look.Resource().Status, next)
		}
		return left[next]
	}
	p.Status = leave(p.Status)
	if h := p.History; h != nil && h.Keep != nil && h.Keep.Spec != nil {
		h.Keep.Spec["deploymentName"] = session.ClusterOf(v.Seen.Resource)
	}
	for i, action := range p.Actions {
		if record, is := action.(plan.Record); is {
			record.Status = leave(record.Status)
			p.Actions[i] = record
		}
	}
	return p
}

// first decides for a resource that was never deployed. One that is valid and is to run waits for its session cluster.
func first(v *session.Job) decision.Decision {
	why, ready := v.ClusterReady()
	if v.Look.Last == nil && v.Look.Problem == "" && v.Look.WantsRunning() && !ready {
		return decision.Settle(v.AwaitsCluster(plan.Waiting, why), decision.ErrorCleared)
	}
	return decide.First(v.Look)
}

// observed brings the status of a job that was deployed up to what Flink says, for the rules that follow.
func observed(v *session.Job) (decision.Result, bool) {
	if v.Look.Last != nil {
		v.Look.Want.JobManagerDeploymentStatus = v.JobManager()
		observe.Job(v.Look)
	}
	return decision.Result{}, false
}
