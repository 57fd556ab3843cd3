package evidence

import (
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

var created = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// pod is one that was created some seconds after the Deployment, with a container in a state.
func pod(after int, state corev1.ContainerState) corev1.Pod {
	p := corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{State: state}}}}
	p.CreationTimestamp = metav1.NewTime(created.Add(time.Duration(after) * time.Second))
	return p
}

func failing(
	kind appsv1.DeploymentConditionType, status corev1.ConditionStatus, after int,
) []appsv1.DeploymentCondition {
	return []appsv1.DeploymentCondition{
		{
			Type:               kind,
			Status:             status,
			LastTransitionTime: metav1.NewTime(created.Add(time.Duration(after) * time.Second)),
		},
	}
}

func TestNeverRan(t *testing.T) {
	waiting := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
	again, before, inits := pod(1, waiting), pod(1, waiting), pod(1, waiting)
	again.Status.ContainerStatuses[0].RestartCount = 1
	before.Status.ContainerStatuses[0].LastTerminationState = ended
	inits.Status.InitContainerStatuses = []corev1.ContainerStatus{{State: running}}
	present := func(pods ...corev1.Pod) plan.Observed[[]corev1.Pod] { return plan.Present(pods) }
	refused := failing(appsv1.DeploymentReplicaFailure, corev1.ConditionTrue, 61)
	const never = -1
	rows := map[string]struct {
		replicas   int32 // 0: one
		released   int   // seconds after the Deployment was made; never: there is no annotation
		conditions []appsv1.DeploymentCondition
		pods       plan.Observed[[]corev1.Pod]
		neverLed   bool
		want       bool
		reason     string
	}{
		"its first pod waits": {
			0, 60, nil, present(pod(65, waiting)), false, true, "the usual broken image",
		},
		"released late, its first pod waits": {
			0, 600, nil, present(pod(601, waiting)), false, true, "what counts is the release, not the Deployment",
		},
		"a pod of long after the release": {
			0, 60, nil, present(pod(71, waiting)), false, false, "another may have run before it",
		},
		"a Deployment that came with replicas": {
			0, never, nil, present(pod(2, waiting)), false, true, "it was released when it was made",
		},
		"the same, a later pod": {
			0, never, nil, present(pod(11, waiting)), false, false, "another may have run before it",
		},
		"a container runs": {
			0, 60, nil, present(pod(61, running)), false, false, "it may have started the job",
		},
		"a container has ended": {
			0, 60, nil, present(pod(61, ended)), false, false, "it may have run the job",
		},
		"a container was restarted": {0, 60, nil, present(again), false, false, "it may have run the job"},
		"a container ended before":  {0, 60, nil, present(before), false, false, "it may have run the job"},
		"an init container runs":    {0, 60, nil, present(inits), false, false, "it may do anything"},
		"two pods": {
			0, 60, nil, present(pod(61, waiting), pod(61, waiting)), false, false, "one of them is not the first",
		},
		"two pods of two": {
			2, 60, nil, present(pod(61, waiting), pod(62, waiting)), false, true, "a JobManager and its standby",
		},
		"two pods of two, one of them later": {
			2, 60, nil, present(pod(61, waiting), pod(71, waiting)), false, false, "another may have run before it",
		},
		"two pods of two, and one has run": {
			2, 60, nil, present(pod(61, waiting), pod(61, ended)), false, false, "it may have run the job",
		},
		"one pod of two": {
			2, 60, nil, present(pod(61, waiting)), false, false, "one may have gone",
		},
		"nobody could look": {
			0, 60, nil, plan.Unknown[[]corev1.Pod]("refused"), true, false, "nothing on a guess",
		},
		"no pod": {0, 60, nil, present(), false, false, "one may have gone"},
		"no pod, refused since the release": {
			0, 60, refused, present(), false, true, "a quota was in the way from the beginning",
		},
		"no pod, refused later": {
			0, 60, failing(appsv1.DeploymentReplicaFailure, corev1.ConditionTrue, 71), present(), false, false,
			"one may have gone before",
		},
		"no pod, refused no longer": {
			0, 60, failing(appsv1.DeploymentReplicaFailure, corev1.ConditionFalse, 61), present(), false, false,
			"one is being made",
		},
		"no pod, another condition": {
			0, 60, failing(appsv1.DeploymentProgressing, corev1.ConditionTrue, 61), present(), false, false,
			"it says nothing of pods",
		},
		"a late pod, nobody ever led": {
			0, 60, nil, present(pod(600, waiting)), true, true, "a quota was in the way, and is no more",
		},
		"no pod, nobody ever led": {0, 60, nil, present(), true, true, "whatever there was ran no job"},
		"nobody ever led, and a container began": {
			0, 60, nil, present(pod(61, running)), true, false, "it may lead in a moment",
		},
		"an annotation that is no time": {0, -2, nil, present(pod(2, waiting)), false, true, "as if there were none"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			jm := &appsv1.Deployment{Status: appsv1.DeploymentStatus{Conditions: row.conditions}}
			jm.CreationTimestamp = metav1.NewTime(created)
			if row.replicas > 0 {
				jm.Spec.Replicas = &row.replicas
			}
			switch {
			case row.released >= 0:
				jm.Annotations = map[string]string{
					v1beta1.AnnotationReleased: created.Add(time.Duration(row.released) * time.Second).
						Format(time.RFC3339),
				}
			case row.released != never:
				jm.Annotations = map[string]string{v1beta1.AnnotationReleased: "noon"}
			}
			start := Start{
				JobManager: jm, Pods: row.pods, NeverLed: row.neverLed, Lag: StatusLag, Now: created.Add(time.Hour),
			}
			if got := start.NeverRan(); got != row.want {
				t.Errorf("got %t, want %t: %s", got, row.want, row.reason)
			}
		})
	}
}

