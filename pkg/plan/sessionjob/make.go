package sessionjob

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// rule gives a job.Result, or that the view is not its business.
type rule func(v view) (job.Result, bool)

// rules in their order; the first whose business it is decides.
//
//	canary       a resource of somebody's test, not to be touched
//	copied       the status was written for another resource
//	deleting     the resource is marked for deletion
//	foreign      the stored intent is another resource's
//	cameBack     a former job runs again
//	inFlight     (brings the snapshots that status records up to what Flink says of them, decides nothing)
//	carryOn      an intent is open: Stopping, Starting or Released
//	unreadable   the stored status cannot be read
//	takenOver    another operator was at work (brings the status up to it, decides nothing)
//	first        nothing was deployed yet
//	after        the job had ended, and runs again
//	observed     (brings the status up to what was seen, decides nothing)
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
	{"canary", of(job.Canary)}, {"copied", copied}, {"deleting", deleting}, {"foreign", of(job.Foreign)},
	{"cameBack", cameBack}, {"inFlight", of(job.InFlight)}, {"carryOn", of(job.CarryOn)},
	{"unreadable", of(job.Unreadable)}, {"takenOver", takenOver}, {"first", first}, {"after", after},
	{"observed", observed}, {"hosted", hosted}, {"rolledForward", of(job.RolledForward)},
	{"forgotten", of(job.Forgotten)}, {"rescaled", of(job.Rescaled)}, {"change", of(job.Change)},
	{"rollBack", of(job.RollBack)}, {"lost", lost}, {"autoscaled", of(job.Autoscale)},
	{"settled", of(job.Settled)},
}

// of is a rule that concerns the job alone.
func of(decide func(job.Life) (job.Result, bool)) rule {
	return func(v view) (job.Result, bool) { return decide(v.Life) }
}

// Make decides what to do for one FlinkSessionJob. It is total: it never fails and never panics on any snapshot.
func Make(s Snapshot) plan.Plan {
	v := newView(s)
	accept(v)
	for _, r := range rules {
		if result, mine := r.decide(v); mine {
			remembersFormer(v)
			signs(v)
			p := finish(v, result)
			p.Rule = r.name
			return p
		}
	}
	return finish(v, job.Result{Situation: plan.Unobservable})
}

// finish adds the summary to what a rule decided, and leaves the form of a FlinkDeployment.
func finish(v view, r job.Result) plan.Plan {
	v.Want.JobManagerDeploymentStatus = v.jobManager()
	p := job.Conclusion(v.Life).Plan(r)
	for i := range p.Events {
		if p.Events[i].Component == plan.ComponentJobManager {
			p.Events[i].Component = plan.ComponentJob
		}
	}
	return leaveForm(v, p)
}

// leaveForm puts the session job's own status in the place of each form. The same form stays one status.
func leaveForm(v view, p plan.Plan) plan.Plan {
	left := map[*v1beta1.FlinkDeploymentStatus]*v1beta1.FlinkSessionJobStatus{}
	leave := func(status any) any {
		next, is := status.(*v1beta1.FlinkDeploymentStatus)
		if !is {
			return status
		}
		if left[next] == nil {
			left[next] = statusOf(v.seen.Resource, &v.Resource().Status, next)
		}
		return left[next]
	}
	p.Status = leave(p.Status)
	for i, action := range p.Actions {
		if record, is := action.(plan.Record); is {
			record.Status = leave(record.Status)
			p.Actions[i] = record
		}
	}
	return p
}

// first decides for a resource that was never deployed. One that is valid and is to run waits for its session cluster.
func first(v view) (job.Result, bool) {
	why, ready := v.clusterReady()
	if v.Last == nil && v.Problem == "" && v.WantsRunning() && !ready {
		v.Want.Error = ""
		return job.Result{Situation: plan.Waiting, Wait: why}, true
	}
	return job.First(v.Life)
}

// observed brings the status of a job that was deployed up to what Flink says, for the rules that follow.
func observed(v view) (job.Result, bool) {
	if v.Last != nil {
		v.Want.JobManagerDeploymentStatus = v.jobManager()
		job.ObserveJob(v.Life)
	}
	return job.Result{}, false
}
