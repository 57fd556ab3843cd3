package takedown

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// MayRun waits while a process of a cluster whose Deployment is gone may still run.
func MayRun(v *cluster.Cluster) (decision.Result, bool) {
	if r, unknown := PodsUnknown(v); unknown {
		return r, true
	}
	if r, stands := taskManagersStand(v); stands {
		return r, true
	}
	if len(cluster.PodsLeft(v)) > 0 {
		return WaitForEnd(v), true
	}
	return decision.Result{}, false
}

// Occupy waits while a process of a cluster whose Deployment is gone may still run, or be made: a ReplicaSet of it asks
// for pods until the garbage collector takes it. A pod that begins so late would mount what is prepared by then.
func Occupy(v *cluster.Cluster) (decision.Result, bool) {
	if r, runs := MayRun(v); runs {
		return r, true
	}
	intent := v.Look.Intent()
	if v.Look.Last == nil || intent != nil && intent.Purpose == v1beta1.PurposeDeploy || v.Look.Options.Orphans() {
		return decision.Result{}, false
	}
	if v.Seen.ReplicaSets.IsUnknown() {
		return SetsUnknown(v), true
	}
	return setsAsk(v)
}

// setsAsk waits while ReplicaSets of a Deployment that is gone ask for pods.
func setsAsk(v *cluster.Cluster) (decision.Result, bool) {
	var names []string
	sets, _ := v.Seen.ReplicaSets.Get()
	for _, s := range sets {
		if s.Replicas > 0 {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return decision.Result{}, false
	}
	r := decision.Result{Situation: plan.Stopping, Pods: true}
	if cluster.TakedownAge(v) > cluster.Promptly {
		r.Wait = plan.Cause{Reason: plan.ReasonControllersBehind, Message: fmt.Sprintf("the Deployment is gone, and "+
			"its ReplicaSets %s still ask for pods", strings.Join(names, ", "))}
	}
	if cluster.Overdue(v) {
		r.Stall = &plan.Cause{
			Reason: plan.ReasonControllersBehind,
			Message: r.Wait.Message + fmt.Sprintf("; the garbage "+
				"collector does not delete them. Run: kubectl delete replicaset -n %s %s", v.Look.Resource().Namespace,
				strings.Join(names, " ")),
		}
	}
	return r, true
}

// PodsUnknown waits while it is not known which pods there are.
func PodsUnknown(v *cluster.Cluster) (decision.Result, bool) {
	for _, seen := range []plan.Observed[[]corev1.Pod]{v.Seen.Pods, v.Seen.TaskManagers} {
		if seen.IsUnknown() {
			return decision.Unobservable("the pods of the cluster", seen.Why()), true
		}
	}
	return decision.Result{}, false
}

// taskManagersStand takes the TaskManagers of a standalone cluster down. They are a Deployment of their own, which
// would replace each of their pods that ends.
//
//	the Deployment           JobManager pods   then
//	of a first start         -                 nothing: one that is there is not ours
//	Unknown                  -                 wait
//	Absent, being deleted    -                 nothing
//	Present                  some may run      wait
//	Present                  none runs         delete it
func taskManagersStand(v *cluster.Cluster) (decision.Result, bool) {
	deployment, present := v.Seen.TaskManagerDeployment.Get()
	switch {
	case !v.IsStandalone() || v.Seen.TaskManagerDeployment.IsAbsent(),
		v.Look.Last == nil && v.Seen.Resource.DeletionTimestamp == nil:
		return decision.Result{}, false
	case !present:
		return decision.Unobservable("the Deployment of the TaskManagers", v.Seen.TaskManagerDeployment.Why()), true
	case cluster.JobManagerLeft(v):
		return WaitForEnd(v), true
	}
	r := v.Seen.Resource
	remove := plan.DeleteCluster{
		Namespace: r.Namespace,
		Name:      deployment.Name,
		UID:       deployment.UID,
		Orphan:    v.Look.Options.Orphans(),
	}
	return decision.Result{Situation: plan.Stopping, Actions: []plan.Action{remove}, Again: true}, true
}

// RemoveHAData removes the high-availability data that the round saw, or waits while it is unknown or in use. It is
// false when there is none. It is for rounds that saw no JobManager pod, or did not look for any.
func RemoveHAData(v *cluster.Cluster, situation plan.Situation) (decision.Result, bool) {
	data := v.HAToRemove()
	what, why, unknown := data.Unknown()
	switch remove, some := data.Remove(); {
	case !data.Store.Readable():
		return decision.Result{}, false
	case cluster.JobManagerLeft(v): // it was made late, and may write that data again
		r := WaitForEnd(v)
		r.Situation = situation
		return r, true
	case unknown:
		r := decision.Unobservable(what, why)
		if cluster.Overdue(v) {
			r.Stall = &plan.Cause{Reason: plan.ReasonHighAvailabilityUnknown, Message: fmt.Sprintf(
				"the old cluster is gone, and nothing follows before %s can be read and removed: %s", what, why)}
		}
		return r, true
	case data.InUse() != "":
		return decision.Result{
			Situation: situation, Wait: plan.Cause{Reason: plan.ReasonHighAvailabilityDataInUse, Message: data.InUse()},
		}, true
	case some:
		return decision.Result{Situation: situation, Again: true, Actions: []plan.Action{remove}}, true
	}
	return decision.Result{}, false
}
