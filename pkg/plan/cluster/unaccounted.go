package cluster

import (
	"fmt"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// Unaccounted stops at what stands in our place and status does not account for.
//
//	there is                                            never deployed     deployed
//	a Deployment that is not owned by this resource     Unaccounted        Unaccounted
//	a Deployment that is                                Unaccounted;       -
//	                                                    taken over if told
//	HA data with a checkpoint, stateful spec, no        Unaccounted        -
//	savepoint named, not told to ignore it
func Unaccounted(v Cluster) (job.Result, bool) {
	jm, present := v.Seen.JobManager.Get()
	switch {
	case v.Seen.JobManager.IsUnknown():
		return job.Unobservable("the JobManager Deployment", v.Seen.JobManager.Why()), true
	case present && !v.Owned(jm):
		return stands(v, "a Deployment that belongs to another owner"), true
	case present && v.Last == nil && v.Problem == "" && v.Seen.Resource.Annotations[v1beta1.AnnotationAdopt] == "true":
		return adopt(v), true
	case present && v.Last == nil:
		return stands(v, "a Deployment that an earlier resource of this name left"), true
	case v.Last != nil || v.Problem != "" || job.Stateless(&v.Spec) || !v.WantsRunning() || !v.HA().Store.Readable():
		return job.Result{}, false
	case v.Spec.Job.InitialSavepointPath != "" || v.Seen.Resource.Annotations[v1beta1.AnnotationIgnoreState] == "true":
		return job.Result{}, false
	}
	what, why, unknown := v.HA().Unknown()
	if unknown {
		return job.Unobservable(what, why), true
	}
	where := v.HA().Checkpoint()
	return stands(v, "high-availability data with a checkpoint ("+where+")"), where != ""
}

// stands reports what is in the way. Nothing is touched.
func stands(v Cluster, what string) job.Result {
	r := v.Seen.Resource
	return job.Result{Situation: plan.Unaccounted, Stall: &plan.Cause{Reason: plan.ReasonUnaccounted,
		Message: fmt.Sprintf(
			"there is %s under the name %s, which status does not account for, so nothing is changed; remove it, or run: "+
				"kubectl annotate flinkdeployment %s -n %s %s=true to take a running cluster over, or %s=true to give up "+
				"what an "+
				"earlier job left",
			what, r.Name, r.Name, r.Namespace, v1beta1.AnnotationAdopt, v1beta1.AnnotationIgnoreState)}}
}

// adopt takes over a cluster of this resource whose status was lost, as the user told us to: the spec counts as what it
// was started with. An application must run exactly one job, or it is not known which.
func adopt(v Cluster) job.Result {
	jobs, answered := v.Seen.Flink.Jobs.Get()
	if !answered {
		return job.Unobservable("the cluster to take over", v.Seen.Flink.Jobs.Why())
	}
	if v.Spec.Job != nil {
		if len(jobs) != 1 {
			return stands(v, fmt.Sprintf("a cluster with %d jobs instead of one", len(jobs)))
		}
		v.Want.JobStatus.JobID = jobs[0].ID
		v.Want.TaskManager = job.TaskManagerInfo(v.Life, v.Spec)
	}
	v.Want.Error = ""
	v.Deployed = v.Generation
	v.Want.ReconciliationStatus.State = v1beta1.ReconciliationDeployed
	v.Want.ReconciliationStatus.ReconciliationTimestamp = v.Seen.Now.UnixMilli()
	job.Record(v.Life).Store(v1beta1.ReconciledDeployment{Spec: *v.Spec.DeepCopy()}, false)
	Observe(v)
	r, _ := job.Settled(v.Life)
	return r
}
