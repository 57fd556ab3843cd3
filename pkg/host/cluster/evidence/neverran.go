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

// StatusLag is how long a container may run before the status of its pod says so: the kubelet writes that afterwards,
// and the API server may make it wait.
const StatusLag = 10 * time.Second

// LongStatusLag is that where a kubelet may have died before it said so: its node counts as one that answers for as
// long as its Lease is not old, and once it is back the kubelet first has to find out what it missed. It costs a change
// of a start that never ran as much time, so that it is for those only where nothing but the pods can tell.
const LongStatusLag = 5 * time.Minute

// Start is what was seen of one start: a Deployment of the JobManager, from its release on.
type Start struct {
	// JobManager is its Deployment.
	JobManager *appsv1.Deployment
	// Pods are its pods.
	Pods plan.Observed[[]corev1.Pod]
	// NeverLed is true when high availability is on and has no data, although the start began without any.
	NeverLed bool
	// Nodes says, of each node of the pods by its name, whether its kubelet answers: it renews a Lease.
	Nodes map[string]plan.Observed[bool]
	// Lag is how long a container may run before the status of its pod says so: StatusLag or LongStatusLag.
	Lag time.Duration
	// Now is when all of that was seen.
	Now time.Time
}

// NeverRan reports whether no container of a start ever ran. In no pod that is there may anything have started, and
// none may have been there before.
//
//	pods             evidence that they are all there ever were
//	one per replica  each was created within startWindow of the release
//	none             the Deployment says since then that it cannot create one
//	any              NeverLed: a JobManager leaves its lease behind before it runs a job
//
// But for NeverLed it is the kubelet that says so, and only of a node that answers it can be told from one that has
// died or is cut off. A kubelet alone that is dead stops no JobManager: that gets TaskManagers on other nodes, and runs
// its job. A container that is being created may run already: see MayHaveBegun.
func (s Start) NeverRan() bool {
	pods, known := s.Pods.Get()
	until := ReleasedAt(s.JobManager).Add(startWindow)
	switch {
	case !known || slices.ContainsFunc(pods, HasRun):
		return false
	case s.NeverLed:
		return true
	case slices.ContainsFunc(pods, func(p corev1.Pod) bool { return !s.reported(p) || s.mayHaveBegun(p) }):
		return false
	case len(pods) == 0:
		return slices.ContainsFunc(s.JobManager.Status.Conditions, func(c appsv1.DeploymentCondition) bool {
			return c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue &&
				!c.LastTransitionTime.After(until)
		})
	}
	late := slices.ContainsFunc(pods, func(p corev1.Pod) bool { return p.CreationTimestamp.After(until) })
	return len(pods) == int(Replicas(s.JobManager)) && !late
}

// Replicas is how many pods a Deployment asks for: one where it does not say.
func Replicas(d *appsv1.Deployment) int32 {
	if d.Spec.Replicas == nil {
		return 1
	}
	return *d.Spec.Replicas
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
func (s Start) reported(pod corev1.Pod) bool {
	answers, known := s.Nodes[pod.Spec.NodeName].Get()
	return pod.Spec.NodeName == "" || (known && answers)
}

// MayHaveBegun reports whether a container of one of the pods may run although no status says so yet.
func (s Start) MayHaveBegun() bool {
	pods, _ := s.Pods.Get()
	return slices.ContainsFunc(pods, s.mayHaveBegun)
}

// mayHaveBegun reports whether a container of a pod may run although its status does not say so yet: the pod came to
// its node within Lag of now, and nothing keeps its containers from being started.
func (s Start) mayHaveBegun(pod corev1.Pod) bool {
	came := pod.CreationTimestamp.Time
	if started := pod.Status.StartTime; started != nil {
		came = started.Time
	}
	if pod.Spec.NodeName == "" || s.Now.Sub(came) > s.Lag {
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
func (s Start) Silent() string {
	pods, _ := s.Pods.Get()
	silent := ""
	for _, pod := range pods {
		switch {
		case HasRun(pod):
			return ""
		case silent == "" && !s.reported(pod) && !s.Nodes[pod.Spec.NodeName].IsAbsent():
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
