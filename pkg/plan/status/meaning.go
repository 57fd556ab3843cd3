package status

import (
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/clusterinfo"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
	"github.com/kn-flink/kn-flink/pkg/plan/health"
)

// SameMeaning reports whether two statuses tell people and passes the same, so that no write is worth it. What moves by
// itself rides along with the next write: the cluster's figures, the counters of its health, when the exception history
// was asked for, where the newest checkpoint lies, the room of an intent, and the closing of a released one.
func SameMeaning(old, next v1beta1.FlinkDeploymentStatus) bool {
	old, next = *old.DeepCopy(), *next.DeepCopy()
	if old.Intent != nil && old.Intent.Step == v1beta1.StepReleased && next.Intent == nil {
		old.Intent = nil
	}
	if old.Revision == nil && next.Revision != nil && reflect.DeepEqual(old.Deployed, next.Deployed) {
		next.Revision = nil // of a start of a version before
	}
	sameHealth := health.SameMeaning(old.ClusterInfo[health.Key], next.ClusterInfo[health.Key])
	sameExceptions := exceptions.SameMeaning(old.ClusterInfo[exceptions.Key], next.ClusterInfo[exceptions.Key])
	for _, status := range []*v1beta1.FlinkDeploymentStatus{&old, &next} {
		if status.Intent != nil {
			status.Intent.Room = ""
		}
		if status.JobStatus.Checkpoint != nil {
			status.JobStatus.Checkpoint.Path, status.JobStatus.Checkpoint.Taken = "", nil
		}
		if status.Revision != nil {
			status.Revision.Kept, status.Revision.Before = false, nil
		}
		status.ClusterInfo = maps.Clone(status.ClusterInfo)
		for _, key := range []string{
			clusterinfo.KeyStateSize, clusterinfo.KeyCPU, clusterinfo.KeyMemory, health.Key, exceptions.Key,
		} {
			delete(status.ClusterInfo, key)
		}
	}
	return sameHealth && sameExceptions && equality.Semantic.DeepEqual(old, next)
}

// OnlyTells reports whether a status beside an error changes nothing but what people are told: no pass needs it.
func OnlyTells(old, next v1beta1.FlinkDeploymentStatus) bool {
	if old.Error == "" {
		return false
	}
	old.Error, old.Conditions, old.LifecycleState = next.Error, next.Conditions, next.LifecycleState
	old.LifecycleSince, old.Wait = next.LifecycleSince, next.Wait
	old.Situation, old.Pace, old.PaceSince = next.Situation, next.Pace, next.PaceSince
	return SameMeaning(old, next)
}
