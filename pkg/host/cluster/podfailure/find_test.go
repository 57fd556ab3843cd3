package podfailure

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// waiting is a pod whose container waits.
func waiting(reason string) corev1.Pod {
	return jobManager(corev1.ContainerStatus{
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "no such image"}},
	})
}

// conditions gives a pod conditions: type and status, type and status, and so on.
func conditions(pod corev1.Pod, pairs ...string) corev1.Pod {
	for i := 0; i < len(pairs); i += 2 {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
			Type: corev1.PodConditionType(
				pairs[i],
			),
			Status:  corev1.ConditionStatus(pairs[i+1]),
			Reason:  "Unschedulable",
			Message: "no node has room",
		})
	}
	return pod
}

func goesAway(pod corev1.Pod) corev1.Pod {
	pod.DeletionTimestamp = &metav1.Time{Time: began}
	return pod
}

func TestFind(t *testing.T) {
	create := func(
		kind appsv1.DeploymentConditionType, status corev1.ConditionStatus, reason string,
	) appsv1.DeploymentCondition {
		return appsv1.DeploymentCondition{Type: kind, Status: status, Reason: reason, Message: "exceeded quota"}
	}
	const failure = appsv1.DeploymentReplicaFailure
	starts, image := waiting("ContainerCreating"), waiting("ImagePullBackOff")
	unscheduled := conditions(starts, "PodScheduled", "False")
	noVolume := conditions(starts, "PodReadyToStartContainers", "False", "Ready", "False")
	imageIs := &Failure{Reason: "ImagePullBackOff", Message: "[flink-main-container] no such image", Fatal: true}
	for name, row := range map[string]struct {
		condition appsv1.DeploymentCondition
		pods      []corev1.Pod
		mounts    []string
		want      *Failure
	}{
		"no pod, and nobody says why": {},
		"pods may not be made": {
			condition: create(failure, "True", "FailedCreate"),
			want:      &Failure{Reason: "FailedCreate", Message: "exceeded quota", Fatal: true},
		},
		"pods could not be made": {condition: create(failure, "False", "FailedCreate")},
		"pods are not deleted":   {condition: create(failure, "True", "FailedDelete")},
		"it makes no progress":   {condition: create(appsv1.DeploymentProgressing, "True", "FailedCreate")},
		"it starts":              {pods: []corev1.Pod{starts}},
		"its image is not there": {pods: []corev1.Pod{image}, want: imageIs},
		"a predecessor's is not": {pods: []corev1.Pod{goesAway(image), starts}},
		"its own is not, a predecessor's neither": {
			pods: []corev1.Pod{goesAway(waiting("ErrImagePull")), image}, want: imageIs,
		},
		"the second container's is not": {
			pods: []corev1.Pod{func() corev1.Pod {
				pod := waiting("ContainerCreating")
				pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, image.Status.ContainerStatuses...)
				return pod
			}()}, want: imageIs,
		},
		"it finds no node": {
			pods: []corev1.Pod{unscheduled}, want: &Failure{Reason: "Unschedulable", Message: "no node has room"},
		},
		"it has found one": {pods: []corev1.Pod{conditions(starts, "PodScheduled", "True")}},
		"it is not ready":  {pods: []corev1.Pod{conditions(starts, "Ready", "False")}},
		"its volume is not there": {
			pods: []corev1.Pod{noVolume}, mounts: []string{"no secret s", "older"},
			want: &Failure{Reason: "FailedMount", Message: "no secret s", Fatal: true},
		},
		"its volume came late":            {pods: []corev1.Pod{starts}, mounts: []string{"no secret s"}},
		"its volume is not there, unsaid": {pods: []corev1.Pod{noVolume}},
	} {
		t.Run(name, func(t *testing.T) {
			d := &appsv1.Deployment{}
			d.Status.Conditions = []appsv1.DeploymentCondition{row.condition}
			got := Find(Seen{Deployment: d, Pods: row.pods, MountFailures: row.mounts})
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// A predecessor that goes away hides no crash of the pod that follows it.
func TestACrashBesideAPodThatGoesAway(t *testing.T) {
	crashed := jobManager(corev1.ContainerStatus{State: corev1.ContainerState{Terminated: ended(1, time.Second)}})
	crashed.Name = "demo-2"
	if crash, found := Crashed(
		[]corev1.Pod{goesAway(waiting("ErrImagePull")), crashed},
	); !found ||
		crash.Pod != "demo-2" {
		t.Errorf("%v %t", crash, found)
	}
	beside := jobManager(corev1.ContainerStatus{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}})
	beside.Status.ContainerStatuses = append(beside.Status.ContainerStatuses, crashed.Status.ContainerStatuses...)
	if _, found := Crashed([]corev1.Pod{beside}); !found {
		t.Error("the second container has crashed")
	}
}

func TestMayMissVolumes(t *testing.T) {
	for name, row := range map[string]struct {
		pairs []string
		want  bool
	}{
		"nothing is known":                  {nil, false},
		"its sandbox waits":                 {[]string{"PodReadyToStartContainers", "False", "Ready", "False"}, true},
		"its sandbox is there":              {[]string{"PodReadyToStartContainers", "True", "Ready", "False"}, false},
		"it is ready":                       {[]string{"PodReadyToStartContainers", "False", "Ready", "True"}, false},
		"an older kubelet: not initialized": {[]string{"Initialized", "False", "Ready", "False"}, true},
		"an older kubelet: initialized":     {[]string{"Initialized", "True", "Ready", "False"}, false},
		"a sandbox, and init containers that wait": {
			[]string{"PodReadyToStartContainers", "True", "Initialized", "False", "Ready", "False"}, false,
		},
	} {
		if got := MayMissVolumes(conditions(corev1.Pod{}, row.pairs...)); got != row.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestAMissingServiceAccount(t *testing.T) {
	want := `serviceaccount "flink" not found; make the account with: make tenant NS=jobs`
	if got := explainCreate(`serviceaccount "flink" not found`, "jobs"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
