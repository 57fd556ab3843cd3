package pods

import (
	"reflect"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// noon is now.
var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// jobManager is a pod that runs, changed.
func jobManager(change func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "b", Labels: map[string]string{"component": "jobmanager"}},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{
				{Name: "main", Ports: []corev1.ContainerPort{{Name: "rest", ContainerPort: 8081}}},
			},
		},
		Status: corev1.PodStatus{
			Phase: corev1.PodRunning, PodIP: "127.1.1.1",
			Conditions:        []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
			ContainerStatuses: []corev1.ContainerStatus{{Name: "main", Ready: true}},
		},
	}
	change(p)
	return p
}

func TestHowAPodIs(t *testing.T) {
	status := func(p *corev1.Pod) *corev1.ContainerStatus { return &p.Status.ContainerStatuses[0] }
	ended := &corev1.ContainerStateTerminated{
		ExitCode: 1, Reason: "Error", FinishedAt: metav1.NewTime(noon.Add(-time.Second)),
	}
	for name, row := range map[string]struct {
		change func(*corev1.Pod)
		want   Pod
		fails  bool
	}{
		"runs": {
			func(*corev1.Pod) {}, Pod{Phase: "Running", Ready: 1, Page: "http://127.1.1.1:8081"}, false,
		},
		"no page": {func(p *corev1.Pod) { p.Labels = nil }, Pod{Phase: "Running", Ready: 1}, false},
		"not ready": {
			func(p *corev1.Pod) { p.Status.Conditions, status(p).Ready = nil, false }, Pod{Phase: "Running"}, false,
		},
		"no container": {
			func(p *corev1.Pod) { p.Status = corev1.PodStatus{Phase: corev1.PodPending} }, Pod{Phase: "Pending"},
			false,
		},
		"deleted": {func(p *corev1.Pod) {
			now := metav1.Now()
			p.DeletionTimestamp, status(p).State.Terminated = &now, ended
		}, Pod{Phase: "Terminating", Ready: 1, Page: "http://127.1.1.1:8081"}, false},
		"ended with an error": {
			func(p *corev1.Pod) { status(p).State.Terminated = ended },
			Pod{Phase: "Error", Ready: 1, Page: "http://127.1.1.1:8081"}, true,
		},
		"crashes": {func(p *corev1.Pod) {
			s := status(p)
			p.Status.Conditions, s.Ready, s.RestartCount, s.LastTerminationState.Terminated = nil, false, 2, ended
			s.State.Waiting = &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}
		}, Pod{Phase: "CrashLoopBackOff", Restarts: 2}, true},
		"runs again": {func(p *corev1.Pod) {
			status(p).LastTerminationState.Terminated, status(p).State.Running = ended, &corev1.ContainerStateRunning{}
		}, Pod{Phase: "Running", Ready: 1, Page: "http://127.1.1.1:8081"}, true},
		"runs for long": {func(p *corev1.Pod) {
			long := ended.DeepCopy()
			long.FinishedAt = metav1.NewTime(noon.Add(-remembered))
			status(p).LastTerminationState.Terminated, status(p).State.Running = long, &corev1.ContainerStateRunning{}
		}, Pod{Phase: "Running", Ready: 1, Page: "http://127.1.1.1:8081"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := jobManager(row.change)
			row.want.Name, row.want.Containers = "b/a", 1
			if got := Of(p, nil); !reflect.DeepEqual(got, row.want) {
				t.Errorf("%+v, want %+v", got, row.want)
			}
			if _, fails := FailureOf(p, noon); fails != row.fails {
				t.Errorf("it failed: %v", fails)
			}
		})
	}
}

func TestPodsThatSayNothing(t *testing.T) {
	function := func(p *corev1.Pod) { p.Labels["serving.knative.dev/service"] = "observe" }
	for name, row := range map[string]struct {
		change func(*corev1.Pod)
		want   bool
	}{
		"a JobManager": {func(*corev1.Pod) {}, true},
		"a function":   {function, false},
		"one that fails": {func(p *corev1.Pod) {
			function(p)
			p.Status.ContainerStatuses[0].State.Terminated = &corev1.ContainerStateTerminated{ExitCode: 2}
		}, true},
		"a Job's": {func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }, false},
	} {
		if got := Telling(jobManager(row.change), noon); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestWhyAContainerEnded(t *testing.T) {
	for code, want := range map[int32]string{1: "exit code 1", 137: "exit code 137 (killed)"} {
		if got := (Failure{Code: code}).Why(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTheEndOfALog(t *testing.T) {
	if got := LastLines("one\n\n two \r\nthree", 2); !slices.Equal(got, []string{" two", "three"}) {
		t.Errorf("%q", got)
	}
	if got := LastLines("", 2); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func TestOneLine(t *testing.T) {
	for want, got := range map[string]string{
		"pod b/a: Pending, 0/1 ready": Pod{Name: "b/a", Phase: "Pending", Containers: 1}.Sentence(),
		"pod b/a: Running, 1/1 ready, 2 restarts, web page http://x": Pod{
			Name: "b/a", Phase: "Running", Ready: 1, Containers: 1, Restarts: 2, Page: "http://x",
		}.Sentence(),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
