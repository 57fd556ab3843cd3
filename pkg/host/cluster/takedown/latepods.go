package takedown

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/evidence"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// A deletion, and controllers that are behind: the pods that they may still make are waited for, and those that they
// made when the Deployment was gone are deleted.

// untilHeard is how long a controller that made a pod late most likely does not hear yet of what it missed.
const untilHeard = 2 * time.Second

// mayGetMore reports whether a Deployment whose resource is deleted may get JobManager pods that are not there yet.
// That is waited for as long as for the end of pods.
//
//	the Deployment                          it may get more
//	asks for a pod that is not there        yes
//	was retired for this deletion, or for   until its controllers have acted on that
//	a stop that it takes over
//	any other                               no
func mayGetMore(v *cluster.Cluster) bool {
	jm, present := v.Seen.JobManager.Get()
	pods, known := v.Seen.Pods.Get()
	switch {
	case !present || cluster.Overdue(v):
		return false
	case cluster.Retired(jm):
		stored := v.Look.Resource().Status.Intent
		stopping := stored != nil && stored.Step == v1beta1.StepStopping
		return stopping && (cluster.PodsMayCome(jm) || v.Seen.ReplicaSets.IsUnknown() || setsMakePods(v, jm.UID))
	}
	there := int32(0)
	for _, pod := range pods {
		if pod.DeletionTimestamp == nil && !evidence.Ended(pod) {
			there++
		}
	}
	return known && there < evidence.Replicas(jm)
}

// madeLate are the JobManager pods of a deletion that were made when their Deployment had been deleted, by a controller
// that had not heard of that, and the ReplicaSets that made them. The garbage collector takes them, too, when their
// turn comes: it makes twenty requests a second. TaskManagers are left to it, because they may have to stay until the
// JobManager ends.
//
//	the Deployment         the pod                           it is
//	there, or not known    -                                 no late one
//	gone                   being deleted, or of nobody       no late one
//	gone                   just made                         no late one yet: who made it would replace it at once
//	gone                   of a ReplicaSet                   late
//	left its pods behind   -                                 no late one: see Orphans
//
// A stop that a start may follow leaves all of them to the garbage collector: a controller that has not heard would
// replace them, and the next JobManager would begin while this one ends. ADR 72.
func madeLate(v *cluster.Cluster) []plan.OwnedObject {
	intent := v.Look.Intent()
	if !v.Seen.JobManager.IsAbsent() || v.Look.Options.Orphans() || intent == nil || intent.Stops == nil ||
		intent.Stops.DeploymentUID == "" || !goesWithResource(v) {
		return nil
	}
	var late []plan.OwnedObject
	pods, _ := v.Seen.Pods.Get()
	for _, pod := range pods {
		owner := metav1.GetControllerOf(&pod)
		justMade := v.Look.Since(pod.CreationTimestamp) < untilHeard
		if pod.DeletionTimestamp != nil || justMade || owner == nil || owner.Kind != "ReplicaSet" {
			continue
		}
		set := plan.OwnedObject{Kind: owner.Kind, Name: owner.Name, UID: owner.UID}
		if !slices.Contains(late, set) {
			late = append(late, set)
		}
		late = append(late, plan.OwnedObject{Kind: "Pod", Name: pod.Name, UID: pod.UID})
	}
	return late
}

func deleteLeftovers(v *cluster.Cluster, objects []plan.OwnedObject) plan.Action {
	return plan.DeleteLeftovers{Namespace: v.Look.Resource().Namespace, Name: v.Look.Resource().Name, Objects: objects}
}
