package evidence

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// startWindow is how soon after the release of a start its first pods exist, or are refused. A JobManager cannot start,
// run a job and be replaced within it, so what happened within it happened to the first ones.
const startWindow = 10 * time.Second

// statusLag is how long a container may run before the status of its pod says so: the kubelet writes that afterwards,
// and the API server may make it wait.
const statusLag = 10 * time.Second

// NeverRan reports whether no container of a start ever ran. In no pod that is there may anything have started, and
// none may have been there before. neverLed is true when high availability is on and has no data, although the start
// began without any.
//
//	pods             evidence that they are all there ever were
//	one per replica  each was created within startWindow of the release
//	none             the Deployment says since then that it cannot create one
//	any              neverLed: a JobManager leaves its lease behind before it runs a job
//
// But for neverLed it is the kubelet that says so, and only of a node that answers it can be told from one that has
// died or is cut off: nodes says of each whether it does, by the Lease that its kubelet renews. A kubelet alone that is
// dead stops no JobManager: that gets TaskManagers on other nodes, and runs its job. A container that is being created
// may run already: see mayHaveBegun.
func NeverRan(
	jm *appsv1.Deployment, seen plan.Observed[[]corev1.Pod], neverLed bool, nodes map[string]plan.Observed[bool],
	now time.Time,
) bool {
	pods, known := seen.Get()
	until := ReleasedAt(jm).Add(startWindow)
	switch {
	case !known || slices.ContainsFunc(pods, HasRun):
		return false
	case neverLed:
		return true
	case slices.ContainsFunc(pods, func(p corev1.Pod) bool { return !reported(p, nodes) || mayHaveBegun(p, now) }):
		return false
	case len(pods) == 0:
		return slices.ContainsFunc(jm.Status.Conditions, func(c appsv1.DeploymentCondition) bool {
			return c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue &&
				!c.LastTransitionTime.After(until)
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

// ReleasedAt is when the start got its replicas: a Deployment is created without any, and released once all is
// prepared. One that was created with them has no annotation.
func ReleasedAt(jm *appsv1.Deployment) time.Time {
	if at, err := time.Parse(time.RFC3339, jm.Annotations[v1beta1.AnnotationReleased]); err == nil {
		return at
	}
	return jm.CreationTimestamp.Time
}

// reported reports whether the status of a pod is the word of a kubelet that answers; nobody can have started one that
// has no node yet.
func reported(pod corev1.Pod, nodes map[string]plan.Observed[bool]) bool {
	answers, known := nodes[pod.Spec.NodeName].Get()
	return pod.Spec.NodeName == "" || (known && answers)
}

// MayHaveBegun reports whether a container of one of the pods may run although no status says so yet.
func MayHaveBegun(seen plan.Observed[[]corev1.Pod], now time.Time) bool {
	pods, _ := seen.Get()
	return slices.ContainsFunc(pods, func(p corev1.Pod) bool { return mayHaveBegun(p, now) })
}

// mayHaveBegun reports whether a container of a pod may run although its status does not say so yet: the pod came to
// its node within statusLag of now, and nothing keeps its containers from being started.
func mayHaveBegun(pod corev1.Pod, now time.Time) bool {
	came := pod.CreationTimestamp.Time
	if started := pod.Status.StartTime; started != nil {
		came = started.Time
	}
	if pod.Spec.NodeName == "" || now.Sub(came) > statusLag {
		return false
	}
	init, containers := pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses
	return !slices.ContainsFunc(init, held) && (len(containers) == 0 || !all(containers, held))
}

// held reports whether something keeps a container from being started: an image, a configuration, a crash before.
func held(c corev1.ContainerStatus) bool {
	if c.State.Waiting == nil {
		return false
	}
	switch c.State.Waiting.Reason {
	case "", "ContainerCreating", "PodInitializing":
		return false
	}
	return true
}

func all[T any](list []T, holds func(T) bool) bool {
	return !slices.ContainsFunc(list, func(one T) bool { return !holds(one) })
}

// Silent is a node that may run a container of a pod of which nothing is known to have run, and does not answer; empty
// when there is none. Once it answers, or is gone, NeverRan can be told.
func Silent(seen plan.Observed[[]corev1.Pod], nodes map[string]plan.Observed[bool]) string {
	pods, _ := seen.Get()
	silent := ""
	for _, pod := range pods {
		switch {
		case HasRun(pod):
			return ""
		case silent == "" && !reported(pod, nodes) && !nodes[pod.Spec.NodeName].IsAbsent():
			silent = pod.Spec.NodeName
		}
	}
	return silent
}

// HasRun reports whether the kubelet says that a container of the pod ran, or runs.
func HasRun(pod corev1.Pod) bool {
	return slices.ContainsFunc(append(slices.Clone(pod.Status.InitContainerStatuses), pod.Status.ContainerStatuses...),
		func(c corev1.ContainerStatus) bool {
			return c.RestartCount > 0 || c.State.Running != nil || c.State.Terminated != nil ||
				c.LastTerminationState.Terminated != nil
		})
}
