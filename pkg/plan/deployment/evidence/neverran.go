package evidence

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// startWindow is how soon after the release of a start its first pods exist, or are refused. A JobManager cannot start, run a job and be
// replaced within it, so what happened within it happened to the first ones.
const startWindow = 10 * time.Second

// NeverRan reports whether no container of a start ever ran. In no pod that is there may anything have started, and none may have been
// there before. neverLed is true when high availability is on and has no data, although the start began without any.
//
//	pods             evidence that they are all there ever were
//	one per replica  each was created within startWindow of the release
//	none             the Deployment says since then that it cannot create one
//	any              neverLed: a JobManager leaves its lease behind before it runs a job
func NeverRan(jm *appsv1.Deployment, seen plan.Observed[[]corev1.Pod], neverLed bool) bool {
	pods, known := seen.Get()
	until := ReleasedAt(jm).Add(startWindow)
	switch {
	case !known || slices.ContainsFunc(pods, hasRun):
		return false
	case neverLed:
		return true
	case len(pods) == 0:
		return slices.ContainsFunc(jm.Status.Conditions, func(c appsv1.DeploymentCondition) bool {
			return c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue && !c.LastTransitionTime.After(until)
		})
	}
	late := slices.ContainsFunc(pods, func(p corev1.Pod) bool { return p.CreationTimestamp.After(until) })
	return len(pods) == replicas(jm) && !late
}

// replicas is how many pods the Deployment asks for.
func replicas(jm *appsv1.Deployment) int {
	if jm.Spec.Replicas == nil {
		return 1
	}
	return int(*jm.Spec.Replicas)
}

// ReleasedAt is when the start got its replicas: a Deployment is created without any, and released once all is prepared. One that was
// created with them has no annotation.
func ReleasedAt(jm *appsv1.Deployment) time.Time {
	if at, err := time.Parse(time.RFC3339, jm.Annotations[v1beta1.AnnotationReleased]); err == nil {
		return at
	}
	return jm.CreationTimestamp.Time
}

func hasRun(pod corev1.Pod) bool {
	return slices.ContainsFunc(append(slices.Clone(pod.Status.InitContainerStatuses), pod.Status.ContainerStatuses...), func(c corev1.ContainerStatus) bool {
		return c.RestartCount > 0 || c.State.Running != nil || c.State.Terminated != nil || c.LastTerminationState.Terminated != nil
	})
}
