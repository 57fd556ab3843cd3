package claim

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decide"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/engine/operation"
	"github.com/kn-flink/kn-flink/pkg/engine/record"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Unaccounted stops at what stands in our place and status does not account for.
//
//	there is                                            never deployed     deployed
//	a Deployment that is not owned by this resource     Unaccounted        Unaccounted
//	a Deployment that is                                Unaccounted;       -
//	                                                    taken over if told
//	a Deployment that is, asks for pods, and is not     as above           Unaccounted;
//	the one of status.deployed: status is an old one                       taken over if told
//	HA data with a checkpoint, stateful spec, no        Unaccounted        -
//	savepoint named, not told to ignore it
func Unaccounted(v *cluster.Cluster) (decision.Result, bool) {
	jm, present := v.Seen.JobManager.Get()
	switch {
	case v.Seen.JobManager.IsUnknown():
		return decision.Unobservable("the JobManager Deployment", v.Seen.JobManager.Why()), true
	case present && !v.Owned(jm):
		return Stands(v, "a Deployment that belongs to another owner"), true
	case present && (v.Look.Last == nil || cluster.NotNamed(v, jm)) && cluster.Adopts(v):
		return adopt(v), true
	case present && v.Look.Last == nil:
		return Stands(v, "a Deployment that an earlier resource of this name left"), true
	case present && cluster.NotNamed(v, jm):
		return Stands(
			v,
			fmt.Sprintf("a Deployment that runs with UID %s, while status speaks of the one with UID %s and "+
				"may be an old one that was put back", jm.UID, v.Look.Want.Deployed.DeploymentUID),
		), true
	case v.Look.Last != nil || v.Look.Problem != "" || world.Stateless(&v.Look.Spec) || !v.Look.WantsRunning(),
		!v.HA().Store.Readable():
		return decision.Result{}, false
	case v.Look.Spec.Job.InitialSavepointPath != "",
		v.Seen.Resource.Annotations[v1beta1.AnnotationIgnoreState] == "true":
		return decision.Result{}, false
	}
	what, why, unknown := v.HA().Unknown()
	if unknown {
		r := decision.Unobservable(what, why)
		if v.Look.Since(v.Seen.Resource.CreationTimestamp) > blindFor {
			r.Stall = unseenState(v, what, why)
		}
		return r, true
	}
	where := v.HA().Checkpoint()
	return Stands(v, "high-availability data with a checkpoint ("+where+")"), where != ""
}

// blindFor is how long a first start waits for a look at high-availability data before a person is called.
const blindFor = time.Minute

// unseenState says what a person can do for a first start that may leave out the state of an earlier job.
func unseenState(v *cluster.Cluster, what, why string) *plan.Cause {
	r := v.Seen.Resource
	return &plan.Cause{Reason: plan.ReasonHighAvailabilityUnknown, Message: fmt.Sprintf(
		"%s cannot be read, so it is not known whether an earlier job left a checkpoint there: %s. Let the functions "+
			"reach it, or start without a look at it: kubectl annotate flinkdeployment %s -n %s %s=true",
		what, why, r.Name, r.Namespace, v1beta1.AnnotationIgnoreState)}
}

// NotOfIntent stops at a Deployment that the open operation does not account for: status may be an old one that was put
// back. It is taken over where the user has said so, and the operation is dropped.
func NotOfIntent(v *cluster.Cluster, jm *appsv1.Deployment, what string) decision.Result {
	if v.Owned(jm) && cluster.Adopts(v) {
		r := adopt(v)
		if r.Situation != plan.Unobservable && r.Situation != plan.Unaccounted {
			v.Look.Want.Intent = nil
		}
		return r
	}
	return Stands(v, what)
}

// Stands reports what is in the way. Nothing is touched.
func Stands(v *cluster.Cluster, what string) decision.Result {
	r := v.Seen.Resource
	return decision.Result{Situation: plan.Unaccounted, Stall: &plan.Cause{Reason: plan.ReasonUnaccounted,
		Message: fmt.Sprintf(
			"there is %s under the name %s, which status does not account for, so nothing is changed; remove it, or run: "+
				"kubectl annotate flinkdeployment %s -n %s %s=true to take a running cluster over, or %s=true to give up "+
				"what an "+
				"earlier job left",
			what,
			r.Name,
			r.Name,
			r.Namespace,
			v1beta1.AnnotationAdopt,
			v1beta1.AnnotationIgnoreState,
		)}}
}

// adopt takes over a cluster of this resource whose status was lost, as the user told us to: the spec counts as what it
// was started with. An application must run exactly one job, or it is not known which.
func adopt(v *cluster.Cluster) decision.Result {
	jobs, answered := v.Seen.Flink.Jobs.Get()
	if !answered {
		return decision.Unobservable("the cluster to take over", v.Seen.Flink.Jobs.Why())
	}
	if v.Look.Spec.Job != nil && len(jobs) != 1 {
		return Stands(v, fmt.Sprintf("a cluster with %d jobs instead of one", len(jobs)))
	}
	v.Look.Want.JobStatus, v.Look.Want.Retry = v1beta1.JobStatus{}, nil
	v.Look.Want.LostProgress, v.Look.Want.GivenUpStop = nil, nil
	if v.Look.Spec.Job != nil {
		v.Look.Want.JobStatus.JobID = jobs[0].ID
		v.Look.Want.TaskManager = world.TaskManagerInfo(v.Look, v.Look.Spec)
	}
	v.Look.Want.Error = ""
	v.Look.Deployed = v.Look.Generation
	jm, _ := v.Seen.JobManager.Get()
	v.Look.Want.WrittenFor = v.Seen.Resource.UID
	v.Look.Want.Deployed = &v1beta1.Deployed{
		DeploymentUID: jm.UID, OperationID: cluster.OwnOperation(jm), JobID: v.Look.Want.JobStatus.JobID,
		FlinkVersion: v.Look.Spec.FlinkVersion,
		Options:      flinkconf.Started(v.Look.Config()),
	}
	v.Look.Want.ReconciliationStatus.State = v1beta1.ReconciliationDeployed
	v.Look.Want.ReconciliationStatus.ReconciliationTimestamp = v.Seen.Now.UnixMilli()
	record.Store(v.Look, v1beta1.ReconciledDeployment{Spec: *v.Look.Spec.DeepCopy()}, false)
	cluster.Observe(v)
	return operation.Decided(v.Look, decide.Settled(v.Look))
}
