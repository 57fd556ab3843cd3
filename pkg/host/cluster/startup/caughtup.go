package startup

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/takedown"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// One of Kubernetes' controllers may not have heard yet that the Deployment of a start's predecessor is gone, which
// somebody has deleted, and make another pod of it: a second JobManager beside ours. Each hears of all changes in their
// order, so one that has seen what is prepared, which came later, makes no more of it. What it made until then is left
// to the garbage collector, see madeLate. After a pod the start is prepared anew: a JobManager may have written
// high-availability data. A pass whose status is old may find the pods of a start that another one has released: what
// B2 deletes is not deleted then (DeleteCluster.WhileOpen), and the pass looks again. ADR 71. First match wins:
//
//	 #  of other Deployments there are   the controllers                           then
//	B1  not known                        -                                         wait
//	B2  pods that may run                -                                         delete what is prepared
//	B3  ReplicaSets that ask for pods    -                                         wait
//	B4  none                             have not seen the prepared Deployments,   wait
//	                                     or have not acted on their ReplicaSets
//	B5  none                             have                                      release

// awaitLeftovers is B1 to B3: before all else that a prepared start may lead to.
func awaitLeftovers(v *cluster.Cluster, jm *appsv1.Deployment) (decision.Result, bool) {
	if !cluster.HasPredecessor(v) {
		return decision.Result{}, false
	}
	r, unknown := takedown.PodsUnknown(v)
	switch {
	case v.Seen.ReplicaSets.IsUnknown():
		return takedown.SetsUnknown(v), true
	case unknown:
		return r, true
	case len(cluster.PodsLeft(v)) > 0: // none is of the prepared start, see above
		return takedown.RemovePrepared(v, jm), true
	case othersAskForPods(v, jm):
		return behind(v), true
	}
	return decision.Result{}, false
}

func behind(v *cluster.Cluster) decision.Result {
	r := decision.Result{Situation: plan.Starting, Soon: true}
	if v.Look.Since(v.Look.Intent().StoredAt) > cluster.Promptly {
		r.Wait = plan.Cause{
			Reason: plan.ReasonControllersBehind, Message: "the controllers of Kubernetes have not seen the prepared " +
				"cluster yet, and may still make pods of the one before",
		}
	}
	return r
}

// awaitControllers is B4: just before the release.
func awaitControllers(v *cluster.Cluster, jm *appsv1.Deployment) (decision.Result, bool) {
	if !cluster.HasPredecessor(v) {
		return decision.Result{}, false
	}
	sets, _ := v.Seen.ReplicaSets.Get()
	for _, deployment := range prepared(v, jm) {
		if !slices.ContainsFunc(sets, func(s cluster.ReplicaSet) bool { return s.Deployment == deployment && s.Seen }) {
			return behind(v), true
		}
	}
	return decision.Result{}, false
}

// prepared are the Deployments of the prepared start, by their UIDs.
func prepared(v *cluster.Cluster, jm *appsv1.Deployment) []types.UID {
	all := []types.UID{jm.UID}
	if tm, there := v.Seen.TaskManagerDeployment.Get(); there {
		all = append(all, tm.UID)
	}
	return all
}

// othersAskForPods reports whether a ReplicaSet of another Deployment than those of the prepared start asks for pods.
func othersAskForPods(v *cluster.Cluster, jm *appsv1.Deployment) bool {
	sets, _ := v.Seen.ReplicaSets.Get()
	return slices.ContainsFunc(sets, func(s cluster.ReplicaSet) bool {
		return s.Replicas > 0 && !slices.Contains(prepared(v, jm), s.Deployment)
	})
}
