package deployment

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// rule gives a job.Result, or that the view is not its business.
type rule func(v *view) (job.Result, bool)

// rules in their order; the first whose business it is decides.
//
//	canary       a resource of somebody's test, not to be touched
//	deleting     the resource is marked for deletion
//	foreign      the stored intent is another resource's
//	inFlight     (brings the snapshots that status records up to what Flink says of them, decides nothing)
//	carryOn      an intent is open: Stopping, Starting or Released
//	unreadable   the stored status cannot be read
//	takenOver    another operator was at work (brings the status up to it, decides nothing)
//	unaccounted  a Deployment or high-availability data nobody accounts for
//	first        nothing was deployed yet
//	observed     (brings the status up to what was seen, decides nothing)
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
	{"canary", of(job.Canary)}, {"deleting", deleting}, {"foreign", of(job.Foreign)}, {"inFlight", of(job.InFlight)},
	{"carryOn", of(job.CarryOn)}, {"unreadable", of(job.Unreadable)}, {"takenOver", takenOver},
	{"unaccounted", ofCluster(cluster.Unaccounted)}, {"first", of(job.First)}, {"observed", observed},
	{"after", ofCluster(cluster.After)},
	{"rolledForward", of(job.RolledForward)}, {"forgotten", of(job.Forgotten)},
	{"scaled", ofCluster(cluster.Scaled)},
	{"rescaled", of(job.Rescaled)},
	{"change", of(job.Change)}, {"rollBack", of(job.RollBack)}, {"taskManagers", ofCluster(cluster.TaskManagers)},
	{"heal", of(job.Heal)}, {"recover", of(job.RecoverLost)}, {"autoscaled", of(job.Autoscale)},
	{"settled", of(job.Settled)},
}

// of is a rule that concerns the job alone.
func of(decide func(job.Life) (job.Result, bool)) rule {
	return func(v *view) (job.Result, bool) { return decide(v.Life) }
}

// ofCluster is a rule that concerns the cluster.
func ofCluster(decide func(cluster.Cluster) (job.Result, bool)) rule {
	return func(v *view) (job.Result, bool) { return decide(v.Cluster) }
}

// Make decides what to do for one FlinkDeployment. It is total: it never fails and never panics on any snapshot.
func Make(s Snapshot) plan.Plan {
	v := newView(s)
	v.accept()
	for _, r := range rules {
		if result, mine := r.decide(v); mine {
			v.judgeIngress()
			p := v.finish(result)
			p.Rule = r.name
			return p
		}
	}
	return v.finish(job.Result{Situation: plan.Unobservable})
}

// finish adds the summary to what a rule decided.
func (v *view) finish(r job.Result) plan.Plan {
	if v.fixesIngress(r) {
		r.Last = append(r.Last, v.ingressAction)
	}
	var more []metav1.Condition
	if v.ingress != nil {
		more = append(more, *v.ingress)
	}
	return job.Conclusion(v.Life).Plan(r, more...)
}