// A kubelet that has died, or is cut off, goes on to say what it said last.
func TestAPodStatusOfASilentKubelet(t *testing.T) {
	rows := map[string]struct {
		node     plan.Observed[bool]
		neverLed bool
		want     bool
		reason   string
	}{
		"it answers":         {plan.Present(true), false, true, "it would say so"},
		"it does not answer": {plan.Present(false), false, false, "the image may be there by now"},
		"its node is gone":   {plan.Absent[bool](), false, false, "what ran on it is not known"},
		"nobody could ask":   {plan.Unknown[bool]("forbidden"), false, false, "nothing on a guess"},
		"it does not answer, none ever led": {
			plan.Present(false), true, true,
			"the API server says so, not the kubelet",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			jm := &appsv1.Deployment{}
			jm.CreationTimestamp = metav1.NewTime(created)
			p := pod(1, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}})
			p.Spec.NodeName = "n"
			start := Start{
				JobManager: jm,
				Pods:       plan.Present([]corev1.Pod{p}),
				NeverLed:   row.neverLed,
				Lag:        StatusLag,
				Now:        created,
				Nodes:      map[string]plan.Observed[bool]{"n": row.node},
			}
			if got := start.NeverRan(); got != row.want {
				t.Errorf("got %t, want %t: %s", got, row.want, row.reason)
			}
		})
	}
}

// The kubelet starts a container, and says so a while later.
func TestAContainerRunsBeforeItsStatusSaysSo(t *testing.T) {
	waits := func(reason string) []corev1.ContainerStatus {
		state := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
		return []corev1.ContainerStatus{{State: state}}
	}
	creating, pulling := waits("ContainerCreating"), waits("ErrImagePull")
	rows := map[string]struct {
		node             string
		after            time.Duration // since the kubelet took the pod on
		init, containers []corev1.ContainerStatus
		lag              time.Duration // 0: StatusLag
		want             bool
		reason           string
	}{
		"it is being created":          {"n", 9 * time.Second, nil, creating, 0, false, "it may have been by now"},
		"it is being created for long": {"n", 11 * time.Second, nil, creating, 0, true, "the status would say so"},
		"a kubelet may have died in between": {
			"n", 11 * time.Second, nil, creating, LongStatusLag, false, "it may run, untold",
		},
		"a kubelet may have died long ago": {
			"n", 301 * time.Second, nil, creating, LongStatusLag, true, "the status would say so",
		},
		"the pod has no node":          {"", time.Second, nil, nil, 0, true, "nobody starts it"},
		"the kubelet has said nothing": {"n", time.Second, nil, nil, 0, false, "it may do so in the next moment"},
		"its image cannot be pulled":   {"n", time.Second, nil, pulling, 0, true, "there is nothing to start"},
		"the image of another of the pod": {
			"n", time.Second, nil, slices.Concat(creating, pulling), 0, false, "it has its own",
		},
		"its init container has no image": {
			"n", time.Second, pulling, waits("PodInitializing"), 0, true, "that comes first",
		},
		"its init container may run by now": {
			"n", time.Second, creating, waits("PodInitializing"), 0, false, "and do anything",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			jm, began := &appsv1.Deployment{}, metav1.NewTime(created.Add(time.Second))
			jm.CreationTimestamp = metav1.NewTime(created)
			p := pod(1, corev1.ContainerState{})
			p.Spec.NodeName = row.node
			p.Status = corev1.PodStatus{
				StartTime: &began, InitContainerStatuses: row.init, ContainerStatuses: row.containers,
			}
			start := Start{
				JobManager: jm, Pods: plan.Present([]corev1.Pod{p}), Lag: row.lag, Now: began.Add(row.after),
				Nodes: map[string]plan.Observed[bool]{"n": plan.Present(true)},
			}
			if start.Lag == 0 {
				start.Lag = StatusLag
			}
			if got := start.NeverRan(); got != row.want {
				t.Errorf("got %t, want %t: %s", got, row.want, row.reason)
			}
		})
	}
}

func TestSilent(t *testing.T) {
	waiting := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}
	on := func(node string, state corev1.ContainerState) corev1.Pod {
		p := pod(1, state)
		p.Spec.NodeName = node
		return p
	}
	nodes := map[string]plan.Observed[bool]{
		"up": plan.Present(true), "down": plan.Present(false), "gone": plan.Absent[bool](),
	}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	rows := map[string]struct {
		pods []corev1.Pod
		want string
	}{
		"no pods":                       {nil, ""},
		"its node answers":              {[]corev1.Pod{on("up", waiting)}, ""},
		"its node does not":             {[]corev1.Pod{on("down", waiting)}, "down"},
		"its node could not be read":    {[]corev1.Pod{on("unread", waiting)}, "unread"},
		"its node is gone":              {[]corev1.Pod{on("gone", waiting)}, ""},
		"it has no node":                {[]corev1.Pod{on("", waiting)}, ""},
		"another is known to have run":  {[]corev1.Pod{on("down", waiting), on("up", running)}, ""},
		"the second one's node is down": {[]corev1.Pod{on("up", waiting), on("down", waiting)}, "down"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := (Start{Pods: plan.Present(row.pods), Nodes: nodes}).Silent(); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
