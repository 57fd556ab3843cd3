package cluster

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
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
func (v starter) awaitLeftovers(jm *appsv1.Deployment) (job.Result, bool) {
	if !HasPredecessor(Cluster(v)) {
		return job.Result{}, false
	}
	r, unknown := Remains(v).podsUnknown()
	switch {
	case v.Seen.ReplicaSets.IsUnknown():
		return stopper(v).setsUnknown(), true
	case unknown:
		return r, true
	case len(Remains(v).PodsLeft()) > 0: // none is of the prepared start, see above
		return v.removePrepared(jm), true
	case v.othersAskForPods(jm):
		return v.behind(), true
	}
	return job.Result{}, false
}

// promptly is how soon the controllers have most likely seen what is prepared. Until then nobody is told that they have
// not.
const promptly = 3 * time.Second

func (v starter) behind() job.Result {
	r := job.Result{Situation: plan.Starting, Soon: true}
	if v.Since(v.Intent().StoredAt) > promptly {
		r.Wait = plan.Cause{
			Reason: plan.ReasonControllersBehind, Message: "the controllers of Kubernetes have not seen the prepared " +
				"cluster yet, and may still make pods of the one before",
		}
	}
	return r
}

// awaitControllers is B4: just before the release.
func (v starter) awaitControllers(jm *appsv1.Deployment) (job.Result, bool) {
	if !HasPredecessor(Cluster(v)) {
		return job.Result{}, false
	}
	sets, _ := v.Seen.ReplicaSets.Get()
	for _, deployment := range v.prepared(jm) {
		if !slices.ContainsFunc(sets, func(s ReplicaSet) bool { return s.Deployment == deployment && s.Seen }) {
			return v.behind(), true
		}
	}
	return job.Result{}, false
}

// HasPredecessor reports whether the open start follows another one of the same resource.
func HasPredecessor(v Cluster) bool {
	return v.Last != nil && v.Intent().Purpose != v1beta1.PurposeDeploy
}

// prepared are the Deployments of the prepared start, by their UIDs.
func (v starter) prepared(jm *appsv1.Deployment) []types.UID {
	all := []types.UID{jm.UID}
	if tm, there := v.Seen.TaskManagerDeployment.Get(); there {
		all = append(all, tm.UID)
	}
	return all
}

// othersAskForPods reports whether a ReplicaSet of another Deployment than those of the prepared start asks for pods.
func (v starter) othersAskForPods(jm *appsv1.Deployment) bool {
	sets, _ := v.Seen.ReplicaSets.Get()
	return slices.ContainsFunc(sets, func(s ReplicaSet) bool {
		return s.Replicas > 0 && !slices.Contains(v.prepared(jm), s.Deployment)
	})
}
